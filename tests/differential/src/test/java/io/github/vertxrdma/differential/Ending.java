package io.github.vertxrdma.differential;

/** End of a scenario, and the events before it. */
enum Ending {
  /** The writer closes its stream and waits. */
  CLOSE("close"),
  /** The writer shuts its client down and waits. */
  SHUTDOWN("shutdown"),
  /** The writer calls {@code vertx.close()}, waits, and exits. */
  VERTX_CLOSE("vertx.close"),
  /** The writer's verticle is undeployed. */
  UNDEPLOY("undeploy"),
  /** The writer calls {@code vertx.close()}; its verticle writes in {@code stop()}. */
  STOP_TRAFFIC("stop()"),
  /** The writer calls {@code System.exit}. */
  EXIT("exit"),
  /** The writer calls {@code Runtime.halt}. */
  HALT("halt"),
  /** The writer calls {@code Runtime.halt} while the reader is stopped. The reader continues afterwards. */
  HALT_STOPPED("halt, reader stopped"),
  /** The writer is ended by SIGKILL. */
  KILL("kill -9"),
  /** The writer is ended by SIGTERM, and has no shutdown hook. */
  TERM("SIGTERM"),
  /** The writer is ended by SIGTERM; its shutdown hook calls {@code vertx.close()}. */
  TERM_HOOK("SIGTERM, hook"),
  READER_STOPPED_5("reader stopped 5 s", 5),
  READER_STOPPED_12("reader stopped 12 s", 12),
  READER_STOPPED_19("reader stopped 19 s", 19),
  READER_STOPPED_75("reader stopped 75 s", 75),
  WRITER_STOPPED_5("writer stopped 5 s", 5),
  WRITER_STOPPED_12("writer stopped 12 s", 12),
  WRITER_STOPPED_19("writer stopped 19 s", 19),
  /** The writer connects while the reader is stopped. */
  CONNECT_STOPPED_5("connect, reader stopped 5 s", 5),
  /** The writer connects by TCP, as the reader does not answer over the fabric, and writes until the connection has moved to the fabric. */
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

  /** Returns the seconds that a process is stopped; 0 if none is. */
  int seconds() {
    return seconds;
  }

  /**
   * Returns whether a pause is longer than Vert.x waits for the answer to a ping of the event bus, 20 s and 20 s. It closes the connection
   * then, and logs each write to it that fails by {@code Promise already completed}, and reports the write as completed.
   */
  boolean isBeyondPings() {
    return seconds > 40;
  }

  /** Returns whether the writer goes on to write until it is told to finish. */
  boolean isSteady() {
    return name().startsWith("READER_STOPPED") || name().startsWith("WRITER_STOPPED");
  }

  boolean stopsReader() {
    return name().startsWith("READER_STOPPED") || this == CONNECT_STOPPED_5;
  }

  /** Returns whether the writer ends by a close that it waits for, so that everything written has to arrive. */
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
