package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionHolder;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Device;
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
import java.util.stream.Stream;

/**
 * Keys of an owned region, and its holders: the peers that use the region. A key is deregistered after all its holders gave it up. If a
 * holder does not reply, its connection is closed. Thread-safe.
 */
final class Exposures {
  private static final Logger LOG = LoggerFactory.getLogger(Exposures.class);
  private static final long REKEY_MILLIS = 10_000;

  private final OwnedRegion region;
  private final Map<Domain, Exposure> exposed = new LinkedHashMap<>();
  private final Set<RegionHold> holders = new LinkedHashSet<>();
  private final Set<Future<Void>> deregistering = new HashSet<>();
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

  synchronized boolean isPinned() {
    return Stream.concat(exposed.keySet().stream(), holders.stream().map(holder -> holder.side.peer.domain())).anyMatch(RegionMemory::pins);
  }

  synchronized Map<String, RegionToken> tokens() {
    Map<String, RegionToken> tokens = new HashMap<>();
    exposed.forEach((domain, exposure) -> tokens.put(domain.device().fabric(), exposure.token()));
    return tokens;
  }

  synchronized List<RegionHolder> holders() {
    return holders.stream().map(RegionHold::holder).toList();
  }

  /** Adds a holder. Returns null if the region is revoked or not registered on the holder's device. */
  synchronized RegionDescription admit(RegionHold holder) {
    Exposure shared = exposed.get(holder.side.peer.domain());
    if (revoked != null || shared == null && !holder.granted()) {
      return null;
    }
    Exposure exposure = holder.own != null ? holder.own : shared;
    holders.add(holder);
    String authority = holder.own != null ? region.grantAuthority() : region.authority();
    return new RegionDescription(holder.handle, region.name(), region.size(), holder.access, authority, generation, exposure.token());
  }

  Future<Void> discard(RegionHold holder) {
    return deregister(holder.side.peer.domain(), holder.own.registration()).onComplete(v -> region.memory.release());
  }

  /** @param died true if the link closed before the holder gave up its key. RDM devices may still accept that key, so it is replaced */
  void holderEnded(RegionHold holder, boolean died) {
    Domain domain = holder.side.peer.domain();
    if (remove(holder) && died && holder.own == null && domain.device().endpointType() == EndpointType.RDM && isWritable(domain)) {
      rekey(domain);
    }
  }

  private boolean remove(RegionHold holder) {
    Promise<Void> done = Promise.promise();
    synchronized (this) {
      if (!holders.remove(holder)) {
        return false;
      }
      holder.deregistered = done.future();
      deregistering.add(done.future());
    }
    Future<Void> discarded = holder.own == null ? Future.succeededFuture() : discard(holder);
    discarded.onComplete((v, failure) -> {
      synchronized (this) {
        deregistering.remove(done.future());
      }
      done.complete(v, failure);
    });
    return true;
  }

  private synchronized boolean isWritable(Domain domain) {
    Exposure exposure = exposed.get(domain);
    Set<Access> access = exposure == null ? Set.of() : exposure.registration().access();
    return access.contains(Access.REMOTE_WRITE) || access.contains(Access.REMOTE_ATOMIC);
  }

  private Future<Void> deregister(Domain domain, MemoryRegion registration) {
    return region.host.<Void>blocking(() -> {
      region.registry.registrations.deregister(domain, registration);
      return null;
    }).onFailure(e -> LOG.warn(region.label() + " could not be deregistered from " + domain.device().name(), e));
  }

  Future<Void> revoke(RegionHold holder, long timeoutMillis) {
    Promise<Void> done;
    synchronized (this) {
      if (holder.revoking != null) {
        return holder.revoking;
      }
      done = Promise.promise();
      holder.revoking = done.future();
    }
    holder.requestRevoke(timeoutMillis).onComplete(v -> {
      remove(holder);
      holder.deregistered.onComplete(done);
    });
    return done.future();
  }

  Future<Void> revoke(long timeoutMillis) {
    Promise<Void> done = Promise.promise();
    List<RegionHold> all;
    List<Future<?>> pending;
    synchronized (this) {
      if (revoked != null) {
        return revoked;
      }
      revoked = done.future();
      all = List.copyOf(holders);
      pending = new ArrayList<>(deregistering);
      pending.add(rekeyed);
    }
    pending.add(region.registry.listener.closing(region, timeoutMillis).otherwiseEmpty());
    all.forEach(holder -> pending.add(revoke(holder, timeoutMillis)));
    Future.join(pending).<Void>mapEmpty().eventually(this::deregisterAll).onComplete(done);
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

  /** Replaces a key that a dead holder knows and the device still accepts. */
  void rekey(Domain domain) {
    synchronized (this) {
      if (revoked == null && exposed.containsKey(domain) && toRekey.add(domain)) {
        rekeyed = rekeyed.compose(v -> replaceNow(domain, domain))
          .recover(e -> {
            LOG.warn(region.label() + " still has a key on " + domain.device().name() + " that a dead peer knows, since the key "
              + "could not be changed", e);
            return Future.succeededFuture();
          });
      }
    }
  }

  /** Registers the region on devices that were found later, or opened again after a failure. */
  synchronized Future<Void> exposeAgain(List<Domain> domains) {
    if (!isOpen()) {
      // A revocation has begun, and would not wait for this registration.
      return Future.succeededFuture();
    }
    for (Domain domain : domains) {
      rekeyed = rekeyed.compose(v -> {
        if (!isOpen()) {
          return Future.succeededFuture();
        }
        Domain before = onDevice(domain.device());
        return before == null ? region.isExposedLater() ? replaceNow(null, domain) : Future.succeededFuture()
          : before.isLost() ? replaceNow(before, domain) : Future.succeededFuture();
      }).recover(e -> {
        LOG.warn(region.label() + " could not be registered again on " + domain.device().name(), e);
        return Future.succeededFuture();
      });
    }
    return rekeyed;
  }

  /** Returns the domain of the device, or null if the region is not registered on the device. */
  synchronized Domain onDevice(Device device) {
    return exposed.keySet().stream().filter(domain -> domain.device().equals(device)).findFirst().orElse(null);
  }

  /**
   * Replaces the key of one domain by a key of {@code domain}, which belongs to the same device.
   *
   * @param before null if the region is not registered on the device
   */
  private Future<Void> replaceNow(Domain before, Domain domain) {
    return region.host.<Exposure>blocking(() -> {
      synchronized (this) {
        // If a holder dies after this, the key is replaced again.
        toRekey.remove(domain);
      }
      return region.registry.registrations.expose(domain, region.segment(), region.access(), region.authority());
    }).compose(fresh -> {
      Exposure old;
      List<RegionHold> live;
      int number;
      synchronized (this) {
        if (revoked != null) {
          old = fresh;
          live = List.of();
        } else {
          Exposure same = exposed.put(domain, fresh);
          old = same != null ? same : exposed.remove(before);
          generation++;
          live = holders.stream().filter(holder -> holder.own == null && holder.side.peer.domain() == domain).toList();
        }
        number = generation;
      }
      if (old != fresh) {
        region.registry.listener.keysChanged(region);
      }
      return Future.join(live.stream().map(holder -> holder.rekey(number, fresh.token(), REKEY_MILLIS)).toList())
        .eventually(() -> old == null ? Future.succeededFuture() : deregister(old.domain(), old.registration()))
        .mapEmpty();
    });
  }
}
