package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.device.HeapBuffer;
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
 * Remote region that is open over two devices. Long reads and writes are split into halves, one for each device. Other calls use the first
 * device while its connection is open, so that {@link RegionNotification}s keep their order.
 */
public final class SplitRegion implements RemoteRegionInternal {
  private static final long PAGE = 4096;

  private final RemoteRegionImpl first;
  private final RemoteRegionImpl second;
  private final int minSplit;
  private final Caller caller;
  private final State state;

  private enum Usable {
    BOTH, FIRST, SECOND
  }

  private static final class State {
    volatile Usable usable = Usable.BOTH;
    volatile Successor<RemoteRegion> successor = Successor.none();
    RegionEnd end;
    Handler<RegionEnd> handler;
  }

  private SplitRegion(RemoteRegionImpl first, RemoteRegionImpl second, int minSplit, Caller caller, State state) {
    this.first = first;
    this.second = second;
    this.minSplit = minSplit;
    this.caller = caller;
    this.state = state;
  }

  public static SplitRegion of(RemoteRegion first, RemoteRegion second, int minSplit, Caller caller) {
    RemoteRegionImpl one = (RemoteRegionImpl) first;
    SplitRegion region = new SplitRegion(one, ((RemoteRegionImpl) second).withSettingsOf(one), minSplit, caller, new State());
    region.first.lease.peer.execute(() -> region.first.lease.endHandler(end -> region.ended(Usable.FIRST, end)));
    region.second.lease.peer.execute(() -> region.second.lease.endHandler(end -> region.ended(Usable.SECOND, end)));
    return region;
  }

  /** The region ends when both connections have closed, or when it is revoked. */
  private void ended(Usable which, RegionEnd how) {
    synchronized (state) {
      if (state.end != null) {
        return;
      }
      if (how != RegionEnd.REVOKED && state.usable == Usable.BOTH) {
        state.usable = which == Usable.FIRST ? Usable.SECOND : Usable.FIRST;
        return;
      }
      state.usable = which;
      state.end = how;
    }
    (which == Usable.FIRST ? second : first).close();
    notifyEnd();
  }

  private void notifyEnd() {
    Handler<RegionEnd> handler;
    RegionEnd end;
    synchronized (state) {
      handler = state.handler;
      end = state.end;
      if (end == null || handler == null) {
        return;
      }
      state.handler = null;
    }
    caller.emit(end, handler);
  }

  private RemoteRegionImpl primary() {
    return state.usable == Usable.SECOND ? second : first;
  }

  private boolean isSplit(RegionOperation operation, long offset, long length) {
    return length >= minSplit && state.usable == Usable.BOTH && first.refusal(operation, offset, length, 1) == null
      && second.refusal(operation, offset, length, 1) == null;
  }

  private static long half(long length) {
    return length / 2 / PAGE * PAGE;
  }

  private <T> Future<T> joined(RegionOperation operation, long offset, long length, Future<?> a, Future<?> b, T result) {
    Promise<T> promise = caller.promise();
    Future.join(a, b).onComplete(done -> {
      if (done.succeeded()) {
        promise.complete(result);
      } else {
        promise.fail(failure(operation, offset, length, a, b));
      }
    });
    return promise.future();
  }

  private static RdmaException failure(RegionOperation operation, long offset, long length, Future<?> a, Future<?> b) {
    Throwable cause = (a.failed() ? a : b).cause();
    // The cause need not be an RdmaException: a closed Vert.x rejects blocking calls.
    Reason reason = cause instanceof RdmaException e ? e.reason() : Reason.OTHER;
    return new RdmaException(reason, operation + " of " + length + " bytes at offset " + offset + ", in halves over two devices, "
      + "failed: " + cause.getMessage(),
      cause,
      operation.changesMemory() && (mayHaveChanged(a) || mayHaveChanged(b)));
  }

  private static boolean mayHaveChanged(Future<?> write) {
    return write.succeeded() || write.cause() instanceof RdmaException e && e.isEffectUnknown();
  }

  @Override
  public Future<Buffer> read(long offset, int length) {
    return isSplit(RegionOperation.READ, offset, length)
      ? halves(offset, BufferInternal.buffer(new HeapBuffer(new byte[length])), 0, length)
      : primary().read(offset, length);
  }

