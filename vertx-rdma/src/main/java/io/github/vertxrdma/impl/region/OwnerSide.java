package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionNotification.Kind;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.github.vertxrdma.provider.Device;
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

/** Regions that this side owns and the link's peer uses. */
final class OwnerSide {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerSide.class);
  private static final long EXPIRY_MILLIS = 10_000;

  final RegionPeer peer;
  private final LongObjectHashMap<RegionHold> holds = new LongObjectHashMap<>();
  private final Map<OwnedRegion, Integer> opens = new HashMap<>();

  OwnerSide(RegionPeer peer) {
    this.peer = peer;
  }

  void open(long request, long regionId, int generation, int checksum) {
    OwnedRegion region = peer.registry.find(regionId);
    if (region == null || region.name().isEmpty()) {
      peer.refuse(request, Reason.NOT_FOUND, "cannot open region " + Long.toHexString(regionId)
        + ": its owner closed or revoked it. Retry when its owner has created it again");
      return;
    }
    if (opens.getOrDefault(region, 0) >= RegionPeer.MAX_HANDLES) {
      deny(request, Reason.LIMIT, region.label() + " is open " + RegionPeer.MAX_HANDLES + " times over this connection, the "
        + "maximum. Share one RemoteRegion, or close unused ones");
      return;
    }
    Set<RegionAccess> access = peer.registry.listener.authorization().allowed(peer.nodeId(), region.name(), region.access());
    if (access.isEmpty() && !region.access().isEmpty()) {
      deny(request, Reason.ACCESS_DENIED, peer.registry.listener.authorization().refuseOpen(peer.nodeId(), region.name(), region.access()));
      return;
    }
    opens.merge(region, 1, Integer::sum);
    if (access.size() == region.access().size()) {
      opened(request, newHold(region, access, null, OwnerState.OPEN), generation, checksum);
      return;
    }
    // The region's key permits more access than this holder gets, so the holder gets a separate key.
    expose(region, access).onSuccess(own -> opened(request, newHold(region, access, own, OwnerState.OPEN), 0, 0)).onFailure(e -> {
      closed(region);
      peer.refuse(request, Reason.REJECTED, region.label() + " could not be registered for " + access + ": " + e.getMessage());
    });
  }

  private RegionHold newHold(OwnedRegion region, Set<RegionAccess> access, Exposure own, OwnerState state) {
    return new RegionHold(this, region, peer.host().random().nextLong(), access, own, state);
  }

  private void opened(long request, RegionHold hold, int generation, int checksum) {
    RegionDescription description = admit(hold);
    if (description == null) {
      closed(hold.region);
      peer.refuse(request, Reason.NOT_FOUND, hold.region.label() + " was revoked, or its owner does not share it over "
        + peer.domain().device().name() + ". Open it again, or over another fabric");
      return;
    }
    boolean known = description.generation() == generation && description.token().checksum() == checksum;
    peer.reply(request, RegionFrames.OK, 0, (known ? description.withoutToken() : description).encode());
  }

  /** Adds a hold. @return null if the link has closed or the region is unavailable; a separate key is then discarded */
  private RegionDescription admit(RegionHold hold) {
    RegionDescription description = peer.link.closeCause() != null ? null : hold.region.exposures.admit(hold);
    if (description != null) {
      holds.put(hold.handle, hold);
    } else if (hold.own != null) {
      hold.region.exposures.discard(hold);
    }
    return description;
  }

  private void closed(OwnedRegion region) {
    opens.compute(region, (of, count) -> count == 1 ? null : count - 1);
  }

  private void deny(long request, Reason reason, String why) {
    peer.registry.listener.refused(reason, why);
    peer.refuse(request, reason, why);
  }

  void remove(RegionHold hold) {
    if (hold.state != OwnerState.NONE) {
      hold.state = OwnerState.NONE;
      holds.remove(hold.handle);
      if (hold.expiry != null) {
        hold.expiry.cancel();
      }
      if (!hold.granted()) {
        closed(hold.region);
      }
    }
  }

  void frame(int type, int flags, long request, long handle, MemorySegment m, int length) {
    RegionHold hold = holds.get(handle);
    OwnerState state = hold == null ? OwnerState.NONE : hold.state;
    try {
      switch (state.of(type)) {
        case EXECUTED -> execute(hold, type, flags, request, m, length);
        case REFUSED -> throw new RdmaException(Reason.CLOSED, "the region was revoked by its owner, or never opened. Open it again");
        case VIOLATION -> throw new IllegalArgumentException("it is not allowed in state " + state);
        default -> {
        }
      }
    } catch (RdmaException e) {
      peer.refuse(request, e.reason() == Reason.CLOSED ? Reason.REVOKED : e.reason(), e.getMessage());
      if (type == RegionFrames.WRITE_NOTIFY) {
        peer.countInlineHandled();
      }
    }
  }

  private void execute(RegionHold hold, int type, int flags, long request, MemorySegment m, int length) {
    OwnedRegion region = hold.region;
    long first = type == RegionFrames.CLOSE ? 0 : RegionFrames.word(m, 0);
    long second = type == RegionFrames.CLOSE ? 0 : RegionFrames.word(m, 1);
    switch (type) {
      case RegionFrames.NOTIFY, RegionFrames.READ_DONE -> {
        boolean wasRead = type == RegionFrames.READ_DONE;
        check(hold, wasRead ? RegionAccess.READ : RegionAccess.WRITE);
        Range.check("a notification", first, second, region.size(), 1);
        region.checkNotifiable();
        region.notified(
          new RegionNotification(region, wasRead ? Kind.READ : Kind.WRITTEN, first, second, RegionFrames.word(m, 2), peer.nodeId()));
        peer.reply(request, RegionFrames.OK, 0, null);
      }
      case RegionFrames.WRITE_NOTIFY -> {
        int size = length - RegionFrames.INLINE_HEAD;
        check(hold, RegionAccess.WRITE);
        Range.check("a notified write", first, size, region.size(), 1);
        region.checkNotifiable();
        region.put(m, RegionFrames.INLINE_HEAD, first, size);
        // Counted first, so that a write by the notification handler confirms this write.
        peer.countInlineHandled();
        region.notified(new RegionNotification(region, Kind.WRITTEN, first, size, second, peer.nodeId()));
      }
      case RegionFrames.ATOMIC -> {
        if (flags != RegionFrames.ADD && flags != RegionFrames.EXCHANGE) {
          throw new IllegalArgumentException("it requests the unknown operation " + flags);
        }
        check(hold, RegionAccess.ATOMIC);
        if (!region.executesAtomics()) {
          throw new RdmaException(Reason.UNSUPPORTED, "its atomics are executed by a device, not by its owner");
        }
        peer.reply(request, RegionFrames.OK, region.execute(flags == RegionFrames.EXCHANGE, first, second, RegionFrames.word(m, 2)), null);
      }
      default -> {
        remove(hold);
        region.exposures.holderEnded(hold, false);
      }
    }
  }

  private static void check(RegionHold hold, RegionAccess needed) {
    if (!hold.access.contains(needed)) {
      throw new RdmaException(Reason.ACCESS_DENIED, hold.region.label() + " was opened without the right " + needed);
    }
  }

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
    Device device = peer.domain().device();
    if (access.contains(RegionAccess.ATOMIC) && !region.executesAtomics() && region.exposures.onDevice(device) == null) {
      promise.fail(new RdmaException(Reason.UNSUPPORTED, region.label() + " cannot be granted with access ATOMIC over " + device.name()
        + ": its atomics are executed by another device. Grant it over that one, or share it with setOwnerAtomics(true)"));
      return;
    }
    expose(region, access).onSuccess(own -> offer(newHold(region, access, own, OwnerState.OFFERED), lifetime, promise))
      .onFailure(promise::fail);
  }

  private Future<Exposure> expose(OwnedRegion region, Set<RegionAccess> access) {
    if (!region.memory.retain()) {
      return Future.failedFuture(new RdmaException(Reason.CLOSED, region.label() + " is closed"));
    }
    return peer.host().blocking(() -> peer.registry.registrations
      .expose(peer.domain(), region.segment(), access, region.grantAuthority())).onFailure(e -> region.memory.release());
  }

  private void offer(RegionHold hold, Duration lifetime, Promise<RegionGrant> promise) {
    OwnedRegion region = hold.region;
    RegionDescription description = admit(hold);
    if (description == null) {
      Throwable cause = peer.link.closeCause();
      promise.fail(cause != null ? cause : new RdmaException(Reason.REVOKED, region.label() + " was revoked by this side"));
      return;
    }
    peer.request(RegionFrames.GRANT, 0, description.encode(), peer.timeoutMillis, new Pending() {
      @Override
      void replied(int status, long value, MemorySegment memory, int length) {
        if (status != RegionFrames.OK) {
          remove(hold);
          region.exposures.holderEnded(hold, false);
          promise.fail(RegionPeer.refusal(status, memory, length));
          return;
        }
        if (hold.state == OwnerState.OFFERED) {
          hold.state = OwnerState.OPEN;
        }
        if (lifetime != null && hold.state != OwnerState.NONE) {
          hold.expiry = peer.host().schedule(() -> expire(hold), TimeUnit.MILLISECONDS.convert(lifetime), TimeUnit.MILLISECONDS);
        }
        promise.complete(hold);
      }

      @Override
      protected void failed(Throwable cause) {
        if (cause == null) {
          expire(hold);
        }
        promise.fail(cause != null ? cause : new RdmaException(Reason.TIMEOUT, region.label() + " was not granted: node "
          + peer.nodeName() + " did not answer in time; the grant is revoked"));
      }
    });
  }

  private static void expire(RegionHold hold) {
    hold.revoke(EXPIRY_MILLIS).onFailure(e -> LOG.warn("a grant whose time has ended could not be revoked", e));
  }

  void closed() {
    List<RegionHold> all = List.copyOf(holds.values());
    all.forEach(this::remove);
    peer.afterDestroyed(() -> all.forEach(hold -> hold.region.exposures.holderEnded(hold, true)));
  }
}
