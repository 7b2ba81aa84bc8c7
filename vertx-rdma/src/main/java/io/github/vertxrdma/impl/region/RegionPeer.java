package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.link.FrameService;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.LoopHost;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.github.vertxrdma.provider.Domain;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * The region service on one link: this side's regions that the peer uses, and the peer's that this side uses. Methods are for the link's
 * loop unless they say otherwise.
 */
public final class RegionPeer implements FrameService {
  /** Times that one region may be open, and grants that may be taken, over one link: each costs a record. */
  static final int MOST_HANDLES = 1024;
  /** Calls over one link that are under way, and frames and operations that wait: those of calls whose time is up wait on. */
  static final int MOST_CALLS = 65536;
  private static final int MAX_WORDS = 1024;

  final Link link;
  final RegionRegistry registry;
  private final long timeoutMillis;
  /** Made when they are needed: most connections grant and use nothing. */
  private OwnerSide owner;
  private HolderSide holder;
  private PendingTable pending;
  private InlineWrites inlineWrites;

  /** @param timeoutMillis how long requests may take, and calls unless they say otherwise */
  public RegionPeer(Link link, RegionRegistry registry, long timeoutMillis) {
    this.link = link;
    this.registry = registry;
    this.timeoutMillis = timeoutMillis;
    link.service(this);
  }

  /**
   * Opens a region of the peer; any thread.
   *
   * @param caller of the region that is opened
   * @param known its token from the directory, null if there is none
   * @param generation which generation that is of
   */
  public Future<RemoteRegion> open(Caller caller, long regionId, RegionToken known, int generation) {
    Promise<RemoteRegion> promise = caller.promise();
    execute(() -> holder().open(caller, regionId, known, generation, promise));
    return promise.future();
  }

  /**
   * Grants a region to the peer, under a key of its own; any thread.
   *
   * @param lifetime after which it is taken back; null for as long as the link lives
   */
  public Future<RegionGrant> grant(Caller caller, MemoryRegion region, Set<RegionAccess> access, Duration lifetime) {
    Promise<RegionGrant> promise = caller.promise();
    Set<RegionAccess> rights = Set.copyOf(access);
    // Its keys, holders and end are looked after by the registry that made it.
    if (region instanceof OwnedRegion owned && owned.registry == registry) {
      if (!execute(() -> owner().grant(owned, rights, lifetime, promise))) {
        promise.fail(new RdmaException(Reason.CLOSED, region + " cannot be granted over " + link.name() + ": its Vert.x is closed"));
      }
    } else {
      promise.fail(new RdmaException(Reason.UNSUPPORTED, region + " cannot be granted over " + link.name()
        + ": another Rdma shares it; grant what the Rdma of this connection shares"));
    }
    return promise.future();
  }

  /** Sets who gets what the peer grants; any thread. What came before waits. */
  public void grantHandler(Caller caller, Handler<RemoteRegion> handler) {
    execute(() -> holder().grantHandler(caller, handler));
  }

