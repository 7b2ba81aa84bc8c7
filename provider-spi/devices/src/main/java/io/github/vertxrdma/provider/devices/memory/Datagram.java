package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Status;

/** A message between datagram endpoints; the sender hears when it lies in a receive. */
final class Datagram extends Message {
  private final InMemoryRdmEndpoint source;
  private final InMemoryRdmEndpoint.Peer peer;
  private final InMemoryRdmEndpoint target;
  private final Work work;
  private boolean acknowledged;

  /** @param target null if there is no such endpoint */
  Datagram(InMemoryRdmEndpoint source, InMemoryRdmEndpoint.Peer peer, InMemoryRdmEndpoint target, Work work, byte[] data,
    long immediate, boolean hasImmediate, boolean write) {
    super(data, immediate, hasImmediate, write);
    this.source = source;
    this.peer = peer;
    this.target = target;
    this.work = work;
  }

  boolean hand() {
    return target != null && target.queue().offer(this);
  }

  @Override
  public void arrive() {
    target.arrived(this);
  }

  @Override
  public void bounce() {
    failed(Status.RETRY_EXCEEDED, "nobody answers there");
  }

  @Override
  Endpoint endpoint() {
    return null;
  }

  @Override
  void delivered() {
    acknowledge();
  }

  void acknowledge() {
    if (!acknowledged) {
      acknowledged = true;
      source.tell(() -> peer.complete(work, Status.OK, null));
    }
  }

  @Override
  void failed(int status, String error) {
    if (!acknowledged) {
      acknowledged = true;
      source.tell(() -> peer.complete(work, status, error));
    }
  }
}
