package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.rdm.AddressVector;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Posts with 4-byte immediates, without atomics. Most plain writes are held back for a few turns of the completion queue, so that what is
 * posted later arrives before them, as on a fabric that promises no order between writes and messages.
 */
final class EfaEndpoint implements RdmEndpoint, AddressVector {
  private static final int MOST_TURNS = 6;
  private static final int MOST_HELD = 32;
  private final RdmEndpoint raw;
  private final EfaQueue queue;
  private final Limits limits;
  private final Random random;
  private final List<HeldWrite> held = new ArrayList<>();
  private final ScatterGather unwrapped = new ScatterGather(64);

  EfaEndpoint(RdmEndpoint raw, EfaQueue queue, Limits limits, long seed) {
    this.raw = raw;
    this.queue = queue;
    this.limits = limits;
    random = new Random(seed);
    queue.add(this);
  }

  boolean holding() {
    return !held.isEmpty();
  }

  /** A turn of the queue: writes that waited long enough are posted, in any order. */
  void turn() {
    for (int i = held.size() - 1; i >= 0; i--) {
      HeldWrite write = held.get(i);
      if (write.due()) {
        int status = write.post(raw);
        if (status != Status.AGAIN) {
          held.remove(i);
        }
        if (status < 0 && status != Status.AGAIN) {
          queue.failed(write.requestId, Status.OTHER, "posting the write: " + Status.name(status));
        }
      }
    }
  }

  private boolean holdBack(int flags) {
    return (flags & (PostFlags.DELIVERY_COMPLETE | PostFlags.INLINE)) == 0 && random.nextInt(4) != 0;
  }

  private int hold(HeldWrite write) {
    if (held.size() >= MOST_HELD) {
      return Status.AGAIN;
    }
    held.add(write);
    queue.started(write.requestId);
    return Status.OK;
  }

  private int turns() {
    return 2 + random.nextInt(MOST_TURNS);
  }

  private int started(int status, long requestId) {
    if (status == Status.OK) {
      queue.started(requestId);
    }
    return status;
  }

  private ScatterGather unwrap(ScatterGather list, ScatterGather into) {
    into.clear();
    for (int i = 0; i < list.size(); i++) {
      into.add(EfaRegion.unwrap(list.region(i)), list.offset(i), list.length(i));
    }
    return into;
  }

  private static boolean within(long size, long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= size - length;
  }

  // Posts

  @Override
  public int postReceive(long requestId, MemoryRegion region, long offset, int length) {
    return raw.postReceive(requestId, EfaRegion.unwrap(region), offset, length);
  }

  @Override
  public int postSend(long requestId, long peer, MemoryRegion region, long offset, int length, int flags) {
    return raw.postSend(requestId, peer, EfaRegion.unwrap(region), offset, length, flags);
  }

  @Override
  public int postSend(long requestId, long peer, ScatterGather list, int flags) {
    return list.size() > limits.scatterGather() ? Status.LIMIT : raw.postSend(requestId, peer, unwrap(list, unwrapped), flags);
  }

  @Override
  public int postSendImmediate(long requestId, long peer, MemoryRegion region, long offset, int length, long immediate, int flags) {
    return raw.postSendImmediate(requestId, peer, EfaRegion.unwrap(region), offset, length, Integer.toUnsignedLong((int) immediate), flags);
  }

  @Override
  public int postWrite(long requestId, long peer, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
    int flags) {
    MemoryRegion from = EfaRegion.unwrap(region);
    if (!holdBack(flags) || length > limits.maxTransferSize()) {
      return started(raw.postWrite(requestId, peer, from, offset, length, remote, remoteOffset, flags), requestId);
    }
    if (!within(from.size(), offset, length)) {
      return Status.LOCAL_RANGE;
    }
    if (!within(remote.length(), remoteOffset, length)) {
      return Status.REMOTE_RANGE;
    }
    return hold(new HeldWrite(requestId, peer, from, offset, length, null, remote, remoteOffset, flags & ~PostFlags.MORE, turns()));
  }

  @Override
  public int postWrite(long requestId, long peer, ScatterGather list, RemoteMemory remote, long remoteOffset, int flags) {
    if (list.size() > limits.scatterGather()) {
      return Status.LIMIT;
    }
    if (!holdBack(flags) || list.total() > limits.maxTransferSize()) {
      return started(raw.postWrite(requestId, peer, unwrap(list, unwrapped), remote, remoteOffset, flags), requestId);
    }
    for (int i = 0; i < list.size(); i++) {
      if (!within(list.region(i).size(), list.offset(i), list.length(i))) {
        return Status.LOCAL_RANGE;
      }
    }
    if (!within(remote.length(), remoteOffset, list.total())) {
      return Status.REMOTE_RANGE;
    }
    return hold(new HeldWrite(requestId, peer, null, 0, 0, unwrap(list, new ScatterGather(list.size())), remote, remoteOffset,
      flags & ~PostFlags.MORE, turns()));
  }

  @Override
  public int postWriteImmediate(long requestId, long peer, MemoryRegion region, long offset, long length, RemoteMemory remote,
    long remoteOffset, long immediate, int flags) {
    return started(raw.postWriteImmediate(requestId, peer, EfaRegion.unwrap(region), offset, length, remote, remoteOffset,
      Integer.toUnsignedLong((int) immediate), flags), requestId);
  }

  @Override
  public int postRead(long requestId, long peer, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
    int flags) {
    return started(raw.postRead(requestId, peer, EfaRegion.unwrap(region), offset, length, remote, remoteOffset, flags), requestId);
  }

  @Override
  public int postFetchAdd(long requestId, long peer, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add,
    int flags) {
    return Status.UNSUPPORTED;
  }

  @Override
  public int postCompareSwap(long requestId, long peer, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset,
    long expected, long swap, int flags) {
    return Status.UNSUPPORTED;
  }

  /** Writes held back stay so: what is overtaken is overtaken. */
  @Override
  public int flush() {
    return raw.flush();
  }

  // The rest is passed on

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
        queue.failed(held.remove(i).requestId, Status.CANCELLED, "the peer was removed");
      }
    }
    raw.addressVector().remove(peer);
  }

  @Override
  public int inlineSize() {
    return raw.inlineSize();
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
