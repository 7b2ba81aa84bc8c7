package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Delays most successful completions by a few polls, so that later ones overtake them and messages arrive in any order. */
final class Overtaken {
  private static final int MOST_POLLS = 4;

  private final Random random;
  private final List<Completion> held = new ArrayList<>();

  Overtaken(long seed) {
    random = new Random(seed);
  }

  boolean isHolding() {
    return !held.isEmpty();
  }

  void clear() {
    held.clear();
  }

  void change(CompletionBatch batch) {
    int kept = 0;
    int waited = held.size();
    for (int i = 0, n = batch.size(); i < n; i++) {
      if (batch.status(i) == Status.OK && random.nextInt(MOST_POLLS) != 0) {
        held.add(Completion.of(batch, i));
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
        held.remove(i).addTo(batch);
      }
    }
  }
}
