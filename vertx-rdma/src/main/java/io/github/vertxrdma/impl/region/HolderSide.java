package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.netty.util.collection.LongObjectHashMap;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Regions that the link's peer owns and this side uses. */
final class HolderSide {
  /** Time in ms in which a late reply to a timed-out open is recognized, to close the handle. */
  private static final long LATE_MILLIS = 600_000;
  private static final int EARLY_GRANTS = 64;

  private final RegionPeer peer;
  private final LongObjectHashMap<RegionLease> leases = new LongObjectHashMap<>();
  private final ArrayDeque<RemoteRegionImpl> waiting = new ArrayDeque<>(1);
  private int granted;
  private final AtomicInteger undelivered = new AtomicInteger();
  private Caller caller;
  private Handler<RemoteRegion> handler;

  HolderSide(RegionPeer peer) {
    this.peer = peer;
  }

  void open(Caller opener, long regionId, RegionToken directoryToken, int generation, Promise<RemoteRegion> promise) {
    Throwable refusal = peer.refusal();
    if (refusal != null) {
      promise.fail(refusal);
      return;
    }
    byte[] known = RegionFrames.known(directoryToken == null ? 0 : generation, directoryToken == null ? 0 : directoryToken.checksum());
    peer.request(RegionFrames.OPEN, regionId, known, peer.timeoutMillis, new Pending() {
      @Override
      void replied(int status, long value, MemorySegment memory, int length) {
        if (status != RegionFrames.OK) {
          promise.tryFail(RegionPeer.refusal(status, memory, length));
          return;
        }
        RegionDescription description = null;
        try {
          description = RegionDescription.decode(RegionFrames.bytes(memory, 0, length));
          if (promise.future().isComplete()) {
            closeUnused(description.handle());
          } else {
            promise.complete(new RemoteRegionImpl(lease(description, false, directoryToken), opener));
          }
        } catch (RuntimeException e) {
          if (description != null) {
            closeUnused(description.handle());
          }
          promise.tryFail(e);
          throw e;
        }
      }

      @Override
      void timedOut() {
        if (promise.tryFail(new RdmaException(Reason.TIMEOUT, "cannot open the region: its owner, node " + peer.nodeName()
          + ", did not answer within " + timeoutMillis() + " ms"))) {
          // A late reply has a handle, which this side then closes.
          extend(LATE_MILLIS);
        } else {
          super.timedOut();
        }
      }

      @Override
      protected void failed(Throwable cause) {
        promise.tryFail(cause);
      }
    });
  }

  private RegionLease lease(RegionDescription description, boolean isZeroCopy, RegionToken directoryToken) {
    RegionToken token = description.token() != null ? description.token() : directoryToken;
    if (token == null || state(description.handle()).of(RegionFrames.GRANT) == Effect.VIOLATION) {
      throw new IllegalArgumentException("the description of the region has no key, or its handle is already in use");
    }
    RegionLease lease = new RegionLease(peer, description, isZeroCopy, map(token, description.size()));
    leases.put(description.handle(), lease);
    return lease;
  }

  private RemoteMemory map(RegionToken token, long size) {
    if (token.length() < size) {
      throw new IllegalArgumentException("the key covers " + token.length() + " bytes, but the region has " + size);
    }
    try {
      return peer.domain().remoteMemory(token.address(), token.length(), token.key());
    } catch (ProviderException e) {
      throw new RdmaException(Reason.PROTOCOL, "the region's key from node " + peer.nodeName()
        + " is invalid on this fabric: " + e.getMessage(), e);
    }
  }

  void closeAtOwner(long handle) {
    forget(handle);
    if (peer.link.closeCause() == null) {
      peer.link.sendFrame(RegionFrames.CLOSE, 0, 0, handle, null);
    }
  }

  private void closeUnused(long handle) {
    if (!leases.containsKey(handle)) {
      closeAtOwner(handle);
    }
  }

  private void forget(long handle) {
    RegionLease lease = leases.remove(handle);
    if (lease != null && lease.granted) {
      granted--;
    }
  }

  private HolderState state(long handle) {
    RegionLease lease = leases.get(handle);
    return lease == null ? HolderState.NONE : lease.state();
  }

  void granted(long request, RegionDescription description) {
    if (handler == null && waiting.size() == EARLY_GRANTS) {
      peer.refuse(request, Reason.REJECTED, "the peer's connection has no grantHandler");
      return;
    }
    if (granted == RegionPeer.MAX_HANDLES) {
      peer.refuse(request, Reason.LIMIT,
        RegionPeer.MAX_HANDLES + " regions are granted over this connection, the maximum. Revoke unused ones");
      return;
    }
    if (undelivered.get() >= RegionPeer.MAX_HANDLES) {
      peer.refuse(request, Reason.LIMIT,
        RegionPeer.MAX_HANDLES + " granted regions wait for the grantHandler of this connection, the maximum. Wait before granting "
          + "another one");
      return;
    }
    RegionLease lease;
    try {
      lease = lease(description, true, null);
    } catch (RdmaException e) {
      peer.refuse(request, Reason.REJECTED, e.getMessage());
      return;
    }
    granted++;
    peer.reply(request, RegionFrames.OK, 0, null);
    if (handler == null) {
      waiting.add(new RemoteRegionImpl(lease, null));
    } else {
      deliver(new RemoteRegionImpl(lease, caller));
    }
  }

  void revoked(long request, long handle) {
    if (isExecuted(RegionFrames.REVOKE, request, handle)) {
      RegionLease lease = leases.get(handle);
      lease.revoked(new RdmaException(Reason.REVOKED, "it was revoked by its owner"), () -> {
        forget(handle);
        peer.reply(request, RegionFrames.OK, 0, null);
      });
    }
  }

  void rekeyed(long request, long handle, RegionToken token) {
    if (isExecuted(RegionFrames.REKEY, request, handle)) {
      RegionLease lease = leases.get(handle);
      lease.rekeyed(map(token, lease.description.size()), () -> peer.reply(request, RegionFrames.OK, 0, null));
    }
  }

  private boolean isExecuted(int type, long request, long handle) {
    HolderState state = state(handle);
    switch (state.of(type)) {
      case EXECUTED -> {
        return true;
      }
      case VIOLATION -> throw new IllegalArgumentException("it is not allowed in state " + state);
      default -> {
        Runnable answer = () -> peer.reply(request, RegionFrames.OK, 0, null);
        if (state == HolderState.NONE) {
          answer.run();
        } else {
          leases.get(handle).whenDrained(answer);
        }
        return false;
      }
    }
  }

  void grantHandler(Caller where, Handler<RemoteRegion> value) {
    caller = where;
    handler = value == null ? null : region -> {
      undelivered.decrementAndGet();
      value.handle(region);
    };
    RemoteRegionImpl region;
    while (handler != null && (region = waiting.poll()) != null) {
      region.caller(where);
      deliver(region);
    }
  }

  private void deliver(RemoteRegion region) {
    undelivered.incrementAndGet();
    caller.emit(region, handler);
  }

  void closed(Throwable cause) {
    List<RegionLease> all = List.copyOf(leases.values());
    leases.clear();
    for (RegionLease lease : all) {
      if (lease.state() != HolderState.REVOKED) {
        lease.revoked(cause, () -> {});
      }
    }
  }
}
