package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Status;

/** A message between datagram endpoints. The sender is notified when the message lies in a receive. */
final class Datagram extends Message {
  private final InMemoryRdmEndpoint source;
  private final InMemoryRdmEndpoint.Peer peer;
  /**
   * The receiving endpoint. Null while a courier carries the message, which is for the endpoint that has the address when the message
   * arrives.
   */
  private InMemoryRdmEndpoint target;
  private final Work work;
  private final int generation;
  private boolean acknowledged;

  Datagram(InMemoryRdmEndpoint source, InMemoryRdmEndpoint.Peer peer, Work work, Source data, long immediate, boolean hasImmediate,
    boolean write) {
    super(data, immediate, hasImmediate, write);
    this.source = source;
    this.peer = peer;
    this.work = work;
    this.generation = work.generation;
  }

  boolean hand() {
    Way way = peer.way();
    return way.isCarried() ? way.carry(Courier.Cargo.MESSAGE, null, this) : arriveAtOnce();
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
  public boolean arriveAtOnce() {
    target = peer.there();
    return target != null && target.queue().offer(this);
  }

  @Override
  public void fail(int status) {
    failed(status, "the fabric failed to carry it");
  }

  @Override
  Posting posting() {
    return peer.posting;
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
      answer(Status.OK, null);
    }
  }

  @Override
  void failed(int status, String error) {
    if (!acknowledged) {
      acknowledged = true;
      answer(status, error);
    }
  }

  private void answer(int status, String error) {
    peer.way().back().carry(Courier.Cargo.ANSWER, source.queue(), () -> peer.complete(work, generation, status, error));
  }
}
