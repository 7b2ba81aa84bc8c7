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
 * Connects to any instance of a service. Tries others on failure, as the directory may list instances that have ended and miss new ones.
 * Does not retry an instance that refused; fails when all listed ones have.
 */
final class BusDial {
  static final long RETRY_MILLIS = 50;

  private final Scheduler loop;
  private final Supplier<Future<BusInstances>> instances;
  private final String name;
  private final long lookupMillis;
  private volatile int closeMillis;
  private volatile boolean stopped;

  /** @param instances of the service, once available */
  BusDial(Scheduler loop, Supplier<Future<BusInstances>> instances, String name, long lookupMillis) {
    this.loop = loop;
    this.instances = instances;
    this.name = name;
    this.lookupMillis = lookupMillis;
  }

  /** Returns how long the close of a connection waits for the peer; known after the first attempt. */
  int closeMillis() {
    return closeMillis;
  }

  /** Prevents further attempts. */
  void stop() {
    stopped = true;
  }

  /** @param opened creates the owner of the link; on the link's loop */
  Future<BusLink> connect(BiFunction<Link, FabricChoice, BusLink> opened) {
    long end = loop.nanoTime() + TimeUnit.MILLISECONDS.toNanos(lookupMillis);
    return instances.get().compose(there -> {
      closeMillis = there.closeMillis();
      Search search = new Search(there, end, opened);
      search.attempt();
      return search.made.future();
    });
  }

  /** A search for one connection. All steps complete one promise: chained futures of a long search would overflow the stack. */
  private final class Search {
    private final BusInstances there;
    private final long end;
    private final BiFunction<Link, FabricChoice, BusLink> opened;
    private final Map<ServiceEntry, Throwable> refusals = new HashMap<>();
    private final Promise<BusLink> made = Promise.promise();
    private Throwable last;

    Search(BusInstances there, long end, BiFunction<Link, FabricChoice, BusLink> opened) {
      this.there = there;
      this.end = end;
      this.opened = opened;
    }

    void attempt() {
      long left = TimeUnit.NANOSECONDS.toMillis(end - loop.nanoTime());
      if (stopped) {
        made.fail(new RdmaException(Reason.CLOSED, "nobody wants a connection to service '" + name + "' any more"));
      } else if (left <= 0 && last != null) {
        made.fail(last);
      } else {
        there.await(Math.max(1, left)).recover(cause -> Future.failedFuture(last != null ? last : cause)).map(this::offered)
          .onComplete((found, cause) -> {
            if (cause != null) {
              made.fail(cause);
            } else {
              any(found, 0);
            }
          });
      }
    }

    /** Returns the instances of this protocol in random order. */
    private List<ServiceEntry> offered(List<ServiceEntry> entries) {
      List<ServiceEntry> found = new ArrayList<>(entries.stream()
        .filter(entry -> Wire.PROTOCOL.equals(entry.metadata().getString(BusServer.PROTOCOL))).toList());
      if (found.isEmpty()) {
        throw new RdmaException(Reason.UNSUPPORTED, "'" + name + "' is a server of messages, and no service of the event bus; connect with"
          + " Rdma.connect");
      }
      Collections.shuffle(found, loop.random());
      return found;
    }

    /** Tries instances from an index until one connects. */
    private void any(List<ServiceEntry> found, int from) {
      int i = from;
      while (i < found.size() && refusals.containsKey(found.get(i))) {
        i++;
      }
      if (i < found.size()) {
        ask(found, i);
      } else if (refusals.keySet().containsAll(found)) {
        made.fail(refusals.get(found.getFirst()));
      } else {
        loop.run(() -> loop.schedule(this::attempt, RETRY_MILLIS, TimeUnit.MILLISECONDS));
      }
    }

    private void ask(List<ServiceEntry> found, int i) {
      ServiceEntry instance = found.get(i);
      there.connect(instance, opened).onComplete((link, cause) -> {
        if (cause == null) {
          made.complete(link);
          return;
        }
        last = cause;
        if (stopped || isSettled(cause)) {
          made.fail(cause);
          return;
        }
        if (isRefusal(cause)) {
          refusals.put(instance, cause);
        }
        any(found, i + 1);
      });
    }
  }

  /** Failures that neither a retry nor another instance changes. */
  private static boolean isSettled(Throwable cause) {
    return cause instanceof RdmaException e && (e.reason() == Reason.NOT_AUTHENTIC || e.reason() == Reason.CLOSED);
  }

  /** Returns whether the instance itself refused, not the fabric, whose listener may be full or closing. */
  private static boolean isRefusal(Throwable cause) {
    return cause instanceof RdmaException e && e.reason() == Reason.REJECTED && !(e.getCause() instanceof ProviderException);
  }
}
