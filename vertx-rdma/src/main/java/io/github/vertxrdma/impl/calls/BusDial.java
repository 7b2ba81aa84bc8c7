package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Connects to any instance of a service. Tries the next one on failure, since the directory may be outdated. Fails when all listed
 * instances have refused.
 */
final class BusDial {

  private final Scheduler loop;
  private final Supplier<Future<BusInstances>> instances;
  private final String name;
  private final long lookupMillis;
  private final Instances order;
  private volatile BusInstances available;
  private volatile boolean stopped;

  BusDial(Scheduler loop, Supplier<Future<BusInstances>> instances, String name, long lookupMillis) {
    this.loop = loop;
    this.instances = instances;
    this.name = name;
    this.lookupMillis = lookupMillis;
    this.order = new Instances(nodeId -> available.isSuspected(nodeId), () -> loop.random().nextDouble());
  }

  Attempts attempts() {
    return new Attempts(Attempts.Limits.endless(50, 1_000, () -> loop.random().nextDouble()));
  }

  int closeMillis() {
    return available.closeMillis();
  }

  void stop() {
    stopped = true;
  }

  Future<BusLink> connect(BiFunction<Link, FabricChoice, BusLink> opened) {
    long end = loop.nanoTime() + TimeUnit.MILLISECONDS.toNanos(lookupMillis);
    return instances.get().compose(found -> {
      available = found;
      Search search = new Search(end, opened);
      search.attempt();
      return search.result.future();
    });
  }

  /** Search for one connection. Its steps share a promise, since chained futures would overflow the stack. */
  private final class Search {
    private final long end;
    private final BiFunction<Link, FabricChoice, BusLink> opened;
    private final Map<ServiceEntry, Throwable> refusals = new HashMap<>();
    private final Promise<BusLink> result = Promise.promise();
    private Throwable last;
    private final Attempts rounds = attempts();

    Search(long end, BiFunction<Link, FabricChoice, BusLink> opened) {
      this.end = end;
      this.opened = opened;
    }

    void attempt() {
      long left = TimeUnit.NANOSECONDS.toMillis(end - loop.nanoTime());
      if (stopped) {
        result.fail(new RdmaException(Reason.CLOSED, "cannot connect to service '" + name + "': its client is closed"));
      } else if (left <= 0 && last != null) {
        result.fail(last);
      } else {
        available.await(Math.max(1, left)).recover(cause -> Future.failedFuture(last != null ? last : cause)).map(this::offered)
          .onComplete((found, cause) -> {
            if (cause != null) {
              result.fail(cause);
            } else {
              round(found);
            }
          });
      }
    }

    private List<ServiceEntry> offered(List<ServiceEntry> entries) {
      List<ServiceEntry> found = entries.stream().filter(entry -> BusWire.disagreement("the server", protocol(entry)) == null).toList();
      if (found.isEmpty()) {
        throw new RdmaException(Reason.UNSUPPORTED, "cannot connect to '" + name + "' as a service of the event bus: "
          + BusWire.disagreement("the server", protocol(entries.getFirst())) + ". Use Rdma.connect for a server that was created with "
          + "Rdma.createServer");
      }
      return found;
    }

    private static String protocol(ServiceEntry entry) {
      return entry.metadata().getString(BusServer.PROTOCOL);
    }

    private void round(List<ServiceEntry> found) {
      List<ServiceEntry> untried = new ArrayList<>(found);
      untried.removeAll(refusals.keySet());
      if (untried.isEmpty()) {
        result.fail(refusals.get(found.getFirst()));
        return;
      }
      Instances.first(order.order(untried, null), this::connect, cause -> stopped || isFinal(cause)).onComplete((link, cause) -> {
        if (cause == null) {
          result.complete(link);
        } else if (stopped || isFinal(cause) || refusals.keySet().containsAll(found)) {
          result.fail(cause);
        } else {
          loop.run(() -> {
            long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - loop.nanoTime()));
            loop.schedule(this::attempt, Math.min(rounds.pauseMillis(), left), TimeUnit.MILLISECONDS);
          });
        }
      });
    }

    private Future<BusLink> connect(ServiceEntry instance) {
      return available.connect(instance, opened).onFailure(cause -> {
        last = cause;
        if (isRefusal(cause)) {
          refusals.put(instance, cause);
        }
      });
    }
  }

  private static boolean isFinal(Throwable cause) {
    return cause instanceof RdmaException e && (e.reason() == Reason.NOT_AUTHENTIC || e.reason() == Reason.CLOSED);
  }

  /** Returns whether the instance itself refused. A refusal by the fabric does not count: a listener may be full or closing. */
  private static boolean isRefusal(Throwable cause) {
    return cause instanceof RdmaException e && e.reason() == Reason.REJECTED && !(e.getCause() instanceof ProviderException);
  }
}
