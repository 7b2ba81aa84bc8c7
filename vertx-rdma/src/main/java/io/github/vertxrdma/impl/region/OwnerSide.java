package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.Notification;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RegionHolder;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.netty.util.collection.LongObjectHashMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** This side's regions that the peer of a link uses. Confined to the link's loop. */
final class OwnerSide {
  private static final long EXPIRY_MILLIS = 10_000;
  /** Times that one peer may have one region open over one link: each costs the owner a record. */
  private static final int MOST_OPENS = 1024;

  private final RegionPeer peer;
  private final LongObjectHashMap<Holder> holders = new LongObjectHashMap<>();

  OwnerSide(RegionPeer peer) {
    this.peer = peer;
  }

  void frame(int type, int flags, long a, long b, MemorySegment m, long at, int length) {
    switch (type) {
      case RegionFrames.OPEN -> {
        check(length, 8);
        open(a, b, RegionFrames.half(m, at, 0), RegionFrames.half(m, at, 1));
      }
      case RegionFrames.NOTIFY, RegionFrames.READ_DONE -> {
        check(length, 24);
        notified(type == RegionFrames.READ_DONE, a, b, RegionFrames.word(m, at, 0), RegionFrames.word(m, at, 1),
          RegionFrames.word(m, at, 2));
      }
      case RegionFrames.WRITE_NOTIFY -> {
        if (length < RegionFrames.INLINE_HEAD) {
          throw new IllegalArgumentException(length + " bytes of payload where at least " + RegionFrames.INLINE_HEAD + " are due");
        }
        carried(a, b, RegionFrames.word(m, at, 0), RegionFrames.word(m, at, 1), m, at + RegionFrames.INLINE_HEAD,
          length - RegionFrames.INLINE_HEAD);
      }
      case RegionFrames.ATOMIC -> {
        check(length, 24);
        if (flags != RegionFrames.ADD && flags != RegionFrames.EXCHANGE) {
          throw new IllegalArgumentException("operation " + flags);
        }
        atomic(flags, a, b, RegionFrames.word(m, at, 0), RegionFrames.word(m, at, 1), RegionFrames.word(m, at, 2));
      }
      case RegionFrames.FLUSH -> peer.reply(a, RegionFrames.OK, 0, null);
      default -> {
        Holder holder = holders.remove(b);
        if (holder != null) {
          holder.region.exposures.gone(holder, false);
        }
      }
    }
  }

  private static void check(int length, int expected) {
    if (length != expected) {
      throw new IllegalArgumentException(length + " bytes of payload where " + expected + " are due");
    }
  }

  private void open(long request, long regionId, int generation, int checksum) {
    OwnedRegion region = peer.registry.find(regionId);
    if (region == null || region.name().isEmpty()) {
      peer.refuse(request, RegionFrames.NOT_FOUND, "there is no such region, or it was revoked");
      return;
    }
    if (opens(region) >= MOST_OPENS) {
      peer.refuse(request, RegionFrames.LIMIT, region.label() + " is open " + MOST_OPENS + " times over this connection, which is the most:"
        + " share one RemoteRegion, or close those that are not used");
      return;
    }
    Holder holder = new Holder(peer, region, peer.registry.random(), region.access(), null);
    RegionDescription description = region.exposures.admit(holder);
    if (description == null) {
      peer.refuse(request, RegionFrames.NOT_FOUND, region.label() + " is not exposed on " + peer.domain().device().name()
        + " of its owner, or was revoked");
      return;
    }
    holders.put(holder.handle, holder);
    boolean known = description.generation() == generation && description.token().checksum() == checksum;
    peer.reply(request, RegionFrames.OK, 0, (known ? description.withoutToken() : description).encode());
  }

  private int opens(OwnedRegion region) {
    int count = 0;
    if (holders.size() >= MOST_OPENS) {
      for (Holder holder : holders.values()) {
        count += holder.region == region ? 1 : 0;
      }
    }
    return count;
  }

