package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;

/** Posts to one peer: checks, then messages to the peer's queue and copies to and from its memory. */
final class Posting {
  private static final byte[] NOTHING = new byte[0];
  private final RegionTable table;
  private final Capabilities capabilities;
  private final Limits limits;
  private final SendQueue sends;
  private final Outlet outlet;
  private final int inlineSize;
  private final int scatterGather;
  private final ArrayDeque<Message> held = new ArrayDeque<>();

  Posting(RegionTable table, Capabilities capabilities, Limits limits, SendQueue sends, Outlet outlet, int inlineSize,
    int scatterGather) {
    this.table = table;
    this.capabilities = capabilities;
    this.limits = limits;
    this.sends = sends;
    this.outlet = outlet;
    this.inlineSize = inlineSize;
    this.scatterGather = scatterGather;
  }

  int send(long requestId, Operation operation, MemoryRegion region, long offset, int length, long immediate, int flags) {
    int status = check(operation, length, flags);
    if (status != Status.OK) {
      return status;
    }
    InMemoryRegion from = local(region);
    MemorySegment memory = from == null ? null : from.acquire(offset, length);
    if (memory == null) {
      return Status.LOCAL_RANGE;
    }
    byte[] data = memory.toArray(ValueLayout.JAVA_BYTE);
    from.release();
    return submit(sends.add(requestId, operation, flags), data, immediate, operation == Operation.SEND_IMMEDIATE, false, flags);
  }

  int send(long requestId, ScatterGather list, int flags) {
    int status = check(Operation.SEND, list.total(), flags);
    if (status == Status.OK) {
      status = check(list);
    }
    if (status != Status.OK) {
      return status;
    }
    byte[] data = new byte[(int) list.total()];
    int at = 0;
    for (int i = 0; i < list.size(); i++) {
      InMemoryRegion from = local(list.region(i));
      MemorySegment memory = from.acquire(list.offset(i), list.length(i));
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, data, at, list.length(i));
      from.release();
      at += list.length(i);
    }
    return submit(sends.add(requestId, Operation.SEND, flags), data, 0, false, false, flags);
  }

  private int submit(Work work, byte[] data, long immediate, boolean hasImmediate, boolean write, int flags) {
    held.add(outlet.message(work, data, immediate(immediate), hasImmediate, write));
    if ((flags & PostFlags.MORE) == 0) {
      flush();
    }
    return Status.OK;
  }

  private long immediate(long value) {
    int bits = capabilities.immediateBits();
    return bits >= Long.SIZE ? value : value & (1L << bits) - 1;
  }

  void flush() {
    for (Message message; (message = held.poll()) != null; ) {
      if (!outlet.hand(message)) {
        message.bounce();
      }
    }
  }

  /** Forgets what MORE held back. */
  void drop() {
    held.clear();
  }

  int write(long requestId, Operation operation, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
    long immediate, int flags) {
    int status = check(operation, length, flags);
    if (status != Status.OK) {
      return status;
    }
    InMemoryRegion from = local(region);
    if (from == null || !within(from, offset, length)) {
      return Status.LOCAL_RANGE;
    }
    if (!(remote instanceof InMemoryRemote to) || !to.covers(remoteOffset, length)) {
      return Status.REMOTE_RANGE;
    }
    Work work = sends.add(requestId, operation, flags);
    int result = OneSided.write(outlet.target(), to, remoteOffset, from, offset, length);
    if (operation == Operation.WRITE_IMMEDIATE && result == Status.OK) {
      return submit(work, NOTHING, immediate, true, true, flags);
    }
    return finish(work, result, flags);
  }

  int write(long requestId, ScatterGather list, RemoteMemory remote, long remoteOffset, int flags) {
    int status = check(Operation.WRITE, list.total(), flags);
    if (status == Status.OK) {
      status = check(list);
    }
    if (status != Status.OK) {
      return status;
    }
    if (!(remote instanceof InMemoryRemote to) || !to.covers(remoteOffset, list.total())) {
      return Status.REMOTE_RANGE;
    }
    Work work = sends.add(requestId, Operation.WRITE, flags);
    return finish(work, OneSided.write(outlet.target(), to, remoteOffset, list), flags);
  }

  int read(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    int status = check(Operation.READ, length, flags & ~PostFlags.INLINE);
    if (status != Status.OK) {
      return status;
    }
    InMemoryRegion to = local(region);
    if (to == null || !to.readSink() || !within(to, offset, length)) {
      return Status.LOCAL_RANGE;
    }
    if (!(remote instanceof InMemoryRemote from) || !from.covers(remoteOffset, length)) {
      return Status.REMOTE_RANGE;
    }
    Work work = sends.add(requestId, Operation.READ, flags);
    return finish(work, OneSided.read(outlet.target(), from, remoteOffset, to, offset, length), flags);
  }

  int atomic(long requestId, Operation operation, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long first,
    long second, int flags) {
    int status = check(operation, Long.BYTES, flags & ~PostFlags.INLINE);
    if (status != Status.OK) {
      return status;
    }
    InMemoryRegion into = local(result);
    if (into == null || !into.localWrite() || !within(into, offset, Long.BYTES)) {
      return Status.LOCAL_RANGE;
    }
    if (!(remote instanceof InMemoryRemote at) || !at.covers(remoteOffset, Long.BYTES) || (at.address + remoteOffset & 7) != 0) {
      return Status.REMOTE_RANGE;
    }
    Work work = sends.add(requestId, operation, flags);
    return finish(work, OneSided.atomic(outlet.target(), at, remoteOffset, into, offset,
      operation == Operation.COMPARE_SWAP, first, second), flags);
  }

  private int finish(Work work, int result, int flags) {
    if (result == Status.OK) {
      outlet.done(work.operation);
      sends.complete(work, Status.OK, null);
      if ((flags & PostFlags.MORE) == 0) {
        flush();
      }
    } else {
      String why = work.operation + " was refused by the peer: no region with that key, range and access";
      sends.complete(work, result, why);
      outlet.failed(why);
    }
    return Status.OK;
  }

  /** What every post asks first. */
  private int check(Operation operation, long length, int flags) {
    if (!outlet.usable()) {
      return Status.NOT_CONNECTED;
    }
    if (!capabilities.can(operation)) {
      return Status.UNSUPPORTED;
    }
    if (length < 0) {
      return Status.LOCAL_RANGE;
    }
    boolean send = operation == Operation.SEND || operation == Operation.SEND_IMMEDIATE;
    if (length > (send ? limits.maxMessageSize() : limits.maxTransferSize())
      || (flags & PostFlags.INLINE) != 0 && length > inlineSize) {
      return Status.LIMIT;
    }
    return sends.hasRoom(operation) ? Status.OK : Status.AGAIN;
  }

  private int check(ScatterGather list) {
    if (list.size() > scatterGather) {
      return Status.LIMIT;
    }
    for (int i = 0; i < list.size(); i++) {
      InMemoryRegion region = local(list.region(i));
      if (region == null || !within(region, list.offset(i), list.length(i))) {
        return Status.LOCAL_RANGE;
      }
    }
    return Status.OK;
  }

  private InMemoryRegion local(MemoryRegion region) {
    return region instanceof InMemoryRegion memory && memory.table == table && memory.open() ? memory : null;
  }

  private static boolean within(InMemoryRegion region, long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= region.size() - length;
  }
}
