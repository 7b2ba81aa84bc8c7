package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionHolder;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.MemoryRegion;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Keys and holders of an owned region. A key in use is never deregistered: holders are asked first, and the connection of one that does not
 * answer is closed. Thread-safe.
 */
final class Exposures {
  private static final Logger LOG = LoggerFactory.getLogger(Exposures.class);
  private static final long REKEY_MILLIS = 10_000;

  private final OwnedRegion region;
  private final Map<Domain, Exposure> exposed = new LinkedHashMap<>();
  private final Set<Holding> holders = new LinkedHashSet<>();
  /** Pending deregistrations of former holders' keys. */
  private final Set<Future<Void>> leaving = new HashSet<>();
  private final Set<Domain> toRekey = new HashSet<>();
  private Future<Void> rekeyed = Future.succeededFuture();
  private Future<Void> revoked;
  private int generation = 1;

  Exposures(OwnedRegion region, List<Exposure> initial) {
    this.region = region;
    initial.forEach(exposure -> exposed.put(exposure.domain(), exposure));
  }

  synchronized boolean isOpen() {
    return revoked == null;
  }

  synchronized int generation() {
    return generation;
  }

  /** Returns whether a device pins the memory. */
  synchronized boolean isPinned() {
    return Stream.concat(exposed.keySet().stream(), holders.stream().map(holder -> holder.side.peer.domain())).anyMatch(RegionMemory::pins);
  }

  synchronized Map<String, RegionToken> tokens() {
    Map<String, RegionToken> tokens = new HashMap<>();
    exposed.forEach((domain, exposure) -> tokens.put(domain.device().fabric(), exposure.token()));
    return tokens;
  }

  synchronized List<RegionHolder> holders() {
    return holders.stream().map(Holding::holder).toList();
  }

  /** Adds a holder. @return its description; null if the region is revoked or not exposed on the holder's device */
  synchronized RegionDescription admit(Holding holder) {
    Exposure regions = exposed.get(holder.side.peer.domain());
    if (revoked != null || regions == null && !holder.granted()) {
      return null;
    }
    Exposure exposure = holder.own != null ? holder.own : regions;
    holders.add(holder);
    String authority = holder.own != null ? region.grantAuthority() : region.authority();
    return new RegionDescription(holder.handle, region.name(), region.size(), holder.access, authority, generation, exposure.token());
  }

  /** Deregisters the key of a grant without a holder. */
  Future<Void> discard(Holding holder) {
    // The grant retains the memory until then.
    return deregister(holder.side.peer.domain(), holder.own.registration()).onComplete(v -> region.memory.release());
  }

  /** Called when a holder has closed or died. @param died true if it may still use its key, so that the region is re-keyed */
  void gone(Holding holder, boolean died) {
    Domain domain = holder.side.peer.domain();
    if (remove(holder) && died && holder.own == null && domain.device().endpointType() == EndpointType.RDM && isWritable(domain)) {
      rekey(domain);
    }
  }

  /** Removes a holder and deregisters its own key. @return false if it was removed before */
  private boolean remove(Holding holder) {
    Promise<Void> left = Promise.promise();
    synchronized (this) {
      if (!holders.remove(holder)) {
        return false;
      }
      holder.left = left.future();
      leaving.add(left.future());
    }
    Future<Void> discarded = holder.own == null ? Future.succeededFuture() : discard(holder);
    discarded.onComplete((v, failure) -> {
      synchronized (this) {
        leaving.remove(left.future());
      }
      left.complete(v, failure);
    });
    return true;
  }

  /** Returns whether the key allows changes. */
  private boolean isWritable(Domain domain) {
    Exposure exposure = of(domain);
    Set<Access> access = exposure == null ? Set.of() : exposure.registration().access();
    return access.contains(Access.REMOTE_WRITE) || access.contains(Access.REMOTE_ATOMIC);
  }

  private synchronized Exposure of(Domain domain) {
    return exposed.get(domain);
  }

