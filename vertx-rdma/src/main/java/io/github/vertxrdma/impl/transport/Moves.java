package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.process.Setting;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Decides when connections use fabrics. Thread-safe; {@link #begin} is called on the handler's event loop. */
final class Moves {
  /**
   * System property, or environment variable {@code VERTX_RDMA_MOVE}: when a connection that can use TCP or a fabric uses the fabric.
   * {@code measured} (the default) while traffic is not rare, processors are free, and the fabric carries more than TCP; {@code always} as
   * soon as both nodes have recognized the connection; {@code never}; {@code random:SEED} changes at random moments, for tests.
   */
  static final String PROPERTY = "vertx.rdma.move";
  private static final String RANDOM = "random:";
  private static final int MOST_MICROS = 20_000;
  private static final int PACES = 64;

  private enum Mode {
    MEASURED,
    ALWAYS,
    NEVER,
    RANDOM
  }

  private final Mode mode;
  /** Null unless connections change at random moments. */
  private final Random random;
  /** Traffic by remote addresses, of which several may share one. */
  private final Pace[] paces = new Pace[PACES];

  private Moves(Mode mode, Random random) {
    this.mode = mode;
    this.random = random;
    Arrays.setAll(paces, i -> new Pace());
  }

  /** @throws IllegalArgumentException if the setting is invalid */
  static Moves configured() {
    String set = Setting.of(PROPERTY);
    String name = set == null ? "measured" : set.toLowerCase(Locale.ROOT);
    if (name.matches(RANDOM + "-?[0-9]{1,18}")) {
      return new Moves(Mode.RANDOM, new Random(Long.parseLong(name.substring(RANDOM.length()))));
    }
    return switch (name) {
      case "measured" -> new Moves(Mode.MEASURED, null);
      case "always" -> new Moves(Mode.ALWAYS, null);
      case "never" -> new Moves(Mode.NEVER, null);
      default -> throw new IllegalArgumentException(PROPERTY + " (" + Setting.variable(PROPERTY) + ") is '" + set + "', which does not say "
        + "when connections use fabrics. Use measured, always, never or random:NUMBER");
    };
  }

  boolean isMeasured() {
    return mode == Mode.MEASURED;
  }

  /** Returns whether connections move without a measure. */
  boolean isImmediate() {
    return mode == Mode.ALWAYS || mode == Mode.RANDOM;
  }

  /**
   * Begins to decide for a connected channel.
   *
   * @param opener gets a stream for the channel if it has none. Called on the channel's loop, perhaps often
   */
  void begin(MoveHandler handler, Runnable opener) {
    switch (mode) {
      case NEVER -> handler.stay();
      case MEASURED -> {
        Pace pace = paces[Math.floorMod(Objects.hashCode(handler.channel().remoteAddress()), PACES)];
        handler.traffic().busyHandler(() -> {
          if (pace.isBusy(System.nanoTime())) {
            opener.run();
          }
        });
      }
      case ALWAYS -> {
        handler.receive(true);
        opener.run();
      }
      case RANDOM -> {
        change(handler);
        opener.run();
      }
    }
  }

  private void change(MoveHandler handler) {
    if (handler.channel().isOpen()) {
      handler.receive(random.nextBoolean());
      handler.loop().schedule(() -> change(handler), random.nextInt(MOST_MICROS), TimeUnit.MICROSECONDS);
    }
  }
}
