package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;

/** A peer's region as the application sees it. Checks calls on the caller's thread, then passes them to the link's loop. */
public final class RemoteRegionImpl implements HeldRegion {
  private static final String UNPROVEN = ": %s neither delivers writes completely nor keeps messages behind them, so nobody could know "
    + "when the data is there — use another fabric, or send messages";

  final Lease lease;
  private final RegionDescription description;
  private final AtomicWords atomicWords;
  private final long timeoutMillis;
  private volatile Caller caller;

  /** @param caller null if {@link #caller} sets it before the application gets the region */
  RemoteRegionImpl(Lease lease, Caller caller) {
    this(lease, caller, new AtomicWords(), lease.peer.timeoutMillis());
  }

  private RemoteRegionImpl(Lease lease, Caller caller, AtomicWords atomicWords, long timeoutMillis) {
    this.lease = lease;
    this.description = lease.description;
    this.caller = caller;
    this.atomicWords = atomicWords;
    this.timeoutMillis = timeoutMillis;
  }

  /** Returns this region with the atomic words of the other. */
  RemoteRegionImpl alike(RemoteRegionImpl other) {
    return new RemoteRegionImpl(lease, caller, other.atomicWords, other.timeoutMillis);
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
    Promise<Buffer> promise = caller.promise();
    return isAllowed(promise, Verb.READ, offset, length, 1)
      ? begin(promise, Verb.READ, offset, length, new LocalMemory.NewBuffer(new byte[length]), null) : promise.future();
  }

  @Override
  public Future<Buffer> readNotify(long offset, int length, long tag) {
    Promise<Buffer> promise = caller.promise();
    return isAllowed(promise, Verb.READ, offset, length, 1)
      ? begin(promise, Verb.READ, offset, length, new LocalMemory.NewBuffer(new byte[length]), OwnerRequest.readDone(offset, length, tag))
      : promise.future();
  }

  @Override
  public Future<Buffer> read(long offset, Buffer into, int at, int length) {
    Promise<Buffer> promise = caller.promise();
    if (at < 0 || at > Integer.MAX_VALUE - Math.max(0, length)) {
      return fail(promise, Reason.OUT_OF_RANGE, "read of " + length + " bytes to " + at + " of a buffer");
    }
    return isAllowed(promise, Verb.READ, offset, length, 1)
      ? begin(promise, Verb.READ, offset, length, new LocalMemory.IntoBuffer(into, at), null) : promise.future();
  }

  @Override
  public Future<Void> read(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(Verb.READ, offset, local, localOffset, length);
  }

  @Override
  public Future<Buffer> readRecord(long offset, int maxLength) {
    Promise<Buffer> promise = caller.promise();
    // The region may end before the maximum length.
    long most = maxLength < 0 ? maxLength
      : PublishedRecord.HEADER + Math.min(maxLength, Math.max(0, size() - offset - PublishedRecord.HEADER));
    int length = (int) Math.min(most, Integer.MAX_VALUE - 8);
    return isAllowed(promise, Verb.CONSISTENT_READ, offset, length, Long.BYTES)
      ? begin(promise, Verb.CONSISTENT_READ, offset, length, new ConsistentRead(length), null) : promise.future();
  }

  @Override
  public Future<MemorySegment> view(long offset, long length) {
    Promise<MemorySegment> promise = caller.promise();
    if (!lease.peer.domain().capabilities().maps()) {
      return fail(promise, Reason.UNSUPPORTED, "view: " + fabric() + " does not map memory of peers — read it");
    }
    if (length == 0) {
      return fail(promise, Reason.OUT_OF_RANGE, "view of 0 bytes");
    }
    return isAllowed(promise, Verb.VIEW, offset, length, 1)
      ? begin(promise, Verb.VIEW, offset, length, new View(lease, offset, length), null) : promise.future();
  }

