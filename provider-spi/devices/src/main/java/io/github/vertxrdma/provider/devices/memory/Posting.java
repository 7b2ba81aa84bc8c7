package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
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

  int post(WorkRequest request) {
    Operation operation = request.operation();
    int flags = operation.isRead() ? request.flags() & ~PostFlags.INLINE : request.flags();
    int status = check(request, flags);
    if (status == Status.OK) {
      status = checkLocal(request);
    }
    if (status != Status.OK) {
      return status;
    }
    if (!operation.isOneSided()) {
      return submit(sends.add(request), gathered(request), request);
    }
    if (!(request.remote() instanceof InMemoryRemote remote) || !remote.covers(request.remoteOffset(), request.length())
      || operation.isAtomic() && (remote.address + request.remoteOffset() & 7) != 0) {
      return Status.REMOTE_RANGE;
    }
    Work work = sends.add(request);
    int result = OneSided.access(outlet.target(), remote, request);
    return operation == Operation.WRITE_IMMEDIATE && result == Status.OK ? submit(work, NOTHING, request)
      : finish(work, result, flags);
  }

  private static byte[] gathered(WorkRequest request) {
    byte[] data = new byte[(int) request.length()];
    OneSided.gather(request, MemorySegment.ofArray(data));
    return data;
  }

  private int submit(Work work, byte[] data, WorkRequest request) {
    Operation operation = request.operation();
    held.add(outlet.message(work, data, immediate(request.immediate()), operation.hasImmediate(), operation.isOneSided()));
    if ((request.flags() & PostFlags.MORE) == 0) {
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

  private int check(WorkRequest request, int flags) {
    Operation operation = request.operation();
    long length = request.length();
    if (!outlet.usable()) {
      return Status.NOT_CONNECTED;
    }
    if (!capabilities.can(operation)) {
      return Status.UNSUPPORTED;
    }
    if (length < 0) {
      return Status.LOCAL_RANGE;
    }
    if (length > (operation.isOneSided() ? limits.maxTransferSize() : limits.maxMessageSize())
      || (flags & PostFlags.INLINE) != 0 && length > inlineSize) {
      return Status.LIMIT;
    }
    return sends.hasRoom(operation) ? Status.OK : Status.AGAIN;
  }

  private int checkLocal(WorkRequest request) {
    ScatterGather list = request.list();
    if (list == null) {
      Operation operation = request.operation();
      boolean local = isLocal(request.region(), request.offset(), request.length())
        && (!operation.isRead() || ((InMemoryRegion) request.region()).isSink(operation));
      return local ? Status.OK : Status.LOCAL_RANGE;
    }
    if (list.size() > scatterGather) {
      return Status.LIMIT;
    }
    for (int i = 0; i < list.size(); i++) {
      if (!isLocal(list.region(i), list.offset(i), list.length(i))) {
        return Status.LOCAL_RANGE;
      }
    }
    return Status.OK;
  }

  private boolean isLocal(MemoryRegion region, long offset, long length) {
    return region instanceof InMemoryRegion memory && memory.table == table && memory.covers(offset, length);
  }
}
