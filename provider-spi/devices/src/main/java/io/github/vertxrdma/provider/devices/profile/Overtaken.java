package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Completions that later ones overtake: most of them are held back for a few polls, so that messages come in any order, and so do the ends of
 * what was posted. Those of failures are not.
 */
final class Overtaken {
  private static final int MOST_POLLS = 4;

  private final Random random;
  private final List<Held> held = new ArrayList<>();

  private record Held(long requestId, Operation operation, long length, boolean hasImmediate, long immediate) {
  }

  Overtaken(long seed) {
    random = new Random(seed);
  }

  boolean isHolding() {
    return !held.isEmpty();
  }

  void clear() {
    held.clear();
  }

  /** Takes some out of a batch of the device's, and puts some of those in that wait. */
  void change(CompletionBatch batch) {
    int kept = 0;
    int waited = held.size();
    for (int i = 0, n = batch.size(); i < n; i++) {
      if (batch.status(i) == Status.OK && random.nextInt(MOST_POLLS) != 0) {
        boolean has = batch.hasImmediate(i);
        held.add(new Held(batch.requestId(i), batch.operation(i), batch.length(i), has, has ? batch.immediate(i) : 0));
      } else {
        if (kept != i) {
          batch.move(i, kept);
        }
        kept++;
      }
    }
    batch.cut(kept);
    for (int i = waited - 1; i >= 0 && !batch.isFull(); i--) {
      if (random.nextInt(MOST_POLLS) == 0) {
        Held next = held.remove(i);
        int at = batch.add(next.requestId, next.operation, null, next.length);
        if (next.hasImmediate) {
          batch.immediate(at, next.immediate);
        }
      }
    }
  }
}
