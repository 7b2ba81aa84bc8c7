package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Region that is open over two devices: long reads and writes go in halves, one over each. Other calls use the first, so that {@link
 * RegionNotification}s keep their order; the second if the first connection has closed.
 */
public final class SplitRegion implements HeldRegion {
  /** Halves begin on a page. */
  private static final long PAGE = 4096;

  private final RemoteRegionImpl first;
  private final RemoteRegionImpl second;
  private final int least;
  private final Caller caller;
  private final Life life;

  /** Usable devices. */
  private enum Over {
    BOTH, FIRST, SECOND
  }

  /** State shared with copies by {@link #withTimeout}. */
  private static final class Life {
    volatile Over over = Over.BOTH;
    RegionEnd end;
    Handler<RegionEnd> handler;
  }

  private SplitRegion(RemoteRegionImpl first, RemoteRegionImpl second, int least, Caller caller, Life life) {
    this.first = first;
    this.second = second;
    this.least = least;
    this.caller = caller;
    this.life = life;
  }

  /** @param least minimum bytes to split @param caller of its futures and handlers */
  public static SplitRegion of(RemoteRegion first, RemoteRegion second, int least, Caller caller) {
    RemoteRegionImpl one = (RemoteRegionImpl) first;
    SplitRegion region = new SplitRegion(one, ((RemoteRegionImpl) second).alike(one), least, caller, new Life());
    region.first.lease.peer.execute(() -> region.first.lease.endHandler(end -> region.ended(Over.FIRST, end)));
    region.second.lease.peer.execute(() -> region.second.lease.endHandler(end -> region.ended(Over.SECOND, end)));
    return region;
  }

  /** Called when one connection has closed. The other stays, unless it was the last or the owner revoked the region. */
  private void ended(Over which, RegionEnd how) {
    synchronized (life) {
      if (life.end != null) {
        return;
      }
      if (how != RegionEnd.REVOKED && life.over == Over.BOTH) {
        life.over = which == Over.FIRST ? Over.SECOND : Over.FIRST;
        return;
      }
      // Later calls fail with its reason.
      life.over = which;
      life.end = how;
    }
    (which == Over.FIRST ? second : first).close();
    tell();
  }

  private void tell() {
    Handler<RegionEnd> handler;
    RegionEnd end;
    synchronized (life) {
      handler = life.handler;
      end = life.end;
      if (end == null || handler == null) {
        return;
      }
      life.handler = null;
    }
    caller.emit(end, handler);
  }

  private RemoteRegionImpl one() {
    return life.over == Over.SECOND ? second : first;
  }

  /** Returns whether a call is split. A call that one would refuse is not. */
  private boolean isSplit(Verb verb, long offset, long length) {
    return length >= least && life.over == Over.BOTH && first.refusal(verb, offset, length, 1) == null
      && second.refusal(verb, offset, length, 1) == null;
  }

  private static long half(long length) {
    return length / 2 / PAGE * PAGE;
  }

  /** Completes when both halves have. */
  private <T> Future<T> both(Verb verb, long offset, long length, Future<?> a, Future<?> b, T result) {
    Promise<T> promise = caller.promise();
    Future.join(a, b).onComplete(done -> {
      if (done.succeeded()) {
        promise.complete(result);
      } else {
        promise.fail(failure(verb, offset, length, a, b));
      }
    });
    return promise.future();
  }

  private static RdmaException failure(Verb verb, long offset, long length, Future<?> a, Future<?> b) {
    Throwable cause = (a.failed() ? a : b).cause();
    // A Vert.x that has ended refuses work off the loop.
    Reason reason = cause instanceof RdmaException known ? known.reason() : Reason.OTHER;
    return new RdmaException(reason, verb + " of " + length + " bytes at " + offset + " in halves failed: " + cause.getMessage(), cause,
      verb.changesMemory() && (mayHaveChanged(a) || mayHaveChanged(b)));
  }

  private static boolean mayHaveChanged(Future<?> write) {
    return write.succeeded() || write.cause() instanceof RdmaException known && known.isEffectUnknown();
  }

  // ---- in halves

  @Override
  public Future<Buffer> read(long offset, int length) {
    return isSplit(Verb.READ, offset, length) ? halves(offset, BufferInternal.buffer(new HeapBuffer(new byte[length])), 0, length)
      : one().read(offset, length);
  }

