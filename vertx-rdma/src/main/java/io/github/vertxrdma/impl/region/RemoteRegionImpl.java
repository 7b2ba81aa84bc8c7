package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import java.util.Set;

/** A region of a peer as the application sees it: checks calls on the caller's thread, then hands them to the link's loop. */
final class RemoteRegionImpl implements RemoteRegion {
  private static final String UNPROVEN = ": %s neither delivers writes completely nor keeps messages behind them, so nobody could know "
    + "when the data is there — use another fabric, or send messages";

  final Lease lease;
  private final RegionDescription description;
  private final AtomicWords atomicWords = new AtomicWords();
  private volatile ContextInternal context;
  private volatile long timeoutMillis;

  RemoteRegionImpl(Lease lease, ContextInternal context) {
    this.lease = lease;
    this.description = lease.description;
    this.context = context;
    this.timeoutMillis = lease.peer.timeoutMillis();
  }

  /** Where its handlers run. */
  void context(ContextInternal value) {
    context = value;
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
    Promise<Buffer> promise = promise();
    return refused(promise, RegionAccess.READ, "read", offset, length)
      ? promise.future() : begin(promise, new ReadToBuffer(lease, offset, length, false, 0, promise, timeoutMillis));
  }

  @Override
  public Future<Void> read(long offset, Buffer into, int at, int length) {
    Promise<Void> promise = promise();
    if (at < 0) {
      return fail(promise, Reason.OUT_OF_RANGE, "read of " + length + " bytes to " + at + " of a buffer");
    }
    return refused(promise, RegionAccess.READ, "read", offset, length)
      ? promise.future() : begin(promise, new ReadIntoBuffer(lease, offset, length, into, at, promise, timeoutMillis));
  }

  @Override
  public Future<Void> read(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(false, offset, local, localOffset, length);
  }

  @Override
  public Future<Buffer> readConsistent(long offset, int maxLength) {
    Promise<Buffer> promise = promise();
    if (maxLength < 0 || offset < 0 || (offset & 7) != 0 || offset > size() - PublishedRecord.HEADER) {
      return fail(promise, Reason.OUT_OF_RANGE, "consistent read of " + maxLength + " bytes at " + offset + " of " + size()
        + ": a record begins with " + PublishedRecord.HEADER + " bytes, at a multiple of 8");
    }
    int length = (int) Math.min(Math.min(size() - offset, Integer.MAX_VALUE - 8), (long) PublishedRecord.HEADER + maxLength);
    return refused(promise, RegionAccess.READ, "consistent read", offset, length)
      ? promise.future() : begin(promise, new ConsistentRead(lease, offset, length, promise, timeoutMillis));
  }

  @Override
  public Future<Void> write(long offset, Buffer data) {
    return write(offset, data, false, 0);
  }

  @Override
  public Future<Void> writeNotify(long offset, Buffer data, long tag) {
    return write(offset, data, true, tag);
  }

  private Future<Void> write(long offset, Buffer data, boolean notifies, long tag) {
    Promise<Void> promise = promise();
    String verb = notifies ? "notified write" : "write";
    if (refused(promise, RegionAccess.WRITE, verb, offset, data.length())) {
      return promise.future();
    }
    if (notifies ? lease.strategies.notified() == Strategies.Notify.NONE : lease.strategies.write() == Strategies.Write.NONE) {
      return fail(promise, Reason.UNSUPPORTED, verb + UNPROVEN.formatted(fabric()));
    }
    if (notifies && data.length() <= lease.strategies.carried()) {
      return carry(offset, data, tag, promise);
    }
    return begin(promise, new WriteOperation(lease, offset, data, notifies, tag, promise, timeoutMillis));
  }

  /** A notified write whose data goes in the notification, unchecked. */
  Future<Void> carry(long offset, Buffer data, long tag, Promise<Void> promise) {
    return begin(promise, new CarriedWrite(lease, offset, data, tag, promise, timeoutMillis));
  }

  @Override
  public Future<Void> write(long offset, MemoryRegion local, long localOffset, long length) {
    return direct(true, offset, local, localOffset, length);
  }

