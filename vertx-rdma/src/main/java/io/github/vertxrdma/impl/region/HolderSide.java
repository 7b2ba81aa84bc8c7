package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.netty.util.collection.LongObjectHashMap;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;

/** Regions of the peer of a link that this side uses. Confined to the link's loop. */
final class HolderSide {
  /** How long a late answer to an open is waited for, to give the region back. */
  private static final long LATE_MILLIS = 600_000;
  private static final int EARLY_GRANTS = 64;

  private final RegionPeer peer;
  private final LongObjectHashMap<Lease> leases = new LongObjectHashMap<>();
  private final ArrayDeque<RemoteRegionImpl> early = new ArrayDeque<>();
  private ContextInternal context;
  private Handler<RemoteRegion> handler;

  HolderSide(RegionPeer peer) {
    this.peer = peer;
  }

  // ---- opening

  void open(ContextInternal caller, long regionId, RegionToken known, int generation, Promise<RemoteRegion> promise) {
    if (peer.over() != null) {
      promise.fail(peer.over());
      return;
    }
    Opening opening = new Opening(caller, known, promise);
    peer.pending.add(opening, peer.timeoutMillis());
    peer.link.sendFrame(RegionFrames.OPEN, 0, opening.id, regionId,
      RegionFrames.known(known == null ? 0 : generation, known == null ? 0 : known.checksum()));
  }

  /** An open on its way. */
  private final class Opening extends Pending {
    private final ContextInternal caller;
    private final RegionToken known;
    private Promise<RemoteRegion> promise;

    Opening(ContextInternal caller, RegionToken known, Promise<RemoteRegion> promise) {
      this.caller = caller;
      this.known = known;
      this.promise = promise;
    }

    @Override
    void replied(int status, long value, MemorySegment memory, long at, int length) {
      if (status != RegionFrames.OK) {
        if (promise != null) {
          promise.fail(RegionPeer.refusal(status, memory, at, length));
        }
        return;
      }
      RegionDescription description = null;
      try {
        description = RegionDescription.decode(RegionFrames.bytes(memory, at, length));
        if (promise == null) {
          giveBack(description.handle());
        } else {
          promise.complete(lease(caller, description, known));
        }
      } catch (RuntimeException e) {
        if (description != null) {
          giveBack(description.handle());
        }
        if (promise != null) {
          promise.fail(e);
        }
        throw e;
      }
    }

    @Override
    void lost(Throwable cause) {
      if (promise != null) {
        promise.fail(cause != null ? cause : new RdmaException(Reason.TIMEOUT, peer.link.name() + " did not answer to an open in "
          + peer.timeoutMillis() + " ms"));
      }
      if (cause == null) {
        promise = null;
        peer.pending.keep(this, LATE_MILLIS);
      }
    }
  }

  private RemoteRegionImpl lease(ContextInternal owner, RegionDescription description, RegionToken known) {
    RegionToken token = description.token() != null ? description.token() : known;
    if (token == null || leases.containsKey(description.handle())) {
      throw new IllegalArgumentException("a region without key, or one twice");
    }
    Lease lease = new Lease(peer, description, map(token, description.size()));
    leases.put(description.handle(), lease);
    return new RemoteRegionImpl(lease, owner);
  }

  private RemoteMemory map(RegionToken token, long size) {
    if (token.length() < size) {
      throw new IllegalArgumentException("a key for " + token.length() + " of " + size + " bytes");
    }
    try {
      return peer.domain().remoteMemory(token.address(), token.length(), token.key());
    } catch (ProviderException e) {
      throw new RdmaException(Reason.PROTOCOL, peer.link.name() + ": the region's key is none of this fabric: " + e.getMessage(), e);
    }
  }

  /** The holder is done with it. */
  void giveBack(long handle) {
    leases.remove(handle);
    if (peer.over() == null) {
      peer.link.sendFrame(RegionFrames.CLOSE, 0, 0, handle, null);
    }
  }

  // ---- what the owner says

  void frame(int type, long request, long handle, MemorySegment m, long at, int length) {
    if (type == RegionFrames.GRANT) {
      granted(request, RegionDescription.decode(RegionFrames.bytes(m, at, length)));
      return;
    }
    Lease lease = leases.get(handle);
    if (lease == null) {
      // Given back a moment ago: nothing of it is under way.
      peer.reply(request, RegionFrames.OK, 0, null);
    } else if (type == RegionFrames.REVOKE) {
      lease.revoked(new RdmaException(Reason.REVOKED, lease.label() + " was revoked by its owner"), () -> {
        leases.remove(handle);
        peer.reply(request, RegionFrames.OK, 0, null);
      });
    } else {
      RegionToken token = RegionToken.decode(RegionFrames.bytes(m, at + 4, length - 4));
      RemoteMemory fresh = map(token, lease.description.size());
      lease.rekeyed(fresh, () -> peer.reply(request, RegionFrames.OK, 0, null));
    }
  }

  private void granted(long request, RegionDescription description) {
    if (handler == null && early.size() == EARLY_GRANTS) {
      peer.refuse(request, RegionFrames.REFUSED, "nobody takes lent regions there: the connection has no grantHandler");
      return;
    }
    RemoteRegionImpl region;
    try {
      region = lease(context, description, null);
    } catch (RdmaException e) {
      peer.refuse(request, RegionFrames.REFUSED, e.getMessage());
      return;
    }
    peer.reply(request, RegionFrames.OK, 0, null);
    if (handler == null) {
      early.add(region);
    } else {
      context.emit(region, handler);
    }
  }

  void grantHandler(ContextInternal where, Handler<RemoteRegion> value) {
    context = where;
    handler = value;
    RemoteRegionImpl region;
    while (handler != null && (region = early.poll()) != null) {
      region.context(context);
      context.emit(region, handler);
    }
  }

  /** The link is over. */
  void closed(Throwable cause) {
    ArrayList<Lease> all = new ArrayList<>(leases.values());
    leases.clear();
    all.forEach(lease -> lease.revoked(cause, () -> {
    }));
  }
}
