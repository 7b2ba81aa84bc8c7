package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.base.CallTable;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.link.FrameService;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.provider.Domain;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Region protocol on one link, for both directions. */
public final class RegionPeer implements FrameService {
  /** Maximum number of opens of one region, and of grants, on one link. More are refused. */
  static final int MAX_HANDLES = 1024;
  /** Maximum number of pending calls, frames and operations on one link, including those of timed-out calls. More fail. */
  static final int MAX_CALLS = 65536;
  private static final int MAX_REASON_BYTES = 1024;
  /** Reasons of refusals, by their status in {@link RegionFrames}. */
  private static final List<Reason> REASONS = Arrays.asList(null, Reason.NOT_FOUND, Reason.REVOKED, Reason.ACCESS_DENIED,
    Reason.OUT_OF_RANGE, Reason.UNSUPPORTED, Reason.REJECTED, Reason.LIMIT);

  final Link link;
  final RegionRegistry registry;
  final long timeoutMillis;
  private OwnerSide owner;
  private HolderSide holder;
  private CallTable<Pending> pending;
  /** Notified writes of this side whose data is in the frame, in order, until the peer confirms them. */
  private final ArrayDeque<RegionCall<?>> inlineWrites = new ArrayDeque<>(1);
  private int toConfirm;

  public RegionPeer(Link link, RegionRegistry registry, long timeoutMillis) {
    this.link = link;
    this.registry = registry;
    this.timeoutMillis = timeoutMillis;
    link.service(this);
  }

  /** Thread-safe. @param directoryToken key from the directory, or null @param generation number of that key */
  public Future<RemoteRegion> open(Caller caller, long regionId, RegionToken directoryToken, int generation) {
    return LoopCall.on(LoopCall.atOnce(host()), caller.promise(),
      promise -> holder().open(caller, regionId, directoryToken, generation, promise));
  }

  /**
   * Grants a region under a separate key. Thread-safe.
   *
   * @param lifetime null for the lifetime of the link
   */
  public Future<RegionGrant> grant(Caller caller, MemoryRegion region, Set<RegionAccess> access, Duration lifetime) {
    Set<RegionAccess> rights = Set.copyOf(access);
    return LoopCall.on(LoopCall.atOnce(host()), caller.promise(), promise -> {
      // Only the registry that created a region manages its keys and holders.
      if (region instanceof OwnedRegion owned && owned.registry == registry) {
        owner().grant(owned, rights, lifetime, promise);
      } else {
        promise.fail(new RdmaException(Reason.UNSUPPORTED, region + " cannot be granted to node " + nodeName() + ": another Rdma "
          + "shares it. Grant a region that the Rdma of this connection shares"));
      }
    });
  }

  /** Sets the handler for granted regions. Earlier granted regions wait for it. Thread-safe. */
  public void grantHandler(Caller caller, Handler<RemoteRegion> handler) {
    execute(() -> holder().grantHandler(caller, handler));
  }

