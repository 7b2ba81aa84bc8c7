package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.github.vertxrdma.impl.rma.RmaHandler;
import io.github.vertxrdma.impl.rma.RmaQueue;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.WorkRequest;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * This side of a call: how its chunks are posted, where their bytes come from or go, and what they amount to. Confined to the link's loop.
 *
 * @param <T> the call's result
 */
interface LocalMemory<T> {

  /** Of a call that moves nothing, and results in nothing. */
  LocalMemory<Void> NOTHING = new LocalMemory<>() {
    @Override
    public int chunkSize(RegionPeer peer) {
      return 0;
    }
  };

  /** Bytes of a chunk at most, as much as staging memory takes if not said otherwise; 0 if the owner's request is all there is to it. */
  default int chunkSize(RegionPeer peer) {
    return peer.link.loop().memory.stagingSlots.slotSize();
  }

  /**
   * Posts a chunk; as a read through staging memory if not said otherwise.
   *
   * @param remoteOffset in the region
   * @param at in the call's bytes
   */
  default void post(RmaQueue rma, RemoteMemory remote, long remoteOffset, long at, int size, RmaHandler chunk) {
    rma.read(remote, remoteOffset, null, 0, size, chunk);
  }

  /** Copies a chunk between staging memory and the application's, in the direction of the call. */
  default void copy(MemorySegment staging, long stagingAt, long at, int size) {
  }

  /**
   * Names the memory that a chunk is copied to where the peer's memory is mapped, by {@link WorkRequest#into}.
   *
   * @param at in the call's bytes
   * @return false if it goes through staging memory, as it does if not said otherwise
   */
  default boolean readsInto(WorkRequest work, long at) {
    return false;
  }

  /** Goes on after all chunks; may be called more than once. */
  default void moved(RegionCall<T> call) {
    call.confirm();
  }

  /** Gives the result; null if not said otherwise. @param replied the value of the owner's answer, 0 without one */
  default T result(long replied) {
    return null;
  }

  /** Adds to the verb in messages. */
  default String remark() {
    return "";
  }

  /** Lets go of memory: the call is over, and the fabric touches nothing of it any more. */
  default void released() {
  }

  /** Reads into a new buffer. */
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

  /** Reads into the application's buffer. */
  record IntoBuffer(Buffer into, int start) implements LocalMemory<Buffer> {
    /** A buffer that has to grow does so when the bytes are there. */
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

  /** Writes a buffer. @param delivered true if the data must be delivered before its completion, since nothing else proves it */
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

  /**
   * Reads into registered memory of this process, or writes from it.
   *
   * @param memory retained for the call, released with it
   * @param delivered see {@link OfBuffer}
   */
  record Registered(MemoryRegion local, long start, RegionMemory memory, boolean isWrite, boolean delivered) implements LocalMemory<Void> {
    /** Chunks of this size cost nothing, and bound what is under way when the owner takes the region back. */
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

  /** Adds to a word, or compares and exchanges it; by the owner's device, or in an answer of the owner. */
  final class Word implements LocalMemory<Long> {
    private final boolean byOwner;
    private final boolean exchange;
    private final long second;
    /** The number to add or to compare with; then the old value. */
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
