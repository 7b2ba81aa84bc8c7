package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;

/** Region of a peer. Checks calls on the caller's thread, then runs them on the link's loop. */
public final class RemoteRegionImpl implements RemoteRegion {
  private static final String UNPROVEN = ": %s neither reports the delivery of writes nor keeps messages in order behind them, so "
    + "it is unknown when the data has arrived. Use another fabric, or send messages";

  final RegionLease lease;
  private final RegionDescription description;
  private final AtomicWords atomicWords;
  private final long timeoutMillis;
  private volatile Caller caller;

  RemoteRegionImpl(RegionLease lease, Caller caller) {
    this(lease, caller, new AtomicWords(), lease.peer.timeoutMillis);
  }

  private RemoteRegionImpl(RegionLease lease, Caller caller, AtomicWords atomicWords, long timeoutMillis) {
    this.lease = lease;
    this.description = lease.description;
    this.caller = caller;
    this.atomicWords = atomicWords;
    this.timeoutMillis = timeoutMillis;
  }

  void caller(Caller value) {
    caller = value;
  }

  @Override
  public String name() {
    return description.name();
  }

  @Override
  public long size() {
    return description.size();
  }

  @Override
  public Set<RegionAccess> access() {
    return description.access();
  }

  @Override
  public String nodeId() {
    return lease.peer.nodeId();
  }

  @Override
  public String fabric() {
    return lease.peer.domain().device().name();
  }

  @Override
  public String strategies() {
    return lease.strategies.describe(description.access());
  }

  @Override
  public Future<Buffer> read(long offset, int length) {
    return read(offset, length, null);
  }

  @Override
  public Future<Buffer> readNotify(long offset, int length, long tag) {
    return read(offset, length,
      new RegionCall.Request(RegionFrames.READ_DONE, 0, RegionFrames.words(offset, length, tag), false));
  }

  private Future<Buffer> read(long offset, int length, RegionCall.Request request) {
    Buffer into = BufferInternal.buffer(new HeapBuffer(new byte[sizeIfAllowed(RegionOperation.READ, offset, length)]));
    return begin(RegionOperation.READ, offset, length, new LocalMemory.IntoBuffer(into, 0), request);
  }

  /** Returns the length of a call, or 0 if the call will be refused and so needs no memory. */
  private int sizeIfAllowed(RegionOperation operation, long offset, int length) {
    return refusal(operation, offset, length) == null ? length : 0;
  }

  @Override
  public Future<Buffer> read(long offset, Buffer into, int at, int length) {
    if (at < 0 || at > Integer.MAX_VALUE - Math.max(0, length)) {
      return fail(caller.promise(), Reason.OUT_OF_RANGE,
        "read of " + length + " bytes to offset " + at + " of a buffer, which does not fit");
    }
    return begin(RegionOperation.READ, offset, length, new LocalMemory.IntoBuffer(into, at), null);
  }

  @Override
  public Future<Void> read(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(RegionOperation.READ, offset, local, localOffset, length);
  }

  @Override
  public Future<Buffer> readRecord(long offset, int maxLength) {
    long max = maxLength < 0 ? maxLength
      : PublishedRecord.HEADER + Math.min(maxLength, Math.max(0, size() - offset - PublishedRecord.HEADER));
    int length = (int) Math.min(max, Integer.MAX_VALUE - 8);
    int allocated = sizeIfAllowed(RegionOperation.CONSISTENT_READ, offset, length);
    return begin(RegionOperation.CONSISTENT_READ, offset, length, new LocalMemory.ConsistentRead(allocated), null);
  }

  @Override
  public Future<MemorySegment> view(long offset, long length) {
    if (!lease.peer.domain().capabilities().maps()) {
      return fail(caller.promise(), Reason.UNSUPPORTED,
        "cannot view the region: " + fabric() + " cannot map memory of peers. Read the region");
    }
    if (length == 0) {
      return fail(caller.promise(), Reason.OUT_OF_RANGE, "view of 0 bytes: use at least 1 byte");
    }
    return begin(RegionOperation.VIEW, offset, length, new LocalMemory.View(lease, offset, length), null);
  }

  @Override
  public Future<Void> write(long offset, Buffer data) {
    return begin(RegionOperation.WRITE, offset, data.length(),
      new LocalMemory.OfBuffer(bytes(data), !lease.strategies.flushesWrites()), flush(true));
  }

