package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Status;

/**
 * A message in flight, or the notification of a write with immediate. The sender's operation completes when a receive has taken the
 * message.
 */
final class Message implements Arrival {
  private static final byte[] NOTHING = {};

  private final Posting posting;
  private final Posted posted;
  private Deliveries target;
  private boolean acknowledged;

  Message(Posting posting, Posted posted) {
    this.posting = posting;
    this.posted = posted;
  }

  /** Returns whether this is the notification of a write. The data of the write are already written. */
  boolean isWrite() {
    return posted.request().operation().isOneSided();
  }

  boolean hasImmediate() {
    return posted.request().operation().hasImmediate();
  }

  long immediate() {
    return posted.request().immediate();
  }

  byte[] data() {
    return isWrite() ? NOTHING : posted.bytes();
  }

  @Override
  public boolean load() {
    return isWrite() || posted.load();
  }

  @Override
  public boolean arriveAtOnce() {
    target = posting.owner.target();
    return target != null && target.queue.offer(this);
  }

  @Override
  public void arrive() {
    target.arrived(this);
  }

  @Override
  public void bounce() {
    posting.owner.bounced(this);
  }

  @Override
  public void fail(int status) {
    failed(status, "the fabric could not deliver the message");
  }

  /** Completes the sender's operation: on reception, or on arrival if the fabric buffers messages. */
  void acknowledge() {
    if (!acknowledged) {
      acknowledged = true;
      answer(Status.OK, null);
    }
  }

  void failed(int status, String error) {
    answer(status, error);
  }

  private void answer(int status, String error) {
    posting.owner.pathBack().carry(Courier.Cargo.ANSWER, posting.owner.queue(), () -> posting.answered(posted, status, error));
  }
}
