package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;

final class MsgReceiveQueue implements ReceiveQueue {
  private final MsgEndpoint endpoint;
  private final Poster poster;
  private final PostOwner work;
  private boolean broken;

  MsgReceiveQueue(MsgEndpoint endpoint, Poster poster, PostOwner work) {
    this.endpoint = endpoint;
    this.poster = poster;
    this.work = work;
  }

  /** Refuses further posts after the connection has failed, because some providers would never complete them. */
  void breakOff() {
    broken = true;
  }

  @Override
  public int capacity() {
    return work.depth;
  }

  @Override
  public boolean shared() {
    return false;
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    if (broken) {
      return Status.NOT_CONNECTED;
    }
    if (!work.hasRoom()) {
      return Status.AGAIN;
    }
    int status = poster.receive(work, requestId, region, offset, length);
    // From libfabric 1.18 on, tcp also returns EAGAIN if the connection has ended.
    return status == Status.AGAIN && endpoint.hasEnded() ? Status.NOT_CONNECTED : status;
  }

  @Override
  public void close() {
    // The receives end with their endpoint.
  }
}
