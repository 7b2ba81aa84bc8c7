package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionHolder;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.base.FileMemory;
import io.github.vertxrdma.base.MemoryFaultException;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

public final class OwnedRegion implements MemoryRegion {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final long CLOSE_MILLIS = 10_000;

  final RegionRegistry registry;
  final LoopHost host;
  final Caller caller;
  final RegionMemory memory;
  final Exposures exposures;
  private final String name;
  private final long id;
  private final Set<RegionAccess> access;
  private final String authority;
  /** True if all devices expose the region: it has a name, and its options name no devices. */
  private final boolean everywhere;
  private final NotificationQueue notifications;
  private final Object publishing = new Object();
  private final Promise<Void> closed = Promise.promise();

  OwnedRegion(RegionRegistry registry, LoopHost host, Caller caller, RegionOptions options, long id, String authority,
    RegionMemory memory, List<Exposure> exposed) {
    this.registry = registry;
    this.host = host;
    this.caller = caller;
    this.name = options.getName();
    this.id = id;
    this.access = Set.copyOf(options.getAccess());
    this.everywhere = !name.isEmpty() && options.getFabrics().isEmpty();
    this.authority = authority;
    this.memory = memory;
    this.exposures = new Exposures(this, exposed);
    this.notifications = new NotificationQueue(caller);
  }

  public long id() {
    return id;
  }

  public String authority() {
    return access.contains(RegionAccess.ATOMIC) ? authority : RegionEntry.NONE;
  }

  boolean executesAtomics() {
    return authority.equals(RegionEntry.OWNER) || authority.equals(RegionEntry.PROCESSOR);
  }

  /**
   * Returns whether devices that are found later also expose the region. False if an adapter executes its atomics, because atomics of
   * different adapters do not exclude each other.
   */
  public boolean isExposedLater() {
    return everywhere && (executesAtomics() || authority().equals(RegionEntry.NONE));
  }

  String grantAuthority() {
    return authority;
  }

  public int generation() {
    return exposures.generation();
  }

  /** Returns tokens by {@link io.github.vertxrdma.provider.Device#fabric}; empty for an unnamed region. */
  public Map<String, RegionToken> tokens() {
    return exposures.tokens();
  }

  public boolean isOpen() {
    return exposures.isOpen();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() {
    return memory.size();
  }

  @Override
  public Set<RegionAccess> access() {
    return access;
  }

  @Override
  public MemorySegment segment() {
    return memory.segment();
  }

  @Override
  public long getAcquire(long offset) {
    check("a read", offset, Long.BYTES, Long.BYTES);
    MemorySegment segment = memory.segment();
    return segment.isMapped() ? touch(m -> (long) WORD.getAcquire(m, offset)) : (long) WORD.getAcquire(segment, offset);
  }

  @Override
  public Buffer read(long offset, int length) {
    check("a read", offset, length, 1);
    byte[] bytes = new byte[length];
    copy(memory.segment(), offset, MemorySegment.ofArray(bytes), 0, length);
    return BufferInternal.buffer(new HeapBuffer(bytes));
  }

  @Override
  public MemoryRegion write(long offset, Buffer data) {
    checkWrite("a write", offset, data.length(), 1);
    ByteBuf bytes = ((BufferInternal) data).getByteBuf();
    return touch(m -> {
      bytes.getBytes(bytes.readerIndex(), m.asSlice(offset, data.length()).asByteBuffer());
      return this;
    });
  }

  @Override
  public MemoryRegion notificationHandler(Handler<RegionNotification> handler) {
    notifications.handler(handler);
    return this;
  }

  /** @throws RdmaException if too many notifications wait for the handler */
  void checkNotifiable() {
    if (notifications.isFull()) {
      throw new RdmaException(Reason.LIMIT,
        label() + " has " + NotificationQueue.MAX_WAITING
          + " notifications waiting for its handler, the maximum. Wait before the next one");
    }
  }

  void notified(RegionNotification notification) {
    notifications.add(notification);
  }

  @Override
  public Future<Long> fetchAndAdd(long offset, long add) {
    return atomic(false, offset, add, 0);
  }

  @Override
  public Future<Long> compareAndExchange(long offset, long expected, long value) {
    return atomic(true, offset, expected, value);
  }

  private Future<Long> atomic(boolean exchange, long offset, long first, long second) {
    Promise<Long> promise = caller.promise();
    try {
      if (!executesAtomics()) {
        throw new RdmaException(Reason.UNSUPPORTED, "atomics of " + label() + " are executed by the device of " + authority
          + ", not by the processor. Open the region by name, like a peer, or share it with setOwnerAtomics(true)");
      }
      promise.complete(execute(exchange, offset, first, second));
    } catch (RdmaException | MemoryFaultException e) {
      promise.fail(e);
    }
    return promise.future();
  }

  long execute(boolean exchange, long offset, long first, long second) {
    checkWrite("an atomic", offset, Long.BYTES, Long.BYTES);
    MemorySegment m = memory.segment();
    if (m.isMapped()) {
      return exchange ? FileMemory.compareAndExchange(m, offset, first, second) : FileMemory.getAndAdd(m, offset, first);
    }
    return exchange ? (long) WORD.compareAndExchange(m, offset, first, second) : (long) WORD.getAndAdd(m, offset, first);
  }

  void put(MemorySegment from, long fromOffset, long offset, long length) {
    copy(from, fromOffset, memory.segment(), offset, length);
  }

  private void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long length) {
    if (memory.segment().isMapped()) {
      FileMemory.copy(from, fromOffset, to, toOffset, length);
    } else {
      MemorySegment.copy(from, fromOffset, to, toOffset, length);
    }
  }

