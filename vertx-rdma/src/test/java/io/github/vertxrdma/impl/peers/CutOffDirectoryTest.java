package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A directory whose store does not answer, as while a cluster waits for a dead member. */
@Timeout(60)
class CutOffDirectoryTest {
  private final Vertx vertx = Vertx.vertx();
  private final CountDownLatch answers = new CountDownLatch(1);
  private final List<String> done = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() throws Exception {
    answers.countDown();
    await(vertx.close());
  }

  private final class CutOff extends AbstractDirectory {
    CutOff(Vertx vertx) {
      super(vertx, "cut off", "here");
    }

    @Override
    public String type() {
      return "cut-off";
    }

    @Override
    protected Future<Void> store(DirectoryEntry entry) {
      return future(null);
    }

    @Override
    protected Future<Void> erase(DirectoryEntry entry) {
      return later("erased " + entry.key());
    }

    @Override
    protected Future<Void> release() {
      return later("released");
    }

    private Future<Void> later(String what) {
      return calls.result(() -> {
        answers.await();
        done.add(what);
        return null;
      });
    }
  }

  @Test
  void keepsNobodyFromClosing() throws Exception {
    CutOff directory = new CutOff(vertx);
    ServiceEntry orders = new ServiceEntry("orders", "here", directory.epoch(), 0, List.of(), new JsonObject());
    await(directory.publish(directory.self()));
    await(directory.publish(orders));
    await(directory.withdraw(orders));
    assertTrue(directory.services("orders").isEmpty());
    await(directory.close(), null);
    assertEquals(List.of(), done, "nothing can be done before it answers");
    answers.countDown();
    until("what it was told is done, in order", () -> done.size() == 3);
    assertEquals(List.of("erased " + orders.key(), "erased " + directory.self().key(), "released"), done);
  }
}