  private void notified(boolean wasRead, long request, long handle, long offset, long length, long tag) {
    Holder holder = holders.get(handle);
    RegionAccess needed = wasRead ? RegionAccess.READ : RegionAccess.WRITE;
    if (mayDo(request, holder, needed) && isInside(request, holder, "notification", offset, length)) {
      holder.region.notified(wasRead, new Notification(offset, length, tag, peer.nodeId()));
      peer.reply(request, RegionFrames.OK, 0, null);
    }
  }

  /** Executes a notified write. Only whoever holds the region gets here, and its memory outlives the holders. */
  private void carried(long request, long handle, long offset, long tag, MemorySegment m, long at, int length) {
    Holder holder = holders.get(handle);
    boolean done = mayDo(request, holder, RegionAccess.WRITE) && isInside(request, holder, "notified write", offset, length);
    // Before its application is told: what that sends back at once takes the answer along.
    peer.carries.dealtWith();
    if (done) {
      MemorySegment.copy(m, at, holder.region.segment(), offset, length);
      holder.region.notified(false, new Notification(offset, length, tag, peer.nodeId()));
    }
  }

  private boolean isInside(long request, Holder holder, String what, long offset, long length) {
    long size = holder.region.size();
    if (offset < 0 || length < 0 || offset > size - length) {
      peer.refuse(request, RegionFrames.RANGE, "a " + what + " of " + length + " bytes at " + offset + " of " + size);
      return false;
    }
    return true;
  }

  private void atomic(int operation, long request, long handle, long offset, long first, long second) {
    Holder holder = holders.get(handle);
    if (mayDo(request, holder, RegionAccess.ATOMIC)) {
      if (!holder.region.executesAtomics()) {
        peer.refuse(request, RegionFrames.UNSUPPORTED, "its atomics are executed by a device, not by its owner");
        return;
      }
      try {
        peer.reply(request, RegionFrames.OK, holder.region.execute(operation == RegionFrames.EXCHANGE, offset, first, second), null);
      } catch (RdmaException e) {
        peer.refuse(request, e.reason() == Reason.CLOSED ? RegionFrames.REVOKED : RegionFrames.RANGE, e.getMessage());
      }
    }
  }

  private boolean mayDo(long request, Holder holder, RegionAccess needed) {
    if (holder == null) {
      peer.refuse(request, RegionFrames.REVOKED, "the region was revoked by its owner, or never opened");
      return false;
    }
    if (!holder.access.contains(needed)) {
      peer.refuse(request, RegionFrames.DENIED, holder.region.label() + " is open without access " + needed);
      return false;
    }
    return true;
  }

  // ---- lending

  void grant(OwnedRegion region, Set<RegionAccess> access, Duration lifetime, Promise<RegionGrant> promise) {
    if (peer.over() != null) {
      promise.fail(peer.over());
      return;
    }
    String fabric = peer.domain().device().fabric();
    if (access.contains(RegionAccess.ATOMIC) && !region.executesAtomics() && !region.grantAuthority().equals(fabric)) {
      promise.fail(new RdmaException(Reason.UNSUPPORTED, region.label() + " cannot be lent with access ATOMIC over " + fabric
        + ": its atomics are executed by the device of " + region.grantAuthority()));
      return;
    }
    if (!region.memory.retain()) {
      promise.fail(new RdmaException(Reason.CLOSED, region.label() + " is closed"));
      return;
    }
    boolean atomics = region.grantAuthority().equals(fabric);
    peer.link.loop().host.blocking(() -> new Exposure(peer.domain(), peer.registry.registrations()
      .register(peer.domain(), region.segment(), Registrations.access(access, atomics))))
      .onSuccess(exposure -> peer.execute(() ->
        lend(new Holder(peer, region, peer.registry.random(), access, exposure), lifetime, promise)))
      .onFailure(e -> {
        region.memory.release();
        promise.fail(e);
      });
  }

