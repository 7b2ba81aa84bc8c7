package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RegionHolder;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;

/** The owner's record of one peer that opened or was granted a region. */
final class RegionHold implements RegionGrant {
  final OwnerSide side;
  final OwnedRegion region;
  final long handle;
  final Set<RegionAccess> access;
  final Exposure own;
  private final boolean granted;
  /** Result of the first revocation; null before. Guarded by the region's {@link Exposures}. */
  Future<Void> revoking;
  /** Completes when {@link #own} is deregistered; null until the holder is removed. */
  Future<Void> deregistered;
  OwnerState state;
  Deadline expiry;

  RegionHold(OwnerSide side, OwnedRegion region, long handle, Set<RegionAccess> access, Exposure own, OwnerState state) {
    this.side = side;
    this.region = region;
    this.handle = handle;
    this.access = Set.copyOf(access);
    this.own = own;
    this.state = state;
    this.granted = state == OwnerState.OFFERED;
  }

  boolean granted() {
    return granted;
  }

  @Override
  public RegionHolder holder() {
    RegionPeer peer = side.peer;
    return new RegionHolder(peer.nodeId(), peer.link.endpoint().remoteAddress().toString(), peer.domain().device().name(), access, granted);
  }

  @Override
  public Future<Void> revoke(Duration timeout) {
    return region.onCallerContext(revoke(OwnedRegion.millis(timeout)));
  }

  /** Revokes the holder's access. Completes on any thread when access has ended. */
  Future<Void> revoke(long timeoutMillis) {
    return region.exposures.revoke(this, timeoutMillis).compose(v -> region.reclaim());
  }

  /** Asks the holder to give up its key. Closes its connection on timeout. Thread-safe. The future never fails. */
  Future<Void> requestRevoke(long timeoutMillis) {
    return request(RegionFrames.REVOKE, null, "close", timeoutMillis).future();
  }

  /** Sends the holder a new key. Completes when the old key is unused. Closes the connection on timeout. */
  Future<Void> rekey(int generation, RegionToken token, long timeoutMillis) {
    return request(RegionFrames.REKEY, RegionFrames.rekey(generation, token.encode()), "change the key of", timeoutMillis).future();
  }

  private Promise<Void> request(int frame, byte[] payload, String what, long timeoutMillis) {
    Promise<Void> done = Promise.promise();
    if (!side.peer.execute(() -> send(frame, payload, what, timeoutMillis, done))) {
      // The link's loop has terminated, so the holder has no access.
      done.complete();
    }
    return done;
  }

  private void send(int frame, byte[] payload, String what, long timeoutMillis, Promise<Void> done) {
    if (side.peer.link.closeCause() != null) {
      side.peer.afterDestroyed(done::complete);
    } else if (state == OwnerState.NONE) {
      done.complete();
    } else {
      state = frame == RegionFrames.REVOKE || state == OwnerState.REVOKING ? OwnerState.REVOKING : OwnerState.REKEYING;
      side.peer.request(frame, handle, payload, timeoutMillis, new Pending() {
        @Override
        void replied(int status, long value, MemorySegment memory, int length) {
          if (frame == RegionFrames.REVOKE) {
            side.remove(RegionHold.this);
          } else if (state == OwnerState.REKEYING) {
            state = OwnerState.OPEN;
          }
          done.complete();
        }

        @Override
        protected void failed(Throwable cause) {
          if (cause == null) {
            side.peer.link.fail(new RdmaException(Reason.TIMEOUT, side.peer.link.name() + ": the peer did not " + what + ' '
              + region.label() + " within " + timeoutMillis + " ms; the connection was closed, since the peer may still use the memory"));
          }
          side.peer.afterDestroyed(done::complete);
        }
      });
    }
  }
}
