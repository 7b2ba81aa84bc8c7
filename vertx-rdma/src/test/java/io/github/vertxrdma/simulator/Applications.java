package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.Frame;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

final class Applications {
  private final SplittableRandom random;
  private final BooleanSupplier closing;

  Applications(SplittableRandom random, BooleanSupplier closing) {
    this.random = random;
    this.closing = closing;
  }

  void written(End end, Throwable failure) {
    if (failure == null && !closing.getAsBoolean() && random.nextInt(20) == 0) {
      act(end);
    }
  }

  void read(End end) {
    if (closing.getAsBoolean()) {
      return;
    }
    int what = random.nextInt(100);
    if (what < 10) {
      end.write(size(end));
    } else if (what < 14) {
      act(end);
    }
  }

  void over(End end) {
    if (!closing.getAsBoolean() && random.nextInt(4) == 0) {
      end.write(10);
    }
  }

  private int size(End end) {
    int room = 4096 - Frame.SIZE;
    int size = switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1, 2, 3 -> random.nextInt(300);
      case 4 -> random.nextInt(room);
      case 5 -> room - 2 + random.nextInt(5);
      case 6 -> random.nextInt(40_000);
      default -> random.nextInt(random.nextInt(4) == 0 ? 300_000 : 20_000);
    };
    return random.nextInt(50) == 0 ? end.link.maxMessageSize() + random.nextInt(2) : size;
  }

  void act(End end) {
    if (end.node.dead) {
      return;
    }
    switch (random.nextInt(40)) {
      case 0, 1, 2, 3, 4, 5, 6, 7 -> end.write(size(end));
      case 8, 9, 10, 11 -> {
        for (int i = random.nextInt(40); i >= 0; i--) {
          end.write(random.nextInt(8) == 0 ? size(end) : random.nextInt(200));
        }
      }
      case 12, 13, 14 -> end.writeZeroCopy(1 + random.nextInt(60_000));
      case 15, 16, 17 -> {
        end.paused = !end.paused;
        end.link.pause(end.paused);
      }
      case 18, 19 -> end.link.inPlace(random.nextBoolean(), false);
      case 20, 21, 22, 23 -> end.release();
      case 24 -> end.end();
      case 25 -> end.close(0);
      case 26 -> end.close(1 + random.nextInt(3_000));
      case 27 -> {
        if (random.nextInt(4) == 0) {
          end.dialogue.cutShort = true;
          end.link.fail(new IllegalStateException("an application broke it"));
        }
      }
      case 28 -> {
        if (random.nextInt(4) == 0) {
          end.dialogue.cutShort = true;
          end.link.peerDead("somebody said so", true);
        }
      }
      case 29 -> end.link.suspect("somebody thought so");
      case 30 -> end.link.loop().endpoints.measureRoundTrips();
      case 31 -> end.link.loop().statistics();
      case 32, 33, 34, 35 -> {
        for (int i = random.nextInt(12); i >= 0; i--) {
          end.ask(Frame.REGION_BASE + random.nextInt(Frame.REGION_TYPES), random.nextInt(100));
        }
      }
      default -> end.write(random.nextInt(100));
    }
  }
}
