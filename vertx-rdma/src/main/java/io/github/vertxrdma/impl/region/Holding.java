package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RegionHolder;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;

/** The owner's record of one open or grant. State confined to the link's loop. */
final class Holding implements RegionGrant {
  final OwnerSide side;
  final OwnedRegion region;
  final long handle;
  final Set<RegionAccess> access;
  /** Registration of its own, or null if it uses the region's. */
  final Exposure own;
  private final boolean granted;
  /** Set by the first revocation. Guarded by the region's exposures. */
  Future<Void> revoking;
  /** Completes when its own key is deregistered; null while it is a holder. Used on the link's loop. */
  Future<Void> left;
  OwnerState state;
  /** Revokes a grant at the end of its lifetime; may be null. Used on the link's loop. */
  Deadline expiry;

  /** @param state {@code OFFERED} for a grant */
  Holding(OwnerSide side, OwnedRegion region, long handle, Set<RegionAccess> access, Exposure own, OwnerState state) {
    this.side = side;
    this.region = region;
    this.handle = handle;
    this.access = Set.copyOf(access);
    this.own = own;
    this.state = state;
    this.granted = state == OwnerState.OFFERED;
  }

  /** Any thread. */
  boolean granted() {
    return granted;
  }

  @Override
  public RegionHolder holder() {
    RegionPeer peer = side.peer;
    return new RegionHolder(peer.nodeId(), peer.address(), peer.domain().device().name(), access, granted);
  }

  @Override
  public Future<Void> revoke(Duration timeout) {
    Promise<Void> promise = region.caller.promise();
    revoke(OwnedRegion.millis(timeout)).onComplete(promise);
    return promise.future();
  }

  /** Completes without a context when the holder cannot access the memory any more. */
  Future<Void> revoke(long timeoutMillis) {
    return region.exposures.revoke(this, timeoutMillis).compose(v -> region.reclaim());
  }

  // ---- requests to the holder

  /** Asks the holder to close. Closes its connection on timeout. Any thread. @return never fails */
  Future<Void> takeBack(long timeoutMillis) {
    Promise<Void> done = Promise.promise();
    onLoop(() -> demand(RegionFrames.REVOKE, null, OwnerState.REVOKING, "give it back", timeoutMillis, done), done);
    return done.future();
  }

  /** Replaces the holder's key and waits until the old one is unused, like {@link #takeBack}. */
  Future<Void> rekey(int generation, RegionToken token, long timeoutMillis) {
    Promise<Void> done = Promise.promise();
    onLoop(() -> demand(RegionFrames.REKEY, RegionFrames.rekey(generation, token.encode()),
      state == OwnerState.REVOKING ? state : OwnerState.REKEYING, "change its key", timeoutMillis, done), done);
    return done.future();
  }

  /** @param done completed at once if the loop, and with it all access of the holder, ended with its Vert.x */
  private void onLoop(Runnable task, Promise<Void> done) {
    if (!side.peer.execute(task)) {
      done.complete();
    }
  }

  private void demand(int frame, byte[] payload, OwnerState next, String what, long timeoutMillis, Promise<Void> done) {
    if (side.peer.over() != null) {
      side.peer.afterDestroyed(done::complete);
    } else if (state == OwnerState.NONE) {
      done.complete();
    } else {
      state = next;
      side.peer.request(frame, handle, payload, timeoutMillis, new Demand(frame, what, done));
    }
  }

  /** A pending REVOKE or REKEY. */
  private final class Demand extends Pending {
    private final int frame;
    private final String what;
    private final Promise<Void> done;

    Demand(int frame, String what, Promise<Void> done) {
      this.frame = frame;
      this.what = what;
      this.done = done;
    }

    @Override
    void replied(int status, long value, MemorySegment memory, int length) {
      if (frame == RegionFrames.REVOKE) {
        side.remove(Holding.this);
      } else if (state == OwnerState.REKEYING) {
        state = OwnerState.OPEN;
      }
      done.complete();
    }

    @Override
    void lost(Throwable cause) {
      if (cause == null) {
        side.peer.link.fail(new RdmaException(Reason.TIMEOUT, side.peer.link.name() + ": the peer did not " + what + " in " + timeoutMillis
          + " ms when asked for " + region.label() + "; the connection was closed, since it may still use the memory"));
      }
      side.peer.afterDestroyed(done::complete);
    }
  }
}