  private void lend(Holder holder, Duration lifetime, Promise<RegionGrant> promise) {
    OwnedRegion region = holder.region;
    RegionDescription description = peer.over() != null ? null : region.exposures.admit(holder);
    if (description == null) {
      region.exposures.discard(holder);
      promise.fail(peer.over() != null ? peer.over() : new RdmaException(Reason.REVOKED, region.label() + " was revoked by this side"));
      return;
    }
    holders.put(holder.handle, holder);
    Grant grant = new Grant(holder);
    Request request = new Request(holder, promise::fail) {
      @Override
      void confirmed() {
        if (lifetime != null) {
          peer.link.loop().host.schedule(() -> grant.revoke(EXPIRY_MILLIS), lifetime.toMillis(), TimeUnit.MILLISECONDS);
        }
        promise.complete(grant);
      }

      @Override
      void late() {
        grant.revoke(EXPIRY_MILLIS);
        promise.fail(new RdmaException(Reason.TIMEOUT, "lending " + region.label() + " to " + peer.link.name()
          + " was not answered in time; it is taken back"));
      }

      @Override
      void refused(RdmaException why) {
        holders.remove(holder.handle);
        region.exposures.gone(holder, false);
        promise.fail(why);
      }
    };
    peer.pending.add(request, peer.timeoutMillis());
    peer.link.sendFrame(RegionFrames.GRANT, 0, request.id, 0, description.encode());
  }

  /** A region lent, as the application sees it. */
  private record Grant(Holder lent) implements RegionGrant {
    @Override
    public RegionHolder holder() {
      return lent.info();
    }

    @Override
    public Future<Void> revoke(long timeoutMillis) {
      Future<Void> revoked = lent.region.exposures.revoke(lent, timeoutMillis);
      return lent.region.registry.vertx().getOrCreateContext().future(revoked::onComplete);
    }
  }

  // ---- taking back

  /** A request to a holder. */
  private abstract static class Request extends Pending {
    final Holder holder;
    private final Consumer<Throwable> lost;

    Request(Holder holder, Consumer<Throwable> lost) {
      this.holder = holder;
      this.lost = lost;
    }

    abstract void confirmed();

    abstract void late();

    void refused(RdmaException why) {
      confirmed();
    }

    @Override
    final void replied(int status, long value, MemorySegment memory, long at, int length) {
      if (status == RegionFrames.OK) {
        confirmed();
      } else {
        refused(RegionPeer.refusal(status, memory, at, length));
      }
    }

    @Override
    final void lost(Throwable cause) {
      if (cause == null) {
        late();
      } else {
        lost.accept(cause);
      }
    }
  }

  /** Tells the holder and waits for its word; if that does not come in time its connection is closed. @param done always succeeds */
  void takeBack(Holder holder, long timeoutMillis, Promise<Void> done) {
    demand(holder, timeoutMillis, done, RegionFrames.REVOKE, null, "give it back", () -> holders.remove(holder.handle));
  }

  /** Gives the holder another key and waits until the old one is not used any more. @param done always succeeds */
  void rekey(Holder holder, int generation, RegionToken token, long timeoutMillis, Promise<Void> done) {
    demand(holder, timeoutMillis, done, RegionFrames.REKEY, RegionFrames.rekey(generation, token.encode()), "change its key", () -> {
    });
  }

  private void demand(Holder holder, long timeoutMillis, Promise<Void> done, int frame, byte[] payload, String what, Runnable confirmed) {
    if (peer.over() != null) {
      peer.afterDestroyed(done::complete);
      return;
    }
    if (holders.get(holder.handle) != holder) {
      done.complete();
      return;
    }
    Request request = new Request(holder, cause -> peer.afterDestroyed(done::complete)) {
      @Override
      void confirmed() {
        confirmed.run();
        done.complete();
      }

      @Override
      void late() {
        peer.link.fail(new RdmaException(Reason.TIMEOUT, peer.link.name() + ": the peer did not " + what + " in " + timeoutMillis
          + " ms when asked for " + holder.region.label() + "; the connection was closed, since it may still use the memory"));
        peer.afterDestroyed(done::complete);
      }
    };
    peer.pending.add(request, timeoutMillis);
    peer.link.sendFrame(frame, 0, request.id, holder.handle, payload);
  }

  /** The link is over: its holders are gone, and know their keys. */
  void closed() {
    List<Holder> all = new ArrayList<>(holders.values());
    holders.clear();
    peer.afterDestroyed(() -> all.forEach(holder -> holder.region.exposures.gone(holder, true)));
  }
}
