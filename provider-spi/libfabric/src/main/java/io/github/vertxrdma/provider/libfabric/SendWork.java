package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointCounters;

/**
 * Sends, writes, reads and atomics to one peer. The SPI promises that earlier unsignalled operations are complete when a signalled one
 * completes, but libfabric promises no order. So each operation has a completion, and the completion of a signalled one is not reported
 * before the earlier ones have completed.
 */
final class SendWork extends PostOwner {
  private static final long[] NOTHING = {};
  private static final int FIRST = 8;

  private final SendWork whole;
  private final int depth;
  private long nextSequence;
  private long[] unsignalled = NOTHING;
  private boolean[] through = {};
  private int head;
  private int tail;
  int reads;

  /** @param whole work of the endpoint, whose depth limits the operations to all peers; null if this object is the endpoint's */
  SendWork(Endpoint endpoint, EndpointCounters counters, int depth, SendWork whole) {
    super(endpoint, counters);
    this.depth = depth;
    this.whole = whole;
  }

  @Override
  PostOwner root() {
    return whole == null ? this : whole;
  }

  @Override
  boolean isOf(PostOwner other) {
    return this == other || whole == other && whole != null;
  }

  boolean hasRoom() {
    return whole == null ? outstanding < depth : whole.hasRoom();
  }

  /** @return the operation's sequence number, for {@link #covers} */
  long posted(boolean signalled, boolean read) {
    posted();
    if (whole != null) {
      whole.posted();
    }
    if (read) {
      reads++;
    }
    long sequence = nextSequence++;
    if (!signalled) {
      if (tail - head == unsignalled.length) {
        grow();
      }
      int i = tail++ & unsignalled.length - 1;
      unsignalled[i] = sequence;
      through[i] = false;
    }
    return sequence;
  }

  void returned(boolean read) {
    returned();
    if (whole != null) {
      whole.returned();
    }
    if (read) {
      reads--;
    }
  }

  void uncovered(long sequence) {
    int mask = unsignalled.length - 1;
    for (int i = head; i != tail; i++) {
      if (unsignalled[i & mask] == sequence) {
        through[i & mask] = true;
        break;
      }
    }
    while (head != tail && through[head & mask]) {
      head++;
    }
  }

  /** Returns whether all unsignalled operations before this sequence number have completed. */
  boolean covers(long sequence) {
    return head == tail || unsignalled[head & unsignalled.length - 1] > sequence;
  }

  private void grow() {
    int old = unsignalled.length;
    long[] sequences = new long[Math.max(FIRST, old * 2)];
    boolean[] done = new boolean[sequences.length];
    for (int i = 0; i < old; i++) {
      sequences[i] = unsignalled[head + i & old - 1];
      done[i] = through[head + i & old - 1];
    }
    unsignalled = sequences;
    through = done;
    head = 0;
    tail = old;
  }
}
