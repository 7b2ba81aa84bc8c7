package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.RegionTable;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;

/** Posts to one peer: checks them, hands messages to the queue of the peer, and copies to and from the memory of the peer. */
final class Posting {
  private final RegionTable<InMemoryRegion> table;
  private final Capabilities capabilities;
  private final Limits limits;
  private final SendQueue sends;
  final Outlet outlet;
  private final int inlineSize;
  private final int scatterGather;
  private final ArrayDeque<Message> held = new ArrayDeque<>();
  /** Operations that a courier carries, whose bytes are not read from memory yet. */
  private final Set<Source> unread = new LinkedHashSet<>();

  Posting(InMemoryResources domain, SendQueue sends, Outlet outlet, int inlineSize, int scatterGather) {
    table = domain.regions();
    capabilities = domain.capabilities();
    limits = domain.limits();
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
      status = request.memory() == null ? checkLocal(request) : checkMemory(request);
    }
    if (status == Status.OK) {
      status = outlet.way().refusal(operation);
    }
    if (status != Status.OK) {
      return status;
    }
    if (!operation.isOneSided()) {
      return submit(request);
    }
    if (!(request.remote() instanceof InMemoryRemote remote) || !remote.covers(request.remoteOffset(), request.length())
      || operation.isAtomic() && (remote.base() + request.remoteOffset() & 7) != 0) {
      return Status.REMOTE_RANGE;
    }
    Work work = sends.add(request);
    if (outlet.way().isCarried()) {
      carry(work, request, remote);
      return Status.OK;
    }
    int result = OneSided.access(outlet.target(), remote, request);
    return operation == Operation.WRITE_IMMEDIATE && result == Status.OK ? submit(work, Source.NOTHING, request)
      : finish(work, result, flags);
  }

  private int submit(WorkRequest request) {
    Source source = source(request);
    Work work = sends.add(request);
    submit(work, source, request);
    if (outlet.way().completesEarly()) {
      sends.complete(work, Status.OK, null);
    }
    return Status.OK;
  }

  private int submit(Work work, Source source, WorkRequest request) {
    Operation operation = request.operation();
    held.add(outlet.message(work, source, immediate(request.immediate()), operation.hasImmediate(), operation.isOneSided()));
    if ((request.flags() & PostFlags.MORE) == 0) {
      flush();
    }
    return Status.OK;
  }

  // With a courier

  private void carry(Work work, WorkRequest request, InMemoryRemote remote) {
    // Messages that MORE held back go first.
    flush();
    Way way = outlet.way();
    way.carry(Courier.Cargo.ACCESS, null, new Access(this, way, work, request, remote, outlet.target()));
    if (way.completesEarly() && request.operation() == Operation.WRITE && (request.flags() & PostFlags.DELIVERY_COMPLETE) == 0) {
      sends.complete(work, Status.OK, null);
    }
  }

  /** Returns the bytes of a send or a write. They are read at the latest time at which the application must not change them. */
  Source source(WorkRequest request) {
    Way way = outlet.way();
    if (!way.isCarried() || way.completesEarly()) {
      return Source.now(request);
    }
    Source source = Source.later(request);
    if (!source.isLoaded()) {
      unread.add(source);
    }
    return source;
  }

  /** Reads the bytes of an arriving operation. @return false if the operation was given up */
  boolean load(Source source) {
    unread.remove(source);
    return source.load();
  }

  /** Sends the notification of a write with immediate that took effect. */
  void announce(Work work, long immediate) {
    outlet.arrive(outlet.message(work, Source.NOTHING, immediate(immediate), true, true));
  }

  /** Called with the answer to an access. */
  void answered(Access access, int status) {
    if (outlet.live()) {
      int result = status == Status.OK && !access.store() ? Status.LOCAL_PROTECTION : status;
      finish(access.work(), access.operation(), result, 0);
    }
  }

  private long immediate(long value) {
    int bits = capabilities.immediateBits();
    return bits >= Long.SIZE ? value : value & (1L << bits) - 1;
  }

  void flush() {
    for (Message message; (message = held.poll()) != null;) {
      if (!outlet.hand(message)) {
        message.bounce();
      }
    }
  }

  /** Drops messages that MORE held back. Reads the bytes of operations under way, whose memory is then free for the application. */
  void drop() {
    held.clear();
    unread.forEach(Source::load);
    unread.clear();
  }

  private int finish(Work work, int result, int flags) {
    return finish(work, work.operation, result, flags);
  }

  /** @param work null if its completion was added before */
  private int finish(Work work, Operation operation, int result, int flags) {
    if (result == Status.OK) {
      outlet.done(operation);
      complete(work, Status.OK, null);
      if ((flags & PostFlags.MORE) == 0) {
        flush();
      }
    } else {
      String why = operation + " was refused by the peer: no region with that key, range and access";
      complete(work, result, why);
      outlet.failed(why);
    }
    return Status.OK;
  }

  private void complete(Work work, int status, String error) {
    if (work != null) {
      sends.complete(work, status, error);
    }
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

  /** Checks a read to memory of the heap, which is executed at once. A fabric with a courier delays reads, so it refuses this one. */
  private int checkMemory(WorkRequest request) {
    return !capabilities.maps() || request.offset() < 0 || request.offset() > request.memory().byteSize() - request.length()
      ? Status.LOCAL_RANGE : outlet.way().isCarried() ? Status.AGAIN : Status.OK;
  }

  private int checkLocal(WorkRequest request) {
    Operation operation = request.operation();
    if (request.pieces() > scatterGather) {
      return Status.LIMIT;
    }
    for (int i = 0; i < request.pieces(); i++) {
      if (!isLocal(request.pieceRegion(i), request.pieceOffset(i), request.pieceLength(i))
        || operation.isRead() && !((InMemoryRegion) request.pieceRegion(i)).isSink(operation)) {
        return Status.LOCAL_RANGE;
      }
    }
    return Status.OK;
  }

  private boolean isLocal(MemoryRegion region, long offset, long length) {
    return region instanceof InMemoryRegion memory && memory.usable(table, offset, length, false);
  }
}
