package io.github.vertxrdma.provider.software;

/** Answers that an endpoint owes its peer, such as the data of reads and the results of atomics, in the order of the requests. */
public class AnswerQueue {
  /** An answer; reused. */
  public static final class Answer {
    private int type;
    private long sequence;
    private SoftwareRegion region;
    private long offset;
    private long value;
    private long sent;

    /** Returns the type, which the provider defines. */
    public int type() {
      return type;
    }

    public long sequence() {
      return sequence;
    }

    /** Makes it the answer to a later request too. */
    public void sequence(long later) {
      sequence = later;
    }

    /** Returns the region that is read; null for an atomic. */
    public SoftwareRegion region() {
      return region;
    }

    /** Returns the offset in the region of the bytes to send next. */
    public long offset() {
      return offset + sent;
    }

    /** Returns the bytes of a read, or the old value of an atomic. */
    public long value() {
      return value;
    }

    /** Returns the bytes of a read that were sent. */
    public long sent() {
      return sent;
    }

    /** Notes that more bytes of a read were sent. @return whether all were */
    public boolean advance(long bytes) {
      sent += bytes;
      return sent == value;
    }
  }

  private final int capacity;
  /** Null before the first. */
  private EntryRing<Answer> answers;

  /** @param capacity answers that a peer may wait for at the same time */
  public AnswerQueue(int capacity) {
    this.capacity = capacity;
  }

  public final boolean isEmpty() {
    return answers == null || answers.isEmpty();
  }

  public final boolean isFull() {
    return answers != null && answers.size() >= capacity;
  }

  /** Adds an answer. The caller has checked {@link #isFull}. */
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

  public final Answer first() {
    return answers.first();
  }

  public final Answer last() {
    return answers.get(answers.tail() - 1);
  }

  /** Removes the first answer. */
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