  @Override
  public Future<Void> write(long offset, Buffer data) {
    Promise<Void> promise = caller.promise();
    return isAllowed(promise, Verb.WRITE, offset, data.length(), 1) ? begin(promise, Verb.WRITE, offset, data.length(),
      new LocalMemory.OfBuffer(bytes(data), !isFlushed()), isFlushed() ? OwnerRequest.flush(true) : null) : promise.future();
  }

  @Override
  public Future<Void> write(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(Verb.WRITE, offset, local, localOffset, length);
  }

  @Override
  public Future<Void> writeNotify(long offset, Buffer data, long tag) {
    Promise<Void> promise = caller.promise();
    if (!isAllowed(promise, Verb.NOTIFIED_WRITE, offset, data.length(), 1)) {
      return promise.future();
    }
    if (data.length() <= lease.strategies.inline()) {
      return writeInline(offset, data, tag, promise);
    }
    boolean together = lease.strategies.notified() == Strategies.Notify.TOGETHER;
    return begin(promise, Verb.NOTIFIED_WRITE, offset, data.length(), new LocalMemory.OfBuffer(bytes(data), !together),
      OwnerRequest.notify(offset, data.length(), tag, together));
  }

  /** Writes with the data in the frame, unchecked. */
  Future<Void> writeInline(long offset, Buffer data, long tag, Promise<Void> promise) {
    ByteBuf bytes = bytes(data);
    int length = data.length();
    byte[] payload = RegionFrames.writeNotify(offset, tag, length);
    bytes.getBytes(bytes.readerIndex(), payload, RegionFrames.INLINE_HEAD, length);
    return begin(promise, Verb.NOTIFIED_WRITE, offset, length, LocalMemory.NOTHING, OwnerRequest.inline(payload));
  }

  private static ByteBuf bytes(Buffer data) {
    return ((BufferInternal) data).getByteBuf();
  }

  private boolean isFlushed() {
    return lease.strategies.write() == Strategies.Write.FLUSHED;
  }

  /** Reads into a local region, or writes from it, without a copy. */
  Future<Void> direct(Verb verb, long offset, MemoryRegion local, long localOffset, long length) {
    Promise<Void> promise = caller.promise();
    if (!(local instanceof OwnedRegion owned)) {
      return fail(promise, Reason.UNSUPPORTED, verb + " with a local region of another product");
    }
    if (!isAllowed(promise, verb, offset, length, 1)) {
      return promise.future();
    }
    if (!Range.isInside(localOffset, length, owned.size(), 1)) {
      promise.fail(Range.error(lease.label() + " refused a " + verb + " with " + owned + ',', localOffset, length, owned.size(), 1));
      return promise.future();
    }
    if (verb == Verb.READ && owned.memory.segment().isReadOnly()) {
      return fail(promise, Reason.ACCESS_DENIED, verb + " into " + owned + ", whose memory is read-only");
    }
    if (!owned.memory.retain()) {
      return fail(promise, Reason.CLOSED, verb + " with " + owned + ", which is closed");
    }
    owned.memory.local(lease.peer.domain(), owned.registry.registrations).onComplete(registered -> {
      if (registered.failed()) {
        owned.memory.release();
        promise.fail(registered.cause());
      } else {
        boolean write = verb == Verb.WRITE;
        begin(promise, verb, offset, length, new LocalMemory.Registered(registered.result(), localOffset, owned.memory, write,
          write && !isFlushed()), write && isFlushed() ? OwnerRequest.flush(false) : null).onFailure(promise::tryFail);
      }
    });
    return promise.future();
  }

  @Override
  public Future<Long> fetchAndAdd(long offset, long add) {
    return atomic(Verb.FETCH_ADD, offset, add, 0);
  }

  @Override
  public Future<Long> compareAndExchange(long offset, long expected, long value) {
    return atomic(Verb.COMPARE_EXCHANGE, offset, expected, value);
  }