  /** Returns a request whose reply means that earlier data arrived; null if writes need none. */
  private RegionCall.Request flush(boolean withLastChunk) {
    return lease.strategies.flushesWrites() ? new RegionCall.Request(RegionFrames.FLUSH, 0, null, withLastChunk) : null;
  }

  @Override
  public Future<Void> write(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(RegionOperation.WRITE, offset, local, localOffset, length);
  }

  @Override
  public Future<Void> writeNotify(long offset, Buffer data, long tag) {
    if (data.length() <= lease.strategies.inline()) {
      Promise<Void> promise = caller.promise();
      RdmaException refusal = refusal(RegionOperation.NOTIFIED_WRITE, offset, data.length());
      return refusal == null ? writeInline(offset, data, tag, promise) : fail(promise, refusal);
    }
    boolean ordered = lease.strategies.ordered();
    return begin(RegionOperation.NOTIFIED_WRITE, offset, data.length(), new LocalMemory.OfBuffer(bytes(data), !ordered),
      new RegionCall.Request(RegionFrames.NOTIFY, 0, RegionFrames.words(offset, data.length(), tag), ordered));
  }

  /** Starts a notified write that the caller has checked. Its frame to the owner carries the data. */
  Future<Void> writeInline(long offset, Buffer data, long tag, Promise<Void> promise) {
    ByteBuf bytes = bytes(data);
    int length = data.length();
    byte[] payload = RegionFrames.writeNotify(offset, tag, length);
    bytes.getBytes(bytes.readerIndex(), payload, RegionFrames.INLINE_HEAD, length);
    return start(promise, RegionOperation.NOTIFIED_WRITE, offset, length, LocalMemory.NOTHING,
      new RegionCall.Request(RegionFrames.WRITE_NOTIFY, 0, payload, false));
  }

  private static ByteBuf bytes(Buffer data) {
    return ((BufferInternal) data).getByteBuf();
  }

  Future<Void> direct(RegionOperation operation, long offset, MemoryRegion local, long localOffset, long length) {
    Promise<Void> promise = caller.promise();
    if (!(local instanceof OwnedRegion owned)) {
      return fail(promise, Reason.UNSUPPORTED, operation + " with a local region that vertx-rdma did not create");
    }
    RdmaException refusal = refusal(operation, offset, length);
    if (refusal != null) {
      return fail(promise, refusal);
    }
    if (!Range.isInside(localOffset, length, owned.size(), 1)) {
      return fail(promise,
        Range.error(lease.label() + " refused a " + operation + " with " + owned + ',', localOffset, length, owned.size(), 1));
    }
    if (operation == RegionOperation.READ && owned.memory.segment().isReadOnly()) {
      return fail(promise, Reason.ACCESS_DENIED, operation + " into " + owned + ", whose memory is read-only");
    }
    if (!owned.memory.retain()) {
      return fail(promise, Reason.CLOSED, operation + " with " + owned + ", which is closed");
    }
    owned.memory.local(lease.peer.domain(), owned.registry.registrations).onComplete(registered -> {
      if (registered.failed()) {
        owned.memory.release();
        promise.fail(registered.cause());
      } else {
        boolean write = operation == RegionOperation.WRITE;
        start(promise, operation, offset, length, new LocalMemory.Registered(registered.result(), localOffset, owned.memory, write,
          write && !lease.strategies.flushesWrites()), write ? flush(false) : null).onFailure(promise::tryFail);
      }
    });
    return promise.future();
  }

  @Override
  public Future<Long> fetchAndAdd(long offset, long add) {
    return atomic(RegionOperation.FETCH_ADD, offset, add, 0);
  }

  @Override
  public Future<Long> compareAndExchange(long offset, long expected, long value) {
    return atomic(RegionOperation.COMPARE_EXCHANGE, offset, expected, value);
  }

  private Future<Long> atomic(RegionOperation operation, long offset, long first, long second) {
    boolean exchange = operation == RegionOperation.COMPARE_EXCHANGE;
    boolean byOwner = lease.strategies.atomics() == Strategies.Atomics.OWNER;
    return begin(operation, offset, Long.BYTES, new LocalMemory.Word(byOwner, exchange, first, second),
      byOwner ? new RegionCall.Request(RegionFrames.ATOMIC, exchange ? RegionFrames.EXCHANGE : RegionFrames.ADD,
        RegionFrames.words(offset, first, second), false) : null);
  }

