package io.github.vertxrdma.differential;

/** End of a scenario, and the events before it. */
enum Ending {
  CLOSE("close"),
  /** The writer shuts its client down and waits. */
  SHUTDOWN("shutdown"),
  /** The writer calls {@code vertx.close()}, waits, and exits. */
  VERTX_CLOSE("vertx.close"),
  UNDEPLOY("undeploy"),
  /** The writer calls {@code vertx.close()}; its verticle writes in {@code stop()}. */
  STOP_TRAFFIC("stop()"),
  EXIT("exit"),
  HALT("halt"),
  /** The reader is stopped while the writer halts, and continues afterwards. */
  HALT_STOPPED("halt, reader stopped"),
  KILL("kill -9"),
  /** The writer has no shutdown hook. */
  TERM("SIGTERM"),
  /** The writer's shutdown hook calls {@code vertx.close()}. */
  TERM_HOOK("SIGTERM, hook"),
  READER_STOPPED_5("reader stopped 5 s", 5),
  READER_STOPPED_12("reader stopped 12 s", 12),
  READER_STOPPED_19("reader stopped 19 s", 19),
  READER_STOPPED_75("reader stopped 75 s", 75),
  WRITER_STOPPED_5("writer stopped 5 s", 5),
  WRITER_STOPPED_12("writer stopped 12 s", 12),
  WRITER_STOPPED_19("writer stopped 19 s", 19),
  CONNECT_STOPPED_5("connect, reader stopped 5 s", 5),
  /** The reader does not answer over the fabric. So the writer connects by TCP, and writes until the connection has moved to the fabric. */
  MOVE("connect by TCP, move"),
  /** The reader's process ends, and another one starts on the same ports. */
  RESTART("restart on the same port"),
  /** The reader calls {@code vertx.close()} while a request is answered. */
  READER_CLOSES("reader's vertx.close, request in progress");

  private final String text;
  private final int seconds;

  Ending(String text) {
    this(text, 0);
  }

  Ending(String text, int seconds) {
    this.text = text;
    this.seconds = seconds;
  }

  static Ending parse(String text) {
    for (Ending ending : values()) {
      if (ending.text.equals(text)) {
        return ending;
      }
    }
    throw new IllegalArgumentException("ending '" + text + "'");
  }

  /** Returns the seconds for which a process is stopped, or 0. */
  int seconds() {
    return seconds;
  }

  /**
   * Returns whether a pause exceeds Vert.x's wait for a ping of the event bus, 20 s and 20 s. Vert.x then closes the connection, logs each
   * failed write by {@code Promise already completed}, and reports the write as completed.
   */
  boolean isBeyondPings() {
    return seconds > 40;
  }

  /** Returns whether the writer writes until a command ends this. */
  boolean isSteady() {
    return name().startsWith("READER_STOPPED") || name().startsWith("WRITER_STOPPED");
  }

  boolean stopsReader() {
    return name().startsWith("READER_STOPPED") || this == CONNECT_STOPPED_5;
  }

  /** Returns whether the writer waits for its close, so that every message has to arrive. */
  boolean isGraceful() {
    return switch (this) {
      case EXIT, HALT, HALT_STOPPED, KILL, TERM -> false;
      default -> true;
    };
  }

  /** Returns whether the reader's process cannot serve another scenario. */
  boolean consumesReader() {
    return stopsReader() || this == RESTART || this == READER_CLOSES || this == MOVE;
  }

  @Override
  public String toString() {
    return text;
  }
}
