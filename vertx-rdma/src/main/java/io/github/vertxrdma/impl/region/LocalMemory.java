package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.link.RmaHandler;
import io.github.vertxrdma.impl.link.RmaQueue;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.WorkRequest;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Local side of a call. Confined to the link's loop. */
interface LocalMemory<T> {

  LocalMemory<Void> NOTHING = new LocalMemory<>() {
    @Override
    public int chunkSize(RegionPeer peer) {
      return 0;
    }
  };

  /** Returns the maximum size of a chunk; 0 if the owner executes the call. */
  default int chunkSize(RegionPeer peer) {
    return peer.link.loop().memory.stagingSlots.slotSize();
  }

  default void post(RmaQueue rma, RemoteMemory remote, long remoteOffset, long at, int size, RmaHandler chunk) {
    rma.read(remote, remoteOffset, null, 0, size, chunk);
  }

  default void copy(MemorySegment staging, long stagingAt, long at, int size) {
  }

  /**
   * Sets the target of a read from mapped memory.
   *
   * @return false, the default, to read through staging memory
   */
  default boolean readsInto(WorkRequest work, long at) {
    return false;
  }

  /** Called when all chunks have completed, also after a restart. */
  default void transferred(RegionCall<T> call) {
    call.confirm();
  }

  default T result(long replied) {
    return null;
  }

  default String errorSuffix() {
    return "";
  }

  default void released() {
  }

  record NewBuffer(byte[] bytes) implements LocalMemory<Buffer> {
    @Override
    public boolean readsInto(WorkRequest work, long at) {
      work.into(MemorySegment.ofArray(bytes), at);
      return true;
    }

    @Override
    public void copy(MemorySegment staging, long stagingAt, long at, int size) {
      MemorySegment.copy(staging, ValueLayout.JAVA_BYTE, stagingAt, bytes, (int) at, size);
    }

    @Override
    public Buffer result(long replied) {
      return BufferInternal.buffer(new HeapBuffer(bytes));
    }
  }

  record IntoBuffer(Buffer into, int start) implements LocalMemory<Buffer> {
    @Override
    public boolean readsInto(WorkRequest work, long at) {
      ByteBuf bytes = ((BufferInternal) into).getByteBuf();
      if (!bytes.hasArray() || start + at + work.length() > into.length()) {
        return false;
      }
      work.into(MemorySegment.ofArray(bytes.array()), bytes.arrayOffset() + start + at);
      return true;
    }

    @Override
    public void copy(MemorySegment staging, long stagingAt, long at, int size) {
      into.setBytes(start + (int) at, staging.asSlice(stagingAt, size).asByteBuffer());
    }

    @Override
    public Buffer result(long replied) {
      return into;
    }
  }

  /** @param delivered true if only a delivery-complete write proves arrival */
  record OfBuffer(ByteBuf data, boolean delivered) implements LocalMemory<Void> {
    @Override
    public void post(RmaQueue rma, RemoteMemory remote, long remoteOffset, long at, int size, RmaHandler chunk) {
      rma.write(remote, remoteOffset, null, 0, size, delivered, chunk);
    }

    @Override
    public void copy(MemorySegment staging, long stagingAt, long at, int size) {
      int index = data.readerIndex() + (int) at;
      if (data.hasArray()) {
        MemorySegment.copy(data.array(), data.arrayOffset() + index, staging, ValueLayout.JAVA_BYTE, stagingAt, size);
      } else {
        data.getBytes(index, staging.asSlice(stagingAt, size).asByteBuffer());
      }
    }
  }

  record Registered(MemoryRegion local, long start, RegionMemory memory, boolean isWrite, boolean delivered) implements LocalMemory<Void> {
    /** Bounds the bytes in flight at a revocation. */
    private static final int CHUNK = 8 << 20;

    @Override
    public int chunkSize(RegionPeer peer) {
      return (int) Math.min(CHUNK, peer.domain().limits().maxTransferSize());
    }

    @Override
    public void post(RmaQueue rma, RemoteMemory remote, long remoteOffset, long at, int size, RmaHandler chunk) {
      if (isWrite) {
        rma.write(remote, remoteOffset, local, start + at, size, delivered, chunk);
      } else {
        rma.read(remote, remoteOffset, local, start + at, size, chunk);
      }
    }

    @Override
    public void released() {
      memory.release();
    }
  }

  final class Word implements LocalMemory<Long> {
    private final boolean byOwner;
    private final boolean exchange;
    private final long second;
    private long value;

    Word(boolean byOwner, boolean exchange, long first, long second) {
      this.byOwner = byOwner;
      this.exchange = exchange;
      this.value = first;
      this.second = second;
    }

    @Override
    public int chunkSize(RegionPeer peer) {
      return byOwner ? 0 : Long.BYTES;
    }

    @Override
    public void post(RmaQueue rma, RemoteMemory remote, long remoteOffset, long at, int size, RmaHandler chunk) {
      if (exchange) {
        rma.compareSwap(remote, remoteOffset, value, second, chunk);
      } else {
        rma.fetchAdd(remote, remoteOffset, value, chunk);
      }
    }

    @Override
    public void copy(MemorySegment staging, long stagingAt, long at, int size) {
      value = staging.get(ValueLayout.JAVA_LONG_UNALIGNED, stagingAt);
    }

    @Override
    public Long result(long replied) {
      return byOwner ? replied : value;
    }
  }
}