  @Override
  public RemoteRegionImpl withTimeout(Duration timeout) {
    return new RemoteRegionImpl(lease, caller, atomicWords, OwnedRegion.millis(timeout));
  }

  @Override
  public RemoteRegion closeHandler(Handler<RegionEnd> handler) {
    lease.peer.execute(() -> lease.endHandler(handler == null ? null : end -> caller.emit(end, handler)));
    return this;
  }

  public void whenClosed(Runnable task) {
    lease.closed().onComplete(v -> task.run());
  }

  /** Sets the reconnection of this region and its copies. */
  public void successor(Successor<RemoteRegion> successor) {
    lease.successor = successor;
  }

  @Override
  public RemoteRegion reconnectHandler(Handler<RemoteRegion> handler) {
    lease.successor.handler(handler);
    return this;
  }

  @Override
  public RemoteRegion exceptionHandler(Handler<Throwable> handler) {
    lease.successor.exceptionHandler(handler);
    return this;
  }

  @Override
  public Future<Void> close() {
    lease.successor.cancel();
    Promise<Void> promise = caller.promise();
    lease.closed().onComplete(promise);
    return lease.peer.execute(lease::close) ? promise.future() : Future.succeededFuture();
  }

  private <T> Future<T> begin(RegionOperation operation, long offset, long length, LocalMemory<T> local, RegionCall.Request request) {
    Promise<T> promise = caller.promise();
    RdmaException refusal = refusal(operation, offset, length);
    return refusal == null ? start(promise, operation, offset, length, local, request) : fail(promise, refusal);
  }

  /** Starts a call that the caller has checked. */
  private <T> Future<T> start(Promise<T> promise, RegionOperation operation, long offset, long length, LocalMemory<T> local,
    RegionCall.Request request) {
    if (lease.peer.execute(
      new RegionCall<>(lease, operation, offset, length, local, request, promise, (int) Math.min(timeoutMillis, Integer.MAX_VALUE)))) {
      return promise.future();
    }
    local.released();
    return Future.failedFuture(LoopCall.closed());
  }

  /** Returns why a call is refused, or null. Remembers the word of a permitted atomic. */
  private RdmaException refusal(RegionOperation operation, long offset, long length) {
    if (!Range.isInside(offset, length, size(), operation.align)) {
      return Range.error(lease.label() + " refused a " + operation, offset, length, size(), operation.align);
    }
    long word = operation.needs == RegionAccess.WRITE && length > 0 ? atomicWords.overlapping(offset, length) : -1;
    if (word >= 0) {
      return refusal(Reason.ACCESS_DENIED, operation + " of " + length + " bytes at offset " + offset + ": the word at "
        + word + " is used with atomics, and plain writes are not atomic. Set it with compareAndSet");
    }
    if (!description.access().contains(operation.needs)) {
      return refusal(Reason.ACCESS_DENIED,
        operation + ": it needs access " + operation.needs + ", and the owner permits only " + description.access());
    }
    if (operation.needs == RegionAccess.ATOMIC && lease.strategies.atomics() == Strategies.Atomics.UNREACHABLE) {
      return refusal(Reason.UNSUPPORTED, operation + ": atomics of this region are executed by the owner's device "
        + description.authority() + ", which cannot be requested over " + fabric());
    }
    if (operation.needs == RegionAccess.ATOMIC) {
      atomicWords.add(offset);
    }
    return operation.needs != RegionAccess.WRITE || lease.strategies.provesWrites() ? null
      : refusal(Reason.UNSUPPORTED, operation + UNPROVEN.formatted(fabric()));
  }

  private RdmaException refusal(Reason reason, String what) {
    return new RdmaException(reason, lease.label() + " refused a " + what);
  }

  private <T> Future<T> fail(Promise<T> promise, Reason reason, String what) {
    return fail(promise, refusal(reason, what));
  }

  private static <T> Future<T> fail(Promise<T> promise, RdmaException cause) {
    promise.fail(cause);
    return promise.future();
  }

  @Override
  public String toString() {
    return lease.label() + " (" + size() + " bytes) over " + fabric();
  }
}