  @Override
  public void frame(int type, int flags, long a, long b, MemorySegment m, int length) {
    try {
      RegionFrames.check(type, length);
      switch (type) {
        case RegionFrames.REPLY -> {
          // One that nobody waits for is late.
          Pending request = pending().take(a);
          if (request != null) {
            request.replied(flags, b, m, length);
          }
        }
        case RegionFrames.GRANT -> holder().granted(a, RegionDescription.decode(RegionFrames.bytes(m, 0, length)));
        case RegionFrames.REVOKE -> holder().revoked(a, b);
        case RegionFrames.REKEY -> holder().rekeyed(a, b, RegionToken.decode(RegionFrames.bytes(m, 4, length - 4)));
        case RegionFrames.NOTIFIED -> inlineWrites().confirmed(a);
        case RegionFrames.FLUSH -> reply(a, RegionFrames.OK, 0, null);
        case RegionFrames.OPEN -> owner().open(a, b, RegionFrames.half(m, 0), RegionFrames.half(m, 1));
        default -> {
          if (type == RegionFrames.WRITE_NOTIFY) {
            inlineWrites().confirmed(flags);
          }
          owner().frame(type, flags, a, b, m, length);
        }
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      link.fail(new RdmaException(Reason.PROTOCOL, link.name() + ": the peer sent a bad " + RegionFrames.name(type) + ": " + e.getMessage()
        + "; the connection was closed", e));
    } catch (RdmaException e) {
      link.fail(e);
    }
  }

  @Override
  public void turnEnd() {
    if (inlineWrites != null) {
      inlineWrites.turnEnd();
    }
  }

  @Override
  public void closed(Throwable cause) {
    if (pending != null) {
      pending.fail(over());
    }
    if (holder != null) {
      holder.closed(over());
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

  private HolderSide holder() {
    if (holder == null) {
      holder = new HolderSide(this);
    }
    return holder;
  }

  // ---- for both sides

  PendingTable pending() {
    if (pending == null) {
      pending = new PendingTable(host());
    }
    return pending;
  }

  InlineWrites inlineWrites() {
    if (inlineWrites == null) {
      inlineWrites = new InlineWrites(link);
    }
    return inlineWrites;
  }

  /** Why the link is over; null while it is not. */
  Throwable over() {
    return link.closeCause();
  }

  /** Why no other call may begin now; null if one may. */
  Throwable refusal() {
    Throwable over = over();
    if (over != null) {
      return over;
    }
    int unconfirmed = inlineWrites == null ? 0 : inlineWrites.unconfirmed();
    int calls = Math.max(pending().size(), unconfirmed) + link.waitingFrames() + link.rmaPending();
    return calls < MOST_CALLS ? null : new RdmaException(Reason.LIMIT, MOST_CALLS + " calls over " + link.name()
      + " are under way, or were given up and still wait for it, which is the most; wait for some before others are made");
  }

  /** Clock, tasks and randomness of the link's loop. */
  LoopHost host() {
    return link.loop().host;
  }

  Domain domain() {
    return link.loop().domain;
  }

  long timeoutMillis() {
    return timeoutMillis;
  }

  /** Bytes of a notified write that go in the notification, at most; any thread. */
  int inlineLimit() {
    return Math.min(link.loop().options.notifyInlineLimit(), link.maxPayload() - RegionFrames.INLINE_HEAD);
  }

  /** The peer's node, as it has proved; any thread. */
  String nodeId() {
    return link.peer().nodeId();
  }

  /** The peer's address; any thread. */
  String address() {
    return link.endpoint().remoteAddress().toString();
  }

  /**
   * On the link's loop, at once if that is where this is; any thread.
   *
   * @return false if the loop ended with its Vert.x, and the link with it
   */
  boolean execute(Runnable task) {
    try {
      host().run(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** After the link's endpoint was destroyed, for who has just heard that the link is over. */
  void afterDestroyed(Runnable task) {
    // The task in which the endpoint is destroyed was submitted before the end was told.
    host().execute(task);
  }

  /** Sends a frame that the peer answers. */
  void request(int type, long b, byte[] payload, long millis, Pending request) {
    pending().add(request, millis);
    link.sendFrame(type, 0, request.id, b, payload);
  }

  void reply(long request, int status, long value, byte[] payload) {
    link.sendFrame(RegionFrames.REPLY, status, request, value, payload);
  }

  void refuse(long request, int status, String words) {
    byte[] bytes = words.getBytes(StandardCharsets.UTF_8);
    reply(request, status, 0, bytes.length > MAX_WORDS ? Arrays.copyOf(bytes, MAX_WORDS) : bytes);
  }

  /** The message of a refusal. */
  static RdmaException refusal(int status, MemorySegment memory, int length) {
    Reason reason = switch (status) {
      case RegionFrames.NOT_FOUND -> Reason.NOT_FOUND;
      case RegionFrames.REVOKED -> Reason.REVOKED;
      case RegionFrames.DENIED -> Reason.ACCESS_DENIED;
      case RegionFrames.RANGE -> Reason.OUT_OF_RANGE;
      case RegionFrames.UNSUPPORTED -> Reason.UNSUPPORTED;
      case RegionFrames.LIMIT -> Reason.LIMIT;
      default -> Reason.REJECTED;
    };
    return new RdmaException(reason, new String(RegionFrames.bytes(memory, 0, length), StandardCharsets.UTF_8));
  }

  /** See {@link HolderSide#giveBack}. */
  void giveBack(long handle) {
    holder().giveBack(handle);
  }
}