  @Override
  public Future<Buffer> read(long offset, Buffer into, int at, int length) {
    if (at < 0 || at > Integer.MAX_VALUE - length || !isSplit(RegionOperation.READ, offset, length) || !isArray(into)) {
      return primary().read(offset, into, at, length);
    }
    if (into.length() < at + length) {
      // Extends the buffer first, because the two loops must not do so concurrently.
      into.setByte(at + length - 1, (byte) 0);
    }
    return halves(offset, into, at, length);
  }

  private static boolean isArray(Buffer buffer) {
    return ((BufferInternal) buffer).getByteBuf().hasArray();
  }

  private Future<Buffer> halves(long offset, Buffer into, int at, int length) {
    int half = (int) half(length);
    return joined(RegionOperation.READ, offset, length, first.read(offset, into, at, half),
      second.read(offset + half, into, at + half, length - half),
      into);
  }

  @Override
  public Future<Void> read(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(RegionOperation.READ, offset, local, localOffset, length);
  }

  @Override
  public Future<Void> write(long offset, Buffer data) {
    int length = data.length();
    if (!isSplit(RegionOperation.WRITE, offset, length) || !isArray(data)) {
      return primary().write(offset, data);
    }
    int half = (int) half(length);
    return joined(RegionOperation.WRITE, offset, length, first.write(offset, data.slice(0, half)),
      second.write(offset + half, data.slice(half, length)),
      null);
  }

  @Override
  public Future<Void> write(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(RegionOperation.WRITE, offset, local, localOffset, length);
  }

  private Future<Void> direct(RegionOperation operation, long offset, MemoryRegion local, long localOffset, long length) {
    if (!Range.isInside(localOffset, length, local.size(), 1) || !isSplit(operation, offset, length)) {
      return primary().direct(operation, offset, local, localOffset, length);
    }
    long half = half(length);
    return joined(operation, offset, length, first.direct(operation, offset, local, localOffset, half),
      second.direct(operation, offset + half, local, localOffset + half, length - half), null);
  }

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
    return primary().fabric();
  }

  @Override
  public String strategies() {
    return primary().strategies()
      + (state.usable != Usable.BOTH ? ""
        : "; reads and writes from " + minSplit + " bytes: in halves over " + first.fabric() + " and " + second.fabric());
  }

  @Override
  public Future<Buffer> readRecord(long offset, int maxLength) {
    return primary().readRecord(offset, maxLength);
  }

  @Override
  public Future<MemorySegment> view(long offset, long length) {
    return primary().view(offset, length);
  }

  @Override
  public Future<Void> writeNotify(long offset, Buffer data, long tag) {
    return primary().writeNotify(offset, data, tag);
  }

  @Override
  public Future<Buffer> readNotify(long offset, int length, long tag) {
    return primary().readNotify(offset, length, tag);
  }

  @Override
  public Future<Long> fetchAndAdd(long offset, long add) {
    return primary().fetchAndAdd(offset, add);
  }

  @Override
  public Future<Long> compareAndExchange(long offset, long expected, long value) {
    return primary().compareAndExchange(offset, expected, value);
  }

  @Override
  public SplitRegion withTimeout(Duration timeout) {
    return new SplitRegion(first.withTimeout(timeout), second.withTimeout(timeout), minSplit, caller, state);
  }

  @Override
  public RemoteRegion closeHandler(Handler<RegionEnd> handler) {
    synchronized (state) {
      state.handler = handler;
    }
    notifyEnd();
    return this;
  }

  @Override
  public void whenClosed(Runnable task) {
    AtomicInteger left = new AtomicInteger(2);
    Runnable closed = () -> {
      if (left.decrementAndGet() == 0) {
        task.run();
      }
    };
    first.whenClosed(closed);
    second.whenClosed(closed);
  }

  @Override
  public void successor(Successor<RemoteRegion> successor) {
    state.successor = successor;
  }

  @Override
  public RemoteRegion reconnectHandler(Handler<RemoteRegion> handler) {
    state.successor.handler(handler);
    return this;
  }

  @Override
  public RemoteRegion exceptionHandler(Handler<Throwable> handler) {
    state.successor.exceptionHandler(handler);
    return this;
  }

  @Override
  public Future<Void> close() {
    state.successor.cancel();
    Promise<Void> promise = caller.promise();
    Future.join(first.close(), second.close()).<Void>mapEmpty().onComplete(promise);
    return promise.future();
  }

  @Override
  public String toString() {
    return primary() + (state.usable == Usable.BOTH ? " and " + second.fabric() : "");
  }
}
