package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionNotification.Kind;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.netty.util.collection.LongObjectHashMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Regions of this side that a link's peer uses. Confined to the link's loop. */
final class OwnerSide {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerSide.class);
  private static final long EXPIRY_MILLIS = 10_000;

  final RegionPeer peer;
  private final LongObjectHashMap<Holding> holdings = new LongObjectHashMap<>();
  /** Number of opens. */
  private final Map<OwnedRegion, Integer> opens = new HashMap<>();

  OwnerSide(RegionPeer peer) {
    this.peer = peer;
  }

  // ---- frames of the holder

  void open(long request, long regionId, int generation, int checksum) {
    OwnedRegion region = peer.registry.find(regionId);
    if (region == null || region.name().isEmpty()) {
      peer.refuse(request, RegionFrames.NOT_FOUND, "there is no such region, or it was revoked");
      return;
    }
    if (opens.getOrDefault(region, 0) >= RegionPeer.MOST_HANDLES) {
      deny(request, RegionFrames.LIMIT, region.label() + " is open " + RegionPeer.MOST_HANDLES + " times over this connection, which"
        + " is the most: share one RemoteRegion, or close those that are not used");
      return;
    }
    Set<RegionAccess> access = peer.registry.listener.authorization().allowed(peer.nodeId(), region.name(), region.access());
    if (access.isEmpty() && !region.access().isEmpty()) {
      deny(request, RegionFrames.DENIED, peer.registry.listener.authorization().refuseOpen(peer.nodeId(), region.name(), region.access()));
      return;
    }
    opens.merge(region, 1, Integer::sum);
    if (access.size() == region.access().size()) {
      opened(request, holding(region, access, null, OwnerState.OPEN), generation, checksum);
      return;
    }
    // The region's own key would allow more.
    expose(region, access).onSuccess(own -> opened(request, holding(region, access, own, OwnerState.OPEN), 0, 0)).onFailure(e -> {
      closed(region);
      peer.refuse(request, RegionFrames.REFUSED, region.label() + " could not be registered for " + access + ": " + e.getMessage());
    });
  }

  private Holding holding(OwnedRegion region, Set<RegionAccess> access, Exposure own, OwnerState state) {
    return new Holding(this, region, peer.host().random().nextLong(), access, own, state);
  }

  private void opened(long request, Holding holding, int generation, int checksum) {
    RegionDescription description = admit(holding);
    if (description == null) {
      closed(holding.region);
      peer.refuse(request, RegionFrames.NOT_FOUND, holding.region.label() + " is not exposed on " + peer.domain().device().name()
        + " of its owner, or was revoked");
      return;
    }
    boolean known = description.generation() == generation && description.token().checksum() == checksum;
    peer.reply(request, RegionFrames.OK, 0, (known ? description.withoutToken() : description).encode());
  }

  /** Adds a holding. @return its description; null after discarding its key, if the link has closed or the region is unavailable */
  private RegionDescription admit(Holding holding) {
    RegionDescription description = peer.over() != null ? null : holding.region.exposures.admit(holding);
    if (description != null) {
      holdings.put(holding.handle, holding);
    } else if (holding.own != null) {
      holding.region.exposures.discard(holding);
    }
    return description;
  }

  private void closed(OwnedRegion region) {
    opens.compute(region, (of, count) -> count == 1 ? null : count - 1);
  }

  private void deny(long request, int status, String why) {
    peer.registry.listener.refused(why);
    peer.refuse(request, status, why);
  }

  void remove(Holding holding) {
    if (holding.state != OwnerState.NONE) {
      holding.state = OwnerState.NONE;
      holdings.remove(holding.handle);
      if (holding.expiry != null) {
        holding.expiry.cancel();
      }
      if (!holding.granted()) {
        closed(holding.region);
      }
    }
  }

  /** Handles NOTIFY, READ_DONE, ATOMIC, WRITE_NOTIFY or CLOSE. */
  void frame(int type, int flags, long request, long handle, MemorySegment m, int length) {
    Holding holding = holdings.get(handle);
    OwnerState state = holding == null ? OwnerState.NONE : holding.state;
    try {
      switch (state.of(type)) {
        case EXECUTED -> execute(holding, type, flags, request, m, length);
        case REFUSED -> throw new RdmaException(Reason.CLOSED, "the region was revoked by its owner, or never opened");
        case VIOLATION -> throw new IllegalArgumentException("out of turn (" + state + ")");
        default -> {
        }
      }
    } catch (RdmaException e) {
      peer.refuse(request, status(e.reason()), e.getMessage());
      if (type == RegionFrames.WRITE_NOTIFY) {
        peer.inlineWrites().dealtWith();
      }
    }
  }

  private static int status(Reason reason) {
    return switch (reason) {
      case CLOSED -> RegionFrames.REVOKED;
      case ACCESS_DENIED -> RegionFrames.DENIED;
      case UNSUPPORTED -> RegionFrames.UNSUPPORTED;
      case LIMIT -> RegionFrames.LIMIT;
      default -> RegionFrames.RANGE;
    };
  }

  private void execute(Holding holding, int type, int flags, long request, MemorySegment m, int length) {
    OwnedRegion region = holding.region;
    long first = type == RegionFrames.CLOSE ? 0 : RegionFrames.word(m, 0);
    long second = type == RegionFrames.CLOSE ? 0 : RegionFrames.word(m, 1);
    switch (type) {
      case RegionFrames.NOTIFY, RegionFrames.READ_DONE -> {
        boolean wasRead = type == RegionFrames.READ_DONE;
        check(holding, wasRead ? RegionAccess.READ : RegionAccess.WRITE);
        Range.check("a notification", first, second, region.size(), 1);
        region.checkNotifiable();
        region.notified(new RegionNotification(wasRead ? Kind.READ : Kind.WRITTEN, first, second, RegionFrames.word(m, 2), peer.nodeId()));
        peer.reply(request, RegionFrames.OK, 0, null);
      }
      case RegionFrames.WRITE_NOTIFY -> {
        int size = length - RegionFrames.INLINE_HEAD;
        check(holding, RegionAccess.WRITE);
        Range.check("a notified write", first, size, region.size(), 1);
        region.checkNotifiable();
        MemorySegment.copy(m, RegionFrames.INLINE_HEAD, region.segment(), first, size);
        // First, so that a message sent by the notification handler carries the confirmation.
        peer.inlineWrites().dealtWith();
        region.notified(new RegionNotification(Kind.WRITTEN, first, size, second, peer.nodeId()));
      }
      case RegionFrames.ATOMIC -> {
        if (flags != RegionFrames.ADD && flags != RegionFrames.EXCHANGE) {
          throw new IllegalArgumentException("operation " + flags);
        }
        check(holding, RegionAccess.ATOMIC);
        if (!region.executesAtomics()) {
          throw new RdmaException(Reason.UNSUPPORTED, "its atomics are executed by a device, not by its owner");
        }
        peer.reply(request, RegionFrames.OK, region.execute(flags == RegionFrames.EXCHANGE, first, second, RegionFrames.word(m, 2)), null);
      }
      default -> {
        remove(holding);
        region.exposures.gone(holding, false);
      }
    }
  }

  private static void check(Holding holding, RegionAccess needed) {
    if (!holding.access.contains(needed)) {
      throw new RdmaException(Reason.ACCESS_DENIED, holding.region.label() + " is open without access " + needed);
    }
  }

  // ---- granting

  void grant(OwnedRegion region, Set<RegionAccess> access, Duration lifetime, Promise<RegionGrant> promise) {
    Throwable refusal = peer.refusal();
    if (refusal != null) {
      promise.fail(refusal);
      return;
    }
    if (region.segment().isReadOnly() && !Set.of(RegionAccess.READ).containsAll(access)) {
      promise.fail(new RdmaException(Reason.ACCESS_DENIED, region.label() + " cannot be granted with access " + access
        + ": its memory is read-only"));
      return;
    }
    String fabric = peer.domain().device().fabric();
    if (access.contains(RegionAccess.ATOMIC) && !region.executesAtomics() && !region.grantAuthority().equals(fabric)) {
      promise.fail(new RdmaException(Reason.UNSUPPORTED, region.label() + " cannot be granted with access ATOMIC over " + fabric
        + ": its atomics are executed by the device of " + region.grantAuthority()));
      return;
    }
    expose(region, access).onSuccess(own -> offer(holding(region, access, own, OwnerState.OFFERED), lifetime, promise))
      .onFailure(promise::fail);
  }

  /** Registers a region for one holder. @return completes on the loop; retains the memory until the key is discarded */
  private Future<Exposure> expose(OwnedRegion region, Set<RegionAccess> access) {
    if (!region.memory.retain()) {
      return Future.failedFuture(new RdmaException(Reason.CLOSED, region.label() + " is closed"));
    }
    boolean atomics = Strategies.byFabric(peer.domain(), region.grantAuthority());
    return peer.host().blocking(() -> new Exposure(peer.domain(), peer.registry.registrations
      .register(peer.domain(), region.segment(), Registrations.access(access, atomics)))).onFailure(e -> region.memory.release());
  }

  private void offer(Holding holding, Duration lifetime, Promise<RegionGrant> promise) {
    OwnedRegion region = holding.region;
    RegionDescription description = admit(holding);
    if (description == null) {
      promise.fail(peer.over() != null ? peer.over() : new RdmaException(Reason.REVOKED, region.label() + " was revoked by this side"));
      return;
    }
    peer.request(RegionFrames.GRANT, 0, description.encode(), peer.timeoutMillis(), new Offer(holding, lifetime, promise));
  }

  /** A pending GRANT. */
  private final class Offer extends Pending {
    private final Holding holding;
    private final Duration lifetime;
    private final Promise<RegionGrant> promise;

    Offer(Holding holding, Duration lifetime, Promise<RegionGrant> promise) {
      this.holding = holding;
      this.lifetime = lifetime;
      this.promise = promise;
    }

    @Override
    void replied(int status, long value, MemorySegment memory, int length) {
      if (status != RegionFrames.OK) {
        remove(holding);
        holding.region.exposures.gone(holding, false);
        promise.fail(RegionPeer.refusal(status, memory, length));
        return;
      }
      if (holding.state == OwnerState.OFFERED) {
        holding.state = OwnerState.OPEN;
      }
      if (lifetime != null && holding.state != OwnerState.NONE) {
        holding.expiry = peer.host().schedule(this::expire, TimeUnit.MILLISECONDS.convert(lifetime), TimeUnit.MILLISECONDS);
      }
      promise.complete(holding);
    }

    private void expire() {
      holding.revoke(EXPIRY_MILLIS).onFailure(e -> LOG.warn("a grant that is over could not be taken back", e));
    }

    @Override
    void lost(Throwable cause) {
      if (cause == null) {
        expire();
      }
      promise.fail(cause != null ? cause : new RdmaException(Reason.TIMEOUT, "granting " + holding.region.label() + " to "
        + peer.link.name() + " was not answered in time; it is taken back"));
    }
  }

  /** Called when the link has closed: the holders are gone but know their keys. */
  void closed() {
    List<Holding> all = List.copyOf(holdings.values());
    all.forEach(this::remove);
    peer.afterDestroyed(() -> all.forEach(holding -> holding.region.exposures.gone(holding, true)));
  }
}