  private <T> T touch(Function<MemorySegment, T> access) {
    MemorySegment m = memory.segment();
    return m.isMapped() ? FileMemory.access(() -> access.apply(m)) : access.apply(m);
  }

  private void check(String what, long offset, long length, int align) {
    memory.checkOpen(label());
    if (!Range.isInside(offset, length, size(), align)) {
      throw Range.error(label() + " refused " + what, offset, length, size(), align);
    }
  }

  private void checkWrite(String what, long offset, long length, int align) {
    check(what, offset, length, align);
    if (segment().isReadOnly()) {
      throw new RdmaException(Reason.ACCESS_DENIED, label() + " refused " + what + ": its memory is read-only");
    }
  }

  @Override
  public MemoryRegion putRecord(long offset, Buffer record) {
    checkWrite("a record with its header", offset, (long) PublishedRecord.HEADER + record.length(), Long.BYTES);
    synchronized (publishing) {
      byte[] bytes = record.getBytes();
      return touch(m -> {
        PublishedRecord.write(m, offset, bytes);
        return this;
      });
    }
  }

  @Override
  public Buffer getRecord(long offset) {
    check("a read of a record with its header", offset, PublishedRecord.HEADER, Long.BYTES);
    synchronized (publishing) {
      long room = Math.min(size() - offset - PublishedRecord.HEADER, Integer.MAX_VALUE - PublishedRecord.HEADER);
      int length = touch(m -> m.get(ValueLayout.JAVA_INT_UNALIGNED, offset + PublishedRecord.LENGTH));
      boolean fits = length >= 0 && length <= room;
      Buffer record = read(offset, PublishedRecord.HEADER + (fits ? length : 0));
      int data = PublishedRecord.check(record.getBytes());
      if (data == PublishedRecord.EMPTY) {
        return null;
      }
      if (data < 0) {
        throw new RdmaException(Reason.PROTOCOL, label() + " has bytes at offset " + offset + " that are no record. Write records "
          + "with putRecord only");
      }
      return record.slice(PublishedRecord.HEADER, PublishedRecord.HEADER + data);
    }
  }

  @Override
  public List<RegionHolder> holders() {
    return exposures.holders();
  }

  @Override
  public Future<Void> revoke(Duration timeout) {
    return onCallerContext(exposures.revoke(millis(timeout)).compose(v -> reclaim()));
  }

  @Override
  public Future<Void> close() {
    return onCallerContext(exposures.revoke(CLOSE_MILLIS).compose(v -> memory.close(label())).map(v -> {
      registry.closed(this);
      closed.tryComplete();
      return v;
    }));
  }

  public void whenClosed(Runnable task) {
    closed.future().onSuccess(v -> task.run());
  }

  Future<Void> reclaim() {
    return memory.reclaim(label(), exposures.isPinned());
  }

  static long millis(Duration timeout) {
    if (timeout.toMillis() <= 0) {
      throw new IllegalArgumentException("invalid timeout " + timeout + ": use at least 1 ms");
    }
    return timeout.toMillis();
  }

  Future<Void> onCallerContext(Future<Void> done) {
    Promise<Void> promise = caller.promise();
    done.onComplete(promise);
    return promise.future();
  }

  String label() {
    return name.isEmpty() ? "unnamed region " + Long.toHexString(id) : "region '" + name + "'";
  }

  @Override
  public String toString() {
    return label() + " (" + size() + " bytes)";
  }
}
