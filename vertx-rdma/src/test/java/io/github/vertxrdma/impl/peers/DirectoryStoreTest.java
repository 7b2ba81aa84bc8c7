package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.awaitOnContext;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Directories whose store answers on another thread, refuses, does not answer, or is called during a renewal of the epoch. */
@Timeout(60)
class DirectoryStoreTest {
  private final Vertx vertx = Vertx.vertx();
  private final Stored directory = new Stored(vertx);
  private final ServiceEntry orders = new ServiceEntry("orders", "here", directory.epoch(), 0, List.of(), new JsonObject());

  @AfterEach
  void close() throws Exception {
    await(directory.close(), null);
    await(vertx.close());
  }

  private static final class Stored extends AbstractDirectory {
    final Set<String> keys = new ConcurrentSkipListSet<>();
    Runnable whenNodeIsStored = () -> {};
    /** Answer to the next entries; null to store them. */
    Future<Void> answer;
    Function<String, Future<Void>> end = what -> future(null);

    Stored(Vertx vertx) {
      super(vertx, "stored", "here");
    }

    @Override
    public String type() {
      return "stored";
    }

    @Override
    protected Future<Void> store(DirectoryEntry entry) {
      if (entry instanceof NodeEntry) {
        whenNodeIsStored.run();
      }
      if (answer != null) {
        return answer;
      }
      keys.add(entry.key());
      return future(null);
    }

    @Override
    protected Future<Void> erase(DirectoryEntry entry) {
      keys.remove(entry.key());
      return end.apply("erased " + entry.key());
    }

    @Override
    protected Future<Void> release() {
      return end.apply("released");
    }
  }

  /** The store answers when the publisher, whose event loop is busy, already has its future. */
  @Test
  void publishedEntryIsListedWhenItsPublicationCompletes() throws Exception {
    await(directory.publish(directory.self()));
    assertEquals(List.of(orders), awaitOnContext(vertx, () -> {
      Promise<Void> answer = directory.context().promise();
      directory.answer = answer.future();
      Future<Void> published = directory.publish(orders);
      CompletableFuture.runAsync(answer::complete).join();
      return published.map(v -> directory.services("orders"));
    }));
  }

  /** As while a cluster waits for a dead member. */
  @Test
  void storeWithoutAnswerKeepsNobodyFromClosing() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    List<String> done = new CopyOnWriteArrayList<>();
    await(directory.publish(directory.self()));
    await(directory.publish(orders));
    directory.end = what -> directory.calls.result(() -> {
      answers.await();
      done.add(what);
      return null;
    });
    await(directory.withdraw(orders));
    assertTrue(directory.services("orders").isEmpty());
    await(directory.close(), null);
    assertEquals(List.of(), done, "nothing can be done before it answers");
    answers.countDown();
    until("what it was told is done, in order", () -> done.size() == 3);
    assertEquals(List.of("erased " + orders.key(), "erased " + directory.self().key(), "released"), done);
  }

  @Test
  void entryWithdrawnDuringRenewalStaysWithdrawn() throws Exception {
    await(directory.publish(directory.self()));
    await(directory.publish(orders));
    long before = directory.epoch();
    Thread server = new Thread(() -> directory.withdraw(orders));
    directory.whenNodeIsStored = () -> {
      server.start();
      until("it is withdrawn, or waits for its turn", () -> !server.isAlive() || server.getState() == Thread.State.BLOCKED);
    };
    await(directory.renew());
    server.join();
    assertNotEquals(before, directory.epoch());
    until("it is not seen", () -> directory.services("orders").isEmpty());
    assertEquals(Set.of("n/here"), directory.keys);
  }

  /** The store receives them later; until then this node sees them, and can withdraw them. */
  @Test
  void entriesThatCannotBeStoredStayPublished() throws Exception {
    await(directory.publish(directory.self()));
    await(directory.publish(orders));
    long before = directory.epoch();
    directory.answer = directory.future(new IOException("no answer in time"));
    assertThrows(ExecutionException.class, () -> await(directory.renew()));
    long epoch = directory.epoch();
    assertNotEquals(before, epoch);
    assertEquals(List.of(directory.self(), orders.withEpoch(epoch)), directory.published());
    until("this node sees itself", () -> directory.node("here").filter(node -> node.epoch() == epoch).isPresent());
    until("and its service", () -> directory.services("orders").equals(List.of(orders.withEpoch(epoch))));
    // After a failed change the node keeps its renewed entry.
    assertThrows(ExecutionException.class, () -> await(directory.publish(directory.self().withControl("10.0.0.1", 7000))));
    assertEquals(directory.node("here").orElseThrow(), directory.self());
    assertEquals(List.of(directory.self(), orders.withEpoch(epoch)), directory.published());
    directory.answer = null;
    await(directory.publish(directory.self().withControl("10.0.0.1", 7001)));
    assertEquals(7001, directory.node("here").orElseThrow().controlPort());
    await(directory.withdraw(orders));
    assertTrue(directory.services("orders").isEmpty());
    assertEquals(List.of(directory.self()), directory.published());
  }
}