  private Future<Void> deregister(Domain domain, MemoryRegion registration) {
    return region.host.<Void>blocking(() -> {
      region.registry.registrations.deregister(domain, registration);
      return null;
    }).onFailure(e -> LOG.warn(region.label() + " could not be deregistered from " + domain.device().name(), e));
  }

  /** Revokes the region from one holder. */
  Future<Void> revoke(Holding holder, long timeoutMillis) {
    Promise<Void> done;
    synchronized (this) {
      if (holder.revoking != null) {
        return holder.revoking;
      }
      done = Promise.promise();
      holder.revoking = done.future();
    }
    holder.takeBack(timeoutMillis).onComplete(v -> {
      remove(holder);
      holder.left.onComplete(done);
    });
    return done.future();
  }

  /** Revokes the region from all holders, for good. */
  Future<Void> revoke(long timeoutMillis) {
    Promise<Void> done = Promise.promise();
    List<Holding> all;
    List<Future<?>> back;
    synchronized (this) {
      if (revoked != null) {
        return revoked;
      }
      revoked = done.future();
      all = List.copyOf(holders);
      back = new ArrayList<>(leaving);
      back.add(rekeyed);
    }
    // New opens are refused already, so a hanging directory does not delay the revocation.
    back.add(within(region.registry.listener.closing(region), timeoutMillis));
    all.forEach(holder -> back.add(revoke(holder, timeoutMillis)));
    Future.join(back).<Void>mapEmpty().eventually(this::deregisterAll).onComplete(done);
    return done.future();
  }

  /** Waits for a future, successful or not, with a timeout. */
  private Future<Void> within(Future<Void> future, long timeoutMillis) {
    if (future.isComplete()) {
      return Future.succeededFuture();
    }
    Promise<Void> done = Promise.promise();
    Deadline limit = Deadline.of(done::tryComplete);
    EventLoopHost.tryExecute(region.host::run, () -> {
      if (!future.isComplete()) {
        region.host.deadlines().set(limit, Math.max(1, timeoutMillis), TimeUnit.MILLISECONDS);
      }
    });
    future.onComplete(ended -> {
      done.tryComplete();
      EventLoopHost.tryExecute(region.host::run, limit::cancel);
    });
    return done.future();
  }

  private Future<Void> deregisterAll() {
    List<Exposure> all;
    synchronized (this) {
      all = List.copyOf(exposed.values());
      exposed.clear();
    }
    return Future.join(all.stream().map(e -> deregister(e.domain(), e.registration())).toList()).mapEmpty();
  }

  /** Replaces a key that a dead holder knows and the device does not invalidate. */
  void rekey(Domain domain) {
    synchronized (this) {
      if (revoked == null && exposed.containsKey(domain) && toRekey.add(domain)) {
        rekeyed = rekeyed.compose(v -> rekeyNow(domain))
          .recover(e -> {
            LOG.warn(region.label() + " keeps a key on " + domain.device().name() + " that a dead peer knows", e);
            return Future.succeededFuture();
          });
      }
    }
  }

  private Future<Void> rekeyNow(Domain domain) {
    return region.host.<MemoryRegion>blocking(() -> {
      synchronized (this) {
        // A holder that dies later needs another re-keying.
        toRekey.remove(domain);
      }
      return region.registry.registrations.register(domain, region.segment(),
        Registrations.access(region.access(), Strategies.byFabric(domain, region.authority())));
    }).compose(registration -> {
      Exposure fresh = new Exposure(domain, registration);
      Exposure old;
      List<Holding> living;
      int number;
      synchronized (this) {
        if (revoked != null) {
          old = fresh;
          living = List.of();
        } else {
          old = exposed.put(domain, fresh);
          generation++;
          living = holders.stream().filter(holder -> holder.own == null && holder.side.peer.domain() == domain).toList();
        }
        number = generation;
      }
      if (old != fresh) {
        region.registry.listener.keysChanged(region);
      }
      return Future.join(living.stream().map(holder -> holder.rekey(number, fresh.token(), REKEY_MILLIS)).toList())
        .eventually(() -> deregister(domain, old.registration()))
        .mapEmpty();
    });
  }
}
