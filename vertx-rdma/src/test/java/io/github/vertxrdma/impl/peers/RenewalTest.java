package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node takes a new epoch while its entries are published and withdrawn. */
@Timeout(60)
class RenewalTest {
  private final Vertx vertx = Vertx.vertx();
  private final Stored directory = new Stored(vertx);

  @AfterEach
  void close() throws Exception {
    await(directory.close());
    await(vertx.close());
  }

  private static final class Stored extends AbstractDirectory {
    final Set<String> keys = new ConcurrentSkipListSet<>();
    Runnable whenNodeIsStored = () -> {};
    boolean failing;

    Stored(Vertx vertx) {
      super(vertx, "renewal", "here");
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
      if (failing) {
        return future(new IOException("no answer in time"));
      }
      keys.add(entry.key());
      return future(null);
    }

    @Override
    protected Future<Void> erase(DirectoryEntry entry) {
      keys.remove(entry.key());
      return future(null);
    }

    @Override
    protected Future<Void> release() {
      return future(null);
    }
  }

  @Test
  void entryWithdrawnDuringRenewalStaysWithdrawn() throws Exception {
    ServiceEntry orders = new ServiceEntry("orders", "here", directory.epoch(), 0, List.of(), new JsonObject());
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
    ServiceEntry orders = new ServiceEntry("orders", "here", directory.epoch(), 0, List.of(), new JsonObject());
    await(directory.publish(directory.self()));
    await(directory.publish(orders));
    long before = directory.epoch();
    directory.failing = true;
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
    directory.failing = false;
    await(directory.publish(directory.self().withControl("10.0.0.1", 7001)));
    assertEquals(7001, directory.node("here").orElseThrow().controlPort());
    await(directory.withdraw(orders));
    assertTrue(directory.services("orders").isEmpty());
    assertEquals(List.of(directory.self()), directory.published());
  }
}