  @Override
  public void frame(int type, int flags, long a, long b, MemorySegment m, int length) {
    try {
      RegionFrames.check(type, length);
      switch (type) {
        case RegionFrames.REPLY -> {
          Pending request = pending().get(a);
          if (request != null) {
            pending().remove(request);
            request.replied(flags, b, m, length);
          }
        }
        case RegionFrames.GRANT -> holder().granted(a, RegionDescription.decode(RegionFrames.bytes(m, 0, length)));
        case RegionFrames.REVOKE -> holder().revoked(a, b);
        case RegionFrames.REKEY -> holder().rekeyed(a, b, RegionToken.decode(RegionFrames.bytes(m, 4, length - 4)));
        case RegionFrames.NOTIFIED -> inlineConfirmed(a);
        case RegionFrames.FLUSH -> reply(a, RegionFrames.OK, 0, null);
        case RegionFrames.OPEN -> owner().open(a, b, RegionFrames.half(m, 0), RegionFrames.half(m, 1));
        default -> {
          if (type == RegionFrames.WRITE_NOTIFY) {
            inlineConfirmed(flags);
          }
          owner().frame(type, flags, a, b, m, length);
        }
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      link.fail(new RdmaException(Reason.PROTOCOL, link.name() + ": the peer sent an invalid " + RegionFrames.name(type) + " frame: "
        + e.getMessage()
        + "; the connection was closed", e));
    } catch (RdmaException e) {
      link.fail(e);
    }
  }

  @Override
  public void turnEnd() {
    if (toConfirm > 0) {
      int count = toConfirm;
      toConfirm = 0;
      link.sendFrame(RegionFrames.NOTIFIED, 0, count, 0, null);
    }
  }

  @Override
  public void closed(Throwable cause) {
    if (pending != null) {
      pending.fail(all -> true, link.closeCause());
    }
    if (holder != null) {
      holder.closed(link.closeCause());
    }
    if (owner != null) {
      owner.closed();
    }
  }

  private OwnerSide owner() {
    if (owner == null) {
      owner = new OwnerSide(this);
    }
    return owner;
  }

  HolderSide holder() {
    if (holder == null) {
      holder = new HolderSide(this);
    }
    return holder;
  }

  CallTable<Pending> pending() {
    if (pending == null) {
      pending = new CallTable<>(host()::deadlines, link.loop().turn::nanoTime, MAX_CALLS, Long.SIZE, millis -> null);
    }
    return pending;
  }

  /** Sends a notified write whose data is in the frame. The peer confirms several writes together, in its next write or in a frame. */
  void sendInline(RegionCall<?> write, long handle, byte[] payload) {
    int count = Math.min(toConfirm, RegionFrames.INLINE_COUNT);
    toConfirm -= count;
    inlineWrites.add(write);
    link.sendFrame(RegionFrames.WRITE_NOTIFY, count, write.id(), handle, payload);
  }

  private void inlineConfirmed(long count) {
    if (count < 0 || count > inlineWrites.size()) {
      throw new IllegalArgumentException("it confirms " + count + " notified writes, but only " + inlineWrites.size() + " are in flight");
    }
    for (long i = 0; i < count; i++) {
      RegionCall<?> write = inlineWrites.poll();
      if (!write.ended) {
        link.rma().countInlineWrite(write.length);
        write.confirmed(0);
      }
    }
  }

  void countInlineHandled() {
    toConfirm++;
    link.wantsTurnEnd();
  }

  Throwable refusal() {
    Throwable cause = link.closeCause();
    if (cause != null) {
      return cause;
    }
    int calls = Math.max(pending().size(), inlineWrites.size()) + link.waitingFrames() + link.rmaPending();
    return calls < MAX_CALLS ? null : new RdmaException(Reason.LIMIT, "too many operations are in flight over the "
      + "connection to node " + nodeName() + ": " + MAX_CALLS + ", including timed-out ones. Wait for some of them to complete");
  }

  LoopHost host() {
    return link.loop().host;
  }

  Domain domain() {
    return link.loop().domain;
  }

  /** Returns the name of the peer's node, or its id. Thread-safe. */
  String nodeName() {
    return link.peerName().isEmpty() ? nodeId() : link.peerName();
  }

  /** Thread-safe. */
  String nodeId() {
    return link.peer().nodeId();
  }

  /** Thread-safe. */
  boolean execute(Runnable task) {
    return host().run(task);
  }

  void afterDestroyed(Runnable task) {
    // Runs after the earlier task that destroys the endpoint.
    host().execute(task);
  }

  void request(int type, long b, byte[] payload, long millis, Pending request) {
    link.sendFrame(type, 0, pending().add(request, millis), b, payload);
  }

  void reply(long request, int status, long value, byte[] payload) {
    link.sendFrame(RegionFrames.REPLY, status, request, value, payload);
  }

  void refuse(long request, Reason reason, String words) {
    byte[] bytes = words.getBytes(StandardCharsets.UTF_8);
    int status = REASONS.indexOf(reason);
    reply(request, status < 0 ? RegionFrames.RANGE : status, 0,
      bytes.length > MAX_REASON_BYTES ? Arrays.copyOf(bytes, MAX_REASON_BYTES) : bytes);
  }

  static RdmaException refusal(int status, MemorySegment memory, int length) {
    return new RdmaException(status < REASONS.size() ? REASONS.get(status) : Reason.REJECTED,
      PeerText.of(RegionFrames.bytes(memory, 0, length)));
  }
}
