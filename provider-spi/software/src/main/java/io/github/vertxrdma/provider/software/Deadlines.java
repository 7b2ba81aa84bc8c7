package io.github.vertxrdma.provider.software;

import java.util.ArrayList;
import java.util.List;

/** Things that must have happened by some time: few, so a list will do. Confined to a completion queue's thread. */
public final class Deadlines {

  /** Something with a deadline. */
  public static final class Deadline {
    private final long nanos;
    private Runnable late;

    private Deadline(long nanos, Runnable late) {
      this.nanos = nanos;
      this.late = late;
    }

    /** It has happened. */
    public void cancel() {
      late = null;
    }
  }

  private final List<Deadline> deadlines = new ArrayList<>();

  public Deadline in(long millis, Runnable late) {
    Deadline deadline = new Deadline(System.nanoTime() + millis * 1_000_000, late);
    deadlines.add(deadline);
    return deadline;
  }

  /** Runs what is late. */
  public void run() {
    if (deadlines.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    for (int i = deadlines.size() - 1; i >= 0; i--) {
      Deadline deadline = deadlines.get(i);
      if (deadline.late == null) {
        deadlines.remove(i);
      } else if (deadline.nanos - now <= 0) {
        deadlines.remove(i);
        deadline.late.run();
      }
    }
  }

  /** Milliseconds to the next one, at least 1; 0 if there is none. */
  public long next() {
    long next = Long.MAX_VALUE;
    long now = System.nanoTime();
    for (int i = 0; i < deadlines.size(); i++) {
      Deadline deadline = deadlines.get(i);
      if (deadline.late != null) {
        next = Math.min(next, Math.max(1, (deadline.nanos - now + 999_999) / 1_000_000));
      }
    }
    return next == Long.MAX_VALUE ? 0 : next;
  }
}
