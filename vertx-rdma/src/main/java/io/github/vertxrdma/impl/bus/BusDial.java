package io.github.vertxrdma.impl.bus;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.Scheduler;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Finds an instance of a service and connects to it: to any, and to another if that fails, as long as the directory may still list some
 * that are gone and lack others that have come. An instance that says no is asked once; it is over when all that are listed have.
 */
final class BusDial {
  static final long RETRY_MILLIS = 50;

  private final Scheduler loop;
  private final Supplier<Future<BusInstances>> instances;
  private final String name;
  private final long lookupMillis;
  private volatile int closeMillis;
  private volatile boolean stopped;

  /** @param instances of the service, when they can be asked for */
  BusDial(Scheduler loop, Supplier<Future<BusInstances>> instances, String name, long lookupMillis) {
    this.loop = loop;
    this.instances = instances;
    this.name = name;
    this.lookupMillis = lookupMillis;
  }

  /** The time that closing a connection waits for the peer; known once one was made. */
  int closeMillis() {
    return closeMillis;
  }

  /** Begins no attempt any more. */
  void stop() {
    stopped = true;
  }

  /** @param opened makes what stands on the link; on the link's loop */
  Future<BusLink> connect(BiFunction<Link, FabricChoice, BusLink> opened) {
    long end = loop.nanoTime() + TimeUnit.MILLISECONDS.toNanos(lookupMillis);
    return instances.get().compose(there -> {
      closeMillis = there.closeMillis();
      return new Search(there, end, opened).attempt();
    });
  }

  /** A search for one connection: one step after the other, on whichever thread completes the last. */
  private final class Search {
    private final BusInstances there;
    private final long end;
    private final BiFunction<Link, FabricChoice, BusLink> opened;
    private final Map<ServiceEntry, Throwable> refusals = new HashMap<>();
    private Throwable last;

    Search(BusInstances there, long end, BiFunction<Link, FabricChoice, BusLink> opened) {
      this.there = there;
      this.end = end;
      this.opened = opened;
    }

    Future<BusLink> attempt() {
      long left = TimeUnit.NANOSECONDS.toMillis(end - loop.nanoTime());
      if (stopped) {
        return Future.failedFuture(new RdmaException(Reason.CLOSED, "nobody wants a connection to service '" + name + "' any more"));
      }
      if (left <= 0 && last != null) {
        return Future.failedFuture(last);
      }
      return there.await(Math.max(1, left)).recover(cause -> Future.failedFuture(last != null ? last : cause)).compose(entries -> {
        List<ServiceEntry> found = new ArrayList<>(entries.stream()
          .filter(entry -> Wire.PROTOCOL.equals(entry.metadata().getString(BusServer.PROTOCOL))).toList());
        if (found.isEmpty()) {
          return Future.failedFuture(new RdmaException(Reason.UNSUPPORTED, "'" + name + "' is a server of messages, and no service of the"
            + " event bus; connect with Rdma.connect"));
        }
        Collections.shuffle(found, loop.random());
        return any(found, 0);
      });
    }

    private Future<BusLink> any(List<ServiceEntry> found, int i) {
      if (i == found.size()) {
        return refusals.keySet().containsAll(found) ? Future.failedFuture(refusals.get(found.getFirst())) : later();
      }
      ServiceEntry instance = found.get(i);
      if (refusals.containsKey(instance)) {
        return any(found, i + 1);
      }
      return there.connect(instance, opened).recover(cause -> {
        last = cause;
        if (stopped || isSettled(cause)) {
          return Future.failedFuture(cause);
        }
        if (isRefusal(cause)) {
          refusals.put(instance, cause);
        }
        return any(found, i + 1);
      });
    }

    private Future<BusLink> later() {
      Promise<Void> pause = Promise.promise();
      loop.schedule(() -> pause.complete(), RETRY_MILLIS, TimeUnit.MILLISECONDS);
      return pause.future().compose(v -> attempt());
    }
  }

  /** Failures that neither waiting nor another instance would change. */
  private static boolean isSettled(Throwable cause) {
    return cause instanceof RdmaException e && (e.reason() == Reason.NOT_AUTHENTIC || e.reason() == Reason.CLOSED);
  }

  /** The instance knows who asks, and said no: not the fabric, whose listener may be full or about to go. */
  private static boolean isRefusal(Throwable cause) {
    return cause instanceof RdmaException e && e.reason() == Reason.REJECTED && !(e.getCause() instanceof ProviderException);
  }
}
