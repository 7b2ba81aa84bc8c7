package io.github.vertxrdma.impl.bus;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.Scheduler;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Finds an instance of a service and connects to it: to any, and to another if that fails, as long as the directory may still list some
 * that are gone and lack others that have come.
 */
final class BusDial {
  static final long RETRY_MILLIS = 50;

  private final Scheduler loop;
  private final Supplier<Future<BusInstances>> instances;
  private final String name;
  private final long lookupMillis;
  private volatile int closeMillis;

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

  /** @param opened makes what stands on the link; on the link's loop */
  Future<BusLink> connect(BiFunction<Link, FabricChoice, BusLink> opened) {
    long end = loop.nanoTime() + TimeUnit.MILLISECONDS.toNanos(lookupMillis);
    return instances.get().compose(there -> {
      closeMillis = there.closeMillis();
      return attempt(there, end, null, opened);
    });
  }

  private Future<BusLink> attempt(BusInstances there, long end, Throwable last, BiFunction<Link, FabricChoice, BusLink> opened) {
    long left = TimeUnit.NANOSECONDS.toMillis(end - loop.nanoTime());
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
      return any(there, found, 0, opened).recover(cause -> settled(cause) ? Future.failedFuture(cause) : later(there, end, cause, opened));
    });
  }

  private Future<BusLink> later(BusInstances there, long end, Throwable cause, BiFunction<Link, FabricChoice, BusLink> opened) {
    Promise<Void> pause = Promise.promise();
    loop.schedule(() -> pause.complete(), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    return pause.future().compose(v -> attempt(there, end, cause, opened));
  }

  private static Future<BusLink> any(BusInstances there, List<ServiceEntry> found, int i, BiFunction<Link, FabricChoice, BusLink> opened) {
    Future<BusLink> one = there.connect(found.get(i), opened);
    return i == found.size() - 1 ? one
      : one.recover(cause -> settled(cause) ? Future.failedFuture(cause) : any(there, found, i + 1, opened));
  }

  /** Failures that waiting would not change. */
  private static boolean settled(Throwable cause) {
    return cause instanceof RdmaException e && (e.reason() == Reason.NOT_AUTHENTIC || e.reason() == Reason.CLOSED);
  }
}
