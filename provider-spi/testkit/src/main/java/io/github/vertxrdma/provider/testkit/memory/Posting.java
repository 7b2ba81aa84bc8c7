package io.github.vertxrdma.provider.testkit.memory;

import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;

/** Posts on a connected endpoint: checks, then messages to the peer's queue and copies to and from its memory. */
final class Posting {
  private static final byte[] NOTHING = new byte[0];
  private final InMemoryEndpoint endpoint;
  private final RegionTable table;
  private final SendQueue sends;
  private final ArrayDeque<InMemoryMessage> held = new ArrayDeque<>();

  Posting(InMemoryEndpoint endpoint) {
    this.endpoint = endpoint;
    table = endpoint.domain.table;
    sends = endpoint.sends;
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
    held.add(new InMemoryMessage(endpoint, endpoint.peer, work, data, immediate(immediate), hasImmediate, write));
    if ((flags & PostFlags.MORE) == 0) {
      flush();
    }
    return Status.OK;
  }

  private long immediate(long value) {
    int bits = endpoint.domain.capabilities().immediateBits();
    return bits >= Long.SIZE ? value : value & (1L << bits) - 1;
  }

  void flush() {
    for (InMemoryMessage message; (message = held.poll()) != null; ) {
      if (!endpoint.peer.queue.offer(message)) {
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
    int result = OneSided.write(endpoint.peer.domain.table, to, remoteOffset, from, offset, length);
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
    return finish(work, OneSided.write(endpoint.peer.domain.table, to, remoteOffset, list), flags);
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
    return finish(work, OneSided.read(endpoint.peer.domain.table, from, remoteOffset, to, offset, length), flags);
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
    return finish(work, OneSided.atomic(endpoint.peer.domain.table, at, remoteOffset, into, offset,
      operation == Operation.COMPARE_SWAP, first, second), flags);
  }

  private int finish(Work work, int result, int flags) {
    if (result == Status.OK) {
      endpoint.counts().succeeded(work.operation);
      if (work.operation == Operation.WRITE) {
        endpoint.peer.counts().add(Counter.Event.REMOTE_WRITES);
      }
      sends.complete(work, Status.OK, null);
      if ((flags & PostFlags.MORE) == 0) {
        flush();
      }
    } else {
      String why = work.operation + " was refused by the peer: no region with that key, range and access";
      endpoint.counts().add(Counter.Event.ERRORS);
      sends.complete(work, result, why);
      endpoint.broke(why);
    }
    return Status.OK;
  }

  /** What every post asks first. */
  private int check(Operation operation, long length, int flags) {
    if (endpoint.state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    if (!endpoint.domain.capabilities().can(operation)) {
      return Status.UNSUPPORTED;
    }
    if (length < 0) {
      return Status.LOCAL_RANGE;
    }
    boolean send = operation == Operation.SEND || operation == Operation.SEND_IMMEDIATE;
    if (length > (send ? endpoint.domain.limits().maxMessageSize() : endpoint.domain.limits().maxTransferSize())
      || (flags & PostFlags.INLINE) != 0 && length > endpoint.inlineSize()) {
      return Status.LIMIT;
    }
    return sends.hasRoom(operation) ? Status.OK : Status.AGAIN;
  }

  private int check(ScatterGather list) {
    if (list.size() > endpoint.scatterGather()) {
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
