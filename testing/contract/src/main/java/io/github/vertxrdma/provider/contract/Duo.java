package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

final class Duo {

  interface Part {
    void run(Side side) throws Exception;
  }

  private Duo() {
  }

  /** Runs a test part on each of two sides in one domain. Neither side closes before both parts have ended. */
  static void run(Device device, PairOptions options, Part connecting, Part accepting) throws Exception {
    try (Domain domain = device.open()) {
      run(domain, options, connecting, accepting);
    }
  }

  static void run(Domain domain, PairOptions options, Part connecting, Part accepting) throws Exception {
    CompletableFuture<EndpointAddress> address = new CompletableFuture<>();
    CompletableFuture<Void> failed = new CompletableFuture<>();
    CountDownLatch parts = new CountDownLatch(2);
    CompletableFuture<Void> b = start("accepting", failed, () -> {
      try (Side side = new Side(domain, options)) {
        address.complete(side.listenAndAccept().localAddress());
        connected(side, failed);
        accepting.run(side);
        stay(side, parts, failed);
      } catch (Throwable t) {
        address.completeExceptionally(t);
        throw t;
      }
    });
    CompletableFuture<Void> a = start("connecting", failed, () -> {
      try (Side side = new Side(domain, options)) {
        side.connect(address.get(Await.patienceMillis(), TimeUnit.MILLISECONDS));
        connected(side, failed);
        connecting.run(side);
        stay(side, parts, failed);
      }
    });
    try {
      get(a);
    } finally {
      // The domain must not be closed while the accepting side uses it.
      b.handle((ended, cause) -> null).get(4 * Await.patienceMillis(), TimeUnit.MILLISECONDS);
    }
    get(b);
  }

  private static void connected(Side side, CompletableFuture<Void> failed) {
    Await.until("connected", () -> !side.connected.isEmpty() || failed.isDone(), side::poll, side::toString);
    if (failed.isDone()) {
      throw new AssertionError("the other side failed");
    }
  }

  private static void stay(Side side, CountDownLatch parts, CompletableFuture<Void> failed) {
    parts.countDown();
    Await.until("the other side's end", () -> parts.getCount() == 0 || failed.isDone(), side::poll, side::toString);
  }

  static CompletableFuture<Void> start(String name, CompletableFuture<Void> failed, CheckedRunnable body) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread.ofPlatform().name("test-" + name).daemon().start(() -> {
      try {
        body.run();
        end.complete(null);
      } catch (Throwable t) {
        failed.complete(null);
        end.completeExceptionally(t);
      }
    });
    return end;
  }

  static void get(CompletableFuture<Void> end) throws Exception {
    try {
      end.get(4 * Await.patienceMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("a side did not finish", e);
    }
  }

  interface CheckedRunnable {
    void run() throws Exception;
  }
}
