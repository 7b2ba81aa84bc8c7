package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lookup completes without a lock, even if the entry is added on the caller's own thread. */
@Timeout(60)
class WaiterTest {
  /** Milliseconds, more than a verticle needs to be deployed and undeployed. */
  private static final int SOON = 1_000;

  private final Vertx vertx = Vertx.vertx();
  private final AbstractDirectory directory = new StaticDirectory(vertx, new DirectoryOptions());
  private final DirectoryCache cache = directory.cache;

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void lookupCompletesWithoutTheLock() throws Exception {
    assertFalse(await(locked(0)), "the lock was held when the entry came");
  }

  @Test
  void lookupOfAnExistingEntryCompletesWithoutTheLock() throws Exception {
    assertFalse(await(locked(1)), "the lock was held when the listener was added");
  }

  /** The verticle's timers end with it. */
  @Test
  void lookupTimesOutAfterItsVerticleEnded() throws Exception {
    Promise<Future<Object>> begun = Promise.promise();
    String verticle = await(vertx.deployVerticle(context -> {
      begun.complete(lookUp(SOON, Optional::empty));
      return Future.succeededFuture();
    }));
    await(vertx.undeploy(verticle));
    Future<Object> waits = await(begun.future());
    until("it gives up", waits::isComplete);
    assertEquals(TimeoutException.class, waits.cause().getClass());
  }

  /** @param missed lookups that find nothing although the entry exists */
  private Future<Boolean> locked(int missed) {
    Promise<Boolean> held = Promise.promise();
    int[] asked = new int[1];
    vertx.runOnContext(v -> {
      if (missed > 0) {
        cache.put(NodeEntry.local("a", 1));
      }
      lookUp(30_000, () -> asked[0]++ < missed ? Optional.empty() : cache.node("a"))
        .onComplete(found -> held.complete(Thread.holdsLock(cache)));
      cache.put(NodeEntry.local("a", 1));
    });
    return held.future();
  }

  private <T> Future<T> lookUp(long millis, Supplier<Optional<T>> look) {
    return directory.awaiting("node 'a'", millis, look, entry -> false);
  }
}
