package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;

/** A message between two connected endpoints. The sender is notified when the message lies in a receive. */
final class InMemoryMessage extends Message {
  private final InMemoryEndpoint source;
  private final InMemoryEndpoint target;
  private final Work work;
  private final int generation;
  private boolean acknowledged;

  InMemoryMessage(InMemoryEndpoint source, InMemoryEndpoint target, Work work, Source data, long immediate, boolean hasImmediate,
    boolean write) {
    super(data, immediate, hasImmediate, write);
    this.source = source;
    this.target = target;
    this.work = work;
    this.generation = work.generation;
  }

  @Override
  public void arrive() {
    target.arrived(this);
  }

  @Override
  public void bounce() {
    source.tell(target, Courier.Cargo.END, source::peerGone);
  }

  @Override
  public void fail(int status) {
    source.tell(target, Courier.Cargo.ANSWER, () -> source.negative(work, generation, status, "the fabric failed to carry it"));
  }

  @Override
  Posting posting() {
    return source.posting;
  }

  @Override
  Endpoint endpoint() {
    return target;
  }

  @Override
  void delivered() {
    if (write) {
      target.counters().succeededOnAnyThread(Operation.REMOTE_WRITE);
    } else {
      target.counters().succeeded(Operation.RECEIVE);
    }
    acknowledge();
  }

  /** Completes the send. Called when the message lies in a receive, or earlier on a fabric that buffers messages. */
  void acknowledge() {
    if (!acknowledged) {
      acknowledged = true;
      source.tell(target, Courier.Cargo.ANSWER, () -> source.acknowledged(work, generation));
    }
  }

  @Override
  void failed(int status, String error) {
    source.tell(target, Courier.Cargo.ANSWER, () -> source.negative(work, generation, status, error));
    target.broke(error);
  }

  /** Fails the message because no receive is posted, on a fabric that does not wait for one. */
  void unwanted() {
    failed(Status.RNR_EXCEEDED, "no receive was posted for a message");
  }
}