  @Override
  public Future<Buffer> read(long offset, Buffer into, int at, int length) {
    if (at < 0 || at > Integer.MAX_VALUE - length || !isSplit(Verb.READ, offset, length) || !isArray(into)) {
      return one().read(offset, into, at, length);
    }
    if (into.length() < at + length) {
      // Two loops cannot both extend the buffer.
      into.setByte(at + length - 1, (byte) 0);
    }
    return halves(offset, into, at, length);
  }

  /** Returns whether two loops may copy at once: other buffers have a shared position. */
  private static boolean isArray(Buffer buffer) {
    return ((BufferInternal) buffer).getByteBuf().hasArray();
  }

  private Future<Buffer> halves(long offset, Buffer into, int at, int length) {
    int half = (int) half(length);
    return both(Verb.READ, offset, length, first.read(offset, into, at, half), second.read(offset + half, into, at + half, length - half),
      into);
  }

  @Override
  public Future<Void> read(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(Verb.READ, offset, local, localOffset, length);
  }

  @Override
  public Future<Void> write(long offset, Buffer data) {
    int length = data.length();
    if (!isSplit(Verb.WRITE, offset, length) || !isArray(data)) {
      return one().write(offset, data);
    }
    int half = (int) half(length);
    return both(Verb.WRITE, offset, length, first.write(offset, data.slice(0, half)), second.write(offset + half, data.slice(half, length)),
      null);
  }

  @Override
  public Future<Void> write(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(Verb.WRITE, offset, local, localOffset, length);
  }

  private Future<Void> direct(Verb verb, long offset, MemoryRegion local, long localOffset, long length) {
    if (!Range.isInside(localOffset, length, local.size(), 1) || !isSplit(verb, offset, length)) {
      return one().direct(verb, offset, local, localOffset, length);
    }
    long half = half(length);
    return both(verb, offset, length, first.direct(verb, offset, local, localOffset, half),
      second.direct(verb, offset + half, local, localOffset + half, length - half), null);
  }

  // ---- over one device

  @Override
  public String name() {
    return first.name();
  }

  @Override
  public long size() {
    return first.size();
  }

  @Override
  public Set<RegionAccess> access() {
    return first.access();
  }

  @Override
  public String nodeId() {
    return first.nodeId();
  }

  @Override
  public String fabric() {
    return one().fabric();
  }

  @Override
  public String strategies() {
    return one().strategies()
      + (life.over != Over.BOTH ? ""
        : "; reads and writes from " + least + " bytes: in halves over " + first.fabric() + " and " + second.fabric());
  }

  @Override
  public Future<Buffer> readRecord(long offset, int maxLength) {
    return one().readRecord(offset, maxLength);
  }

  @Override
  public Future<MemorySegment> view(long offset, long length) {
    return one().view(offset, length);
  }

  @Override
  public Future<Void> writeNotify(long offset, Buffer data, long tag) {
    return one().writeNotify(offset, data, tag);
  }

  @Override
  public Future<Buffer> readNotify(long offset, int length, long tag) {
    return one().readNotify(offset, length, tag);
  }

  @Override
  public Future<Long> fetchAndAdd(long offset, long add) {
    return one().fetchAndAdd(offset, add);
  }

  @Override
  public Future<Long> compareAndExchange(long offset, long expected, long value) {
    return one().compareAndExchange(offset, expected, value);
  }

  // ---- close

  @Override
  public RemoteRegion withTimeout(Duration timeout) {
    return new SplitRegion((RemoteRegionImpl) first.withTimeout(timeout), (RemoteRegionImpl) second.withTimeout(timeout), least, caller,
      life);
  }

  @Override
  public RemoteRegion closeHandler(Handler<RegionEnd> handler) {
    synchronized (life) {
      life.handler = handler;
    }
    tell();
    return this;
  }

  @Override
  public void whenOver(Runnable task) {
    AtomicInteger left = new AtomicInteger(2);
    Runnable over = () -> {
      if (left.decrementAndGet() == 0) {
        task.run();
      }
    };
    first.whenOver(over);
    second.whenOver(over);
  }

  @Override
  public Future<Void> close() {
    Promise<Void> promise = caller.promise();
    Future.join(first.close(), second.close()).<Void>mapEmpty().onComplete(promise);
    return promise.future();
  }

  @Override
  public String toString() {
    return one() + (life.over == Over.BOTH ? " and " + second.fabric() : "");
  }
}