  private Future<Void> direct(boolean write, long offset, MemoryRegion local, long localOffset, long length) {
    Promise<Void> promise = promise();
    String verb = write ? "write" : "read";
    if (!(local instanceof OwnedRegion owned)) {
      return fail(promise, Reason.UNSUPPORTED, verb + " with a local region of another product");
    }
    if (localOffset < 0 || length < 0 || localOffset > owned.size() - length) {
      return fail(promise, Reason.OUT_OF_RANGE, verb + " of " + length + " bytes with those at " + localOffset + " of " + owned);
    }
    if (refused(promise, write ? RegionAccess.WRITE : RegionAccess.READ, verb, offset, length)) {
      return promise.future();
    }
    if (write && lease.strategies.write() == Strategies.Write.NONE) {
      return fail(promise, Reason.UNSUPPORTED, verb + UNPROVEN.formatted(fabric()));
    }
    if (!owned.memory.retain()) {
      return fail(promise, Reason.CLOSED, verb + " with " + owned + ", which is closed");
    }
    long timeout = timeoutMillis;
    owned.memory.local(lease.peer.domain(), owned.registry.registrations()).onComplete(registered -> {
      if (registered.failed()) {
        owned.memory.release();
        promise.fail(registered.cause());
      } else {
        begin(promise, new DirectTransfer(lease, write, offset, length, registered.result(), localOffset, owned.memory, promise, timeout));
      }
    });
    return promise.future();
  }

  @Override
  public Future<Buffer> readNotify(long offset, int length, long tag) {
    Promise<Buffer> promise = promise();
    return refused(promise, RegionAccess.READ, "read", offset, length)
      ? promise.future() : begin(promise, new ReadToBuffer(lease, offset, length, true, tag, promise, timeoutMillis));
  }

  @Override
  public Future<Long> fetchAndAdd(long offset, long add) {
    return atomic(false, "fetch-and-add", offset, add, 0);
  }

  @Override
  public Future<Long> compareAndExchange(long offset, long expected, long value) {
    return atomic(true, "compare-and-exchange", offset, expected, value);
  }

  private Future<Long> atomic(boolean exchange, String verb, long offset, long first, long second) {
    Promise<Long> promise = promise();
    if (refused(promise, RegionAccess.ATOMIC, verb, offset, Long.BYTES)) {
      return promise.future();
    }
    if ((offset & 7) != 0) {
      return fail(promise, Reason.OUT_OF_RANGE, verb + " at " + offset + ": offsets of words are multiples of 8");
    }
    if (lease.strategies.atomics() == Strategies.Atomics.UNREACHABLE) {
      return fail(promise, Reason.UNSUPPORTED, verb + ": atomics of it are executed by the device of " + description.authority() + ", and "
        + fabric() + " cannot ask for them");
    }
    atomicWords.add(offset);
    return begin(promise, new AtomicOperation(lease, exchange, offset, first, second, promise, timeoutMillis));
  }

  @Override
  public RemoteRegion setTimeout(long millis) {
    if (millis <= 0) {
      throw new IllegalArgumentException("a timeout of " + millis + " ms");
    }
    timeoutMillis = millis;
    return this;
  }

  @Override
  public RemoteRegion revokedHandler(Handler<Void> handler) {
    lease.peer.execute(() -> lease.endedHandler(handler == null ? null : () -> context.emit(null, handler)));
    return this;
  }

  @Override
  public Future<Void> close() {
    Promise<Void> promise = promise();
    lease.peer.execute(() -> lease.close(promise::complete));
    return promise.future();
  }

  // ---- calls

  private <T> Promise<T> promise() {
    return lease.peer.registry.vertx().getOrCreateContext().promise();
  }

  private <T> Future<T> begin(Promise<T> promise, RegionOperation<?> operation) {
    lease.peer.execute(operation::begin);
    return promise.future();
  }

  private boolean refused(Promise<?> promise, RegionAccess needed, String verb, long offset, long length) {
    if (offset < 0 || length < 0 || offset > size() - length) {
      fail(promise, Reason.OUT_OF_RANGE, verb + " of " + length + " bytes at " + offset + " of " + size());
      return true;
    }
    long word = needed == RegionAccess.WRITE && length > 0 ? atomicWords.touched(offset, length) : -1;
    if (word >= 0) {
      fail(promise, Reason.ACCESS_DENIED, verb + " of " + length + " bytes at " + offset + ": the word at " + word
        + " is used with atomics, which plain writes do not respect — set it with compareAndSet");
      return true;
    }
    if (!description.access().contains(needed)) {
      fail(promise, Reason.ACCESS_DENIED, verb + " needs access " + needed + "; its owner gave " + description.access());
      return true;
    }
    return false;
  }

  private <T> Future<T> fail(Promise<T> promise, Reason reason, String what) {
    promise.fail(new RdmaException(reason, lease.label() + " refused a " + what));
    return promise.future();
  }

  @Override
  public String toString() {
    return lease.label() + " (" + size() + " bytes) over " + fabric();
  }
}