  private Future<Long> atomic(Verb verb, long offset, long first, long second) {
    Promise<Long> promise = caller.promise();
    if (!isAllowed(promise, verb, offset, Long.BYTES, Long.BYTES)) {
      return promise.future();
    }
    if (lease.strategies.atomics() == Strategies.Atomics.UNREACHABLE) {
      return fail(promise, Reason.UNSUPPORTED, verb + ": atomics of it are executed by the device of " + description.authority() + ", and "
        + fabric() + " cannot ask for them");
    }
    atomicWords.add(offset);
    boolean exchange = verb == Verb.COMPARE_EXCHANGE;
    boolean byOwner = lease.strategies.atomics() == Strategies.Atomics.OWNER;
    return begin(promise, verb, offset, Long.BYTES, new LocalMemory.Word(byOwner, exchange, first, second),
      byOwner ? OwnerRequest.atomic(exchange, offset, first, second) : null);
  }

  @Override
  public RemoteRegion withTimeout(Duration timeout) {
    return new RemoteRegionImpl(lease, caller, atomicWords, OwnedRegion.millis(timeout));
  }

  @Override
  public RemoteRegion closeHandler(Handler<RegionEnd> handler) {
    onLoop(() -> lease.endHandler(handler == null ? null : end -> caller.emit(end, handler)));
    return this;
  }

  @Override
  public void whenOver(Runnable task) {
    onLoop(() -> lease.whenOver(task));
  }

  @Override
  public Future<Void> close() {
    Promise<Void> promise = caller.promise();
    return onLoop(() -> lease.close(promise::complete)) ? promise.future() : Future.succeededFuture();
  }

  /** @return false if the loop and the region ended with their Vert.x */
  private boolean onLoop(Runnable task) {
    return lease.peer.execute(task);
  }

  // ---- calls

  private <T> Future<T> begin(Promise<T> promise, Verb verb, long offset, long length, LocalMemory<T> local, OwnerRequest request) {
    if (onLoop(new RegionCall<>(lease, verb, offset, length, local, request, promise, (int) Math.min(timeoutMillis, Integer.MAX_VALUE)))) {
      return promise.future();
    }
    local.released();
    // Without a context, as the caller's may have ended.
    return Future.failedFuture(new RdmaException(Reason.CLOSED, lease.label() + " cannot be used any more: its Vert.x was closed"));
  }

  /** Fails the promise if the call is invalid. */
  private boolean isAllowed(Promise<?> promise, Verb verb, long offset, long length, int align) {
    RdmaException refusal = refusal(verb, offset, length, align);
    if (refusal != null) {
      promise.fail(refusal);
    }
    return refusal == null;
  }

  /** @return why the call is invalid, or null */
  RdmaException refusal(Verb verb, long offset, long length, int align) {
    if (!Range.isInside(offset, length, size(), align)) {
      return Range.error(lease.label() + " refused a " + verb, offset, length, size(), align);
    }
    long word = verb.needs == RegionAccess.WRITE && length > 0 ? atomicWords.touched(offset, length) : -1;
    if (word >= 0) {
      return refusal(Reason.ACCESS_DENIED, verb + " of " + length + " bytes at " + offset + ": the word at " + word
        + " is used with atomics, which plain writes do not respect — set it with compareAndSet");
    }
    if (!description.access().contains(verb.needs)) {
      return refusal(Reason.ACCESS_DENIED, verb + ": that needs " + verb.needs + ", and its owner gave " + description.access());
    }
    return lease.strategies.proves(verb) ? null : refusal(Reason.UNSUPPORTED, verb + UNPROVEN.formatted(fabric()));
  }

  private RdmaException refusal(Reason reason, String what) {
    return new RdmaException(reason, lease.label() + " refused a " + what);
  }

  private <T> Future<T> fail(Promise<T> promise, Reason reason, String what) {
    promise.fail(refusal(reason, what));
    return promise.future();
  }

  @Override
  public String toString() {
    return lease.label() + " (" + size() + " bytes) over " + fabric();
  }
}
