package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.WorkRequest;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/** Local memory of a call: source of a write or target of a read. Each chunk is transferred by one operation. */
interface LocalMemory<T> {

  LocalMemory<Void> NOTHING = new LocalMemory<>() {
    @Override
    public int chunkSize(RegionPeer peer) {
      return 0;
    }
  };

  /** Returns the maximum bytes of a chunk, or 0 if the owner executes the call. */
  default int chunkSize(RegionPeer peer) {
    return peer.link.loop().memory.stagingSlots.slotSize();
  }

  /** Sets the operation that transfers a chunk. */
  default void prepare(WorkRequest work, RemoteMemory remote, long remoteOffset, long at, int size) {
    work.read(null, 0, size, remote, remoteOffset);
  }

  default void copy(MemorySegment staging, long stagingAt, long at, int size) {
  }

  /** Sets the target of a read from mapped memory. Returns false to read through staging memory. */
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

  record IntoBuffer(Buffer into, int start) implements LocalMemory<Buffer> {
    @Override
    public boolean readsInto(WorkRequest work, long at) {
      if (!isArray(at, work.length())) {
        return false;
      }
      work.into(MemorySegment.ofArray(bytes().array()), bytes().arrayOffset() + start + at);
      return true;
    }

    private ByteBuf bytes() {
      return ((BufferInternal) into).unwrap();
    }

    private boolean isArray(long at, long size) {
      return bytes().hasArray() && start + at + size <= into.length();
    }

    @Override
    public void copy(MemorySegment staging, long stagingAt, long at, int size) {
      if (isArray(at, size)) {
        MemorySegment.copy(staging, ValueLayout.JAVA_BYTE, stagingAt, bytes().array(), bytes().arrayOffset() + start + (int) at, size);
      } else {
        into.setBytes(start + (int) at, staging.asSlice(stagingAt, size).asByteBuffer());
      }
    }

    @Override
    public Buffer result(long replied) {
      return into;
    }
  }

  /** @param delivered true if data counts as arrived only after a delivery-complete write */
  record OfBuffer(ByteBuf data, boolean delivered) implements LocalMemory<Void> {
    @Override
    public void prepare(WorkRequest work, RemoteMemory remote, long remoteOffset, long at, int size) {
      work.write(null, 0, size, remote, remoteOffset).flags(delivered ? PostFlags.DELIVERY_COMPLETE : 0);
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
    /** Maximum bytes of a chunk. Limits the bytes in flight when a region is revoked. */
    private static final int CHUNK = 8 << 20;

    @Override
    public int chunkSize(RegionPeer peer) {
      return (int) Math.min(CHUNK, peer.domain().limits().maxTransferSize());
    }

    @Override
    public void prepare(WorkRequest work, RemoteMemory remote, long remoteOffset, long at, int size) {
      if (isWrite) {
        work.write(local, start + at, size, remote, remoteOffset).flags(delivered ? PostFlags.DELIVERY_COMPLETE : 0);
      } else {
        work.read(local, start + at, size, remote, remoteOffset);
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
    public void prepare(WorkRequest work, RemoteMemory remote, long remoteOffset, long at, int size) {
      if (exchange) {
        work.compareSwap(null, 0, remote, remoteOffset, value, second);
      } else {
        work.fetchAdd(null, 0, remote, remoteOffset, value);
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

  /** Reads a {@link PublishedRecord}; the result is null if none was written. Repeats a torn read until the call times out. */
  final class ConsistentRead implements LocalMemory<Buffer> {
    private static final int IMMEDIATE_ATTEMPTS = 16;

    private final byte[] bytes;
    private int attempts;
    private int tooLarge;
    private boolean waiting;
    private int data;

    ConsistentRead(int length) {
      bytes = new byte[length];
    }

    @Override
    public String errorSuffix() {
      return attempts == 0 ? "" : ", torn " + attempts + " times,";
    }

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
    public void transferred(RegionCall<Buffer> call) {
      if (waiting) {
        return;
      }
      int found = PublishedRecord.check(bytes);
      if (found >= 0 || found == PublishedRecord.EMPTY) {
        data = found;
        call.confirm();
      } else if (found == PublishedRecord.TOO_LARGE && ++tooLarge > IMMEDIATE_ATTEMPTS) {
        // A torn read may return too large a length, but not repeatedly.
        call.fail(
          new RdmaException(Reason.TOO_LARGE, "the record has more data than the maximum of the call, "
            + (bytes.length - PublishedRecord.HEADER) + " bytes. Read it with a larger maxLength"));
      } else if (++attempts < IMMEDIATE_ATTEMPTS) {
        call.restart();
      } else {
        waiting = true;
        call.lease.peer.host().schedule(() -> {
          waiting = false;
          call.restart();
        }, 1, TimeUnit.MILLISECONDS);
      }
    }

    @Override
    public Buffer result(long replied) {
      return data == PublishedRecord.EMPTY ? null : BufferInternal.buffer(new HeapBuffer(bytes).slice(PublishedRecord.HEADER, data));
    }
  }

  /** View of the owner's memory. The fabric maps the memory when one byte is read. */
  record View(RegionLease lease, long offset, long length) implements LocalMemory<MemorySegment> {

    @Override
    public int chunkSize(RegionPeer peer) {
      return Integer.MAX_VALUE;
    }

    @Override
    public void prepare(WorkRequest work, RemoteMemory remote, long remoteOffset, long at, int size) {
      work.read(null, 0, 1, remote, remoteOffset);
    }

    @Override
    public void transferred(RegionCall<MemorySegment> call) {
      if (!lease.mayTransfer(call)) {
        return;
      }
      if (lease.remote().mapped() == null) {
        call.fail(new RdmaException(Reason.UNSUPPORTED, "the owner does not permit other processes to map the region. Read it instead"));
      } else {
        call.confirm();
      }
    }

    @Override
    public MemorySegment result(long replied) {
      MemorySegment view = lease.remote().mapped().asSlice(offset, length);
      return lease.description.access().contains(RegionAccess.WRITE) ? view : view.asReadOnly();
    }
  }
}
