package io.github.vertxrdma.impl.device;

/**
 * Receives that a link grants its peer.
 *
 * @param data for messages
 * @param control for all other frames
 */
public record Grant(int data, int control) {
  /** Control credits of each side until the greetings are exchanged. */
  public static final int HANDSHAKE_CREDITS = 4;
  /** Grant to an unproven peer: frames of the handshake only. */
  public static final Grant HANDSHAKE = new Grant(0, HANDSHAKE_CREDITS);
  /** Smaller first grant when many receives are granted: two messages in flight, and the frames of the handshake. */
  private static final Grant LEAST = new Grant(2, HANDSHAKE_CREDITS);
  /** Divisor of a capacity: new links get the full grant of the options while all grants fit into that part of the capacity. */
  static final int PART = 8;

  public int receives() {
    return data + control;
  }

  static Grant of(LoopOptions options) {
    return new Grant(options.dataCredits(), options.controlCredits());
  }

  /**
   * Returns the first grant of a link.
   *
   * @param granted receives that other links grant
   * @param capacity maximum number of receives
   */
  static Grant of(LoopOptions options, int granted, int capacity) {
    Grant all = of(options);
    return granted + all.receives() <= capacity / PART ? all
      : new Grant(Math.min(all.data, LEAST.data), Math.min(all.control, LEAST.control));
  }

  Grant plus(Grant that) {
    return new Grant(data + that.data, control + that.control);
  }

  public Grant minus(Grant that) {
    return new Grant(data - that.data, control - that.control);
  }

  /** Reduces the grant in proportion to at most {@code room} receives. */
  Grant within(int room) {
    if (receives() <= room) {
      return this;
    }
    int part = (int) ((long) data * room / receives());
    return new Grant(part, room - part);
  }
}
