package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.Access;

/** Answers to a peer, such as the data of reads, in the order of its requests. */
public class AnswerQueue {
  public static final class Answer {
    private int type;
    private long sequence;
    private SoftwareRegion region;
    private long offset;
    private long value;
    private long sent;

    public int type() {
      return type;
    }

    public long sequence() {
      return sequence;
    }

    public void sequence(long later) {
      sequence = later;
    }

    public SoftwareRegion region() {
      return region;
    }

    public long offset() {
      return offset + sent;
    }

    public long value() {
      return value;
    }

    public long sent() {
      return sent;
    }

    public boolean advance(long bytes) {
      sent += bytes;
      return sent == value;
    }
  }

  private final SoftwareEndpoint endpoint;
  private final int capacity;
  private EntryRing<Answer> answers;

  public AnswerQueue(SoftwareEndpoint endpoint, int capacity) {
    this.endpoint = endpoint;
    this.capacity = capacity;
  }

  public final boolean isEmpty() {
    return answers == null || answers.isEmpty();
  }

  public final boolean isFull() {
    return answers != null && answers.size() >= capacity;
  }

  public final void add(int type, long sequence, SoftwareRegion region, long offset, long value) {
    if (answers == null) {
      answers = new EntryRing<>(Answer::new);
    }
    Answer answer = answers.next();
    answer.type = type;
    answer.sequence = sequence;
    answer.region = region;
    answer.offset = offset;
    answer.value = value;
    answer.sent = 0;
    answers.add();
  }

  public final void read(int type, int slot, long secret, long offset, long length, long sequence) {
    SoftwareRegion region = endpoint.target(slot, secret, Access.REMOTE_READ, offset, length, sequence);
    if (region != null) {
      add(type, sequence, region, offset, length);
    }
  }

  public final void atomic(int type, boolean add, int slot, long secret, long offset, long operand, long swap, long sequence) {
    SoftwareRegion region = endpoint.target(slot, secret, Access.REMOTE_ATOMIC, offset, Long.BYTES, sequence);
    if (region == null) {
      return;
    }
    if (!region.acquire()) {
      endpoint.memoryGone(null);
      return;
    }
    try {
      add(type, sequence, null, 0, region.atomic(add, offset, operand, swap));
    } finally {
      region.release();
    }
  }

  public final Answer first() {
    return answers.first();
  }

  public final Answer last() {
    return answers.get(answers.tail() - 1);
  }

  public final void remove() {
    answers.first().region = null;
    answers.remove();
  }

  public final void clear() {
    while (!isEmpty()) {
      remove();
    }
  }
}
