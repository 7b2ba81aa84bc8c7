package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.rdm.AddressVector;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * An endpoint with immediates of 4 bytes and without atomics. It delays most plain writes by a few polls, so that messages overtake them,
 * as on a fabric without order between writes and messages.
 */
final class EfaEndpoint implements RdmEndpoint, AddressVector {
  private static final int MOST_TURNS = 6;
  private static final int MOST_HELD = 32;
  private static final class HeldWrite {
    final long peer;
    final WorkRequest request;
    /** Number of polls until the write is posted. */
    int turns;

    HeldWrite(long peer, WorkRequest request, int turns) {
      this.peer = peer;
      this.request = request;
      this.turns = turns;
    }
  }

  private final RdmEndpoint raw;
  private final EfaQueue queue;
  private final Limits limits;
  private final boolean inlineWrites;
  private final Random random;
  private final List<HeldWrite> held = new ArrayList<>();
  private final WorkRequest unwrapped = new WorkRequest();
  private final ScatterGather unwrappedList = new ScatterGather(64);

  EfaEndpoint(RdmEndpoint raw, EfaQueue queue, EfaDomain domain, long seed) {
    this.raw = raw;
    this.queue = queue;
    limits = domain.limits();
    inlineWrites = domain.device().efa().inlineWrites;
    random = new Random(seed);
    queue.add(this);
  }

  boolean holding() {
    return !held.isEmpty();
  }

  /** Posts delayed writes that are due, in any order. Called with each poll of the queue. */
  void turn() {
    for (int i = held.size() - 1; i >= 0; i--) {
      HeldWrite write = held.get(i);
      if (--write.turns <= 0) {
        int status = raw.post(write.peer, write.request);
        if (status != Status.AGAIN) {
          held.remove(i);
        }
        if (status < 0 && status != Status.AGAIN) {
          queue.failed(write.request.id(), Status.OTHER, "the write could not be posted: " + Status.name(status));
        }
      }
    }
  }

  @Override
  public int postReceive(long requestId, MemoryRegion region, long offset, int length) {
    return raw.postReceive(requestId, EfaRegion.unwrap(region), offset, length);
  }

  @Override
  public int post(long peer, WorkRequest request) {
    Operation operation = request.operation();
    if (operation.isAtomic()) {
      return Status.UNSUPPORTED;
    }
    if (request.pieces() > limits.scatterGather()) {
      return Status.LIMIT;
    }
    if (operation == Operation.WRITE && isHeldBack(request)) {
      return hold(peer, request);
    }
    if (!operation.isOneSided() && request.length() > limits.maxMessageSize()
      || (request.flags() & PostFlags.INLINE) != 0 && request.length() > (operation.isOneSided() && !inlineWrites ? 0 : inlineSize())) {
      return Status.LIMIT;
    }
    unwrap(request, unwrapped, unwrappedList);
    if (operation.hasImmediate()) {
      unwrapped.immediate(Integer.toUnsignedLong((int) request.immediate()));
    }
    int status = raw.post(peer, unwrapped);
    if (status == Status.OK && operation.isOneSided()) {
      queue.started(request.id());
    }
    return status;
  }

  private static void unwrap(WorkRequest request, WorkRequest into, ScatterGather intoList) {
    into.set(request);
    if (request.list() == null) {
      into.local(EfaRegion.unwrap(request.region()), request.offset(), request.length());
    } else {
      into.local(intoList.set(request.list(), EfaRegion::unwrap));
    }
  }

  private boolean isHeldBack(WorkRequest write) {
    return (write.flags() & (PostFlags.DELIVERY_COMPLETE | PostFlags.INLINE)) == 0 && random.nextInt(4) != 0
      && write.length() <= limits.maxTransferSize();
  }

  private int hold(long peer, WorkRequest write) {
    if (!isWithin(write)) {
      return Status.LOCAL_RANGE;
    }
    if (!write.remote().covers(write.remoteOffset(), write.length())) {
      return Status.REMOTE_RANGE;
    }
    if (held.size() >= MOST_HELD) {
      return Status.AGAIN;
    }
    WorkRequest copy = new WorkRequest();
    unwrap(write, copy, new ScatterGather(write.pieces()));
    held.add(new HeldWrite(peer, copy.flags(write.flags() & ~PostFlags.MORE), 2 + random.nextInt(MOST_TURNS)));
    queue.started(write.id());
    return Status.OK;
  }

  private static boolean isWithin(WorkRequest write) {
    for (int i = 0; i < write.pieces(); i++) {
      if (!write.pieceRegion(i).covers(write.pieceOffset(i), write.pieceLength(i))) {
        return false;
      }
    }
    return true;
  }

  /** Sends messages posted with MORE, but not delayed writes. */
  @Override
  public int flush() {
    return raw.flush();
  }

  @Override
  public CompletionQueue completionQueue() {
    return queue;
  }

  @Override
  public EndpointAddress localAddress() {
    return raw.localAddress();
  }

  @Override
  public AddressVector addressVector() {
    return this;
  }

  @Override
  public long insert(EndpointAddress address) {
    return raw.addressVector().insert(address);
  }

  @Override
  public void remove(long peer) {
    for (int i = held.size() - 1; i >= 0; i--) {
      if (held.get(i).peer == peer) {
        queue.failed(held.remove(i).request.id(), Status.CANCELLED, "the peer was removed");
      }
    }
    raw.addressVector().remove(peer);
  }

  @Override
  public int inlineSize() {
    return Math.min(raw.inlineSize(), limits.inlineSize());
  }

  @Override
  public int sendDepth() {
    return raw.sendDepth();
  }

  @Override
  public int receiveDepth() {
    return raw.receiveDepth();
  }

  @Override
  public void close() {
    held.clear();
    queue.remove(this);
    raw.close();
  }
}
