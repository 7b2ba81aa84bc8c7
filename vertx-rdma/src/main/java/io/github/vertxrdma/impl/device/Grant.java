package io.github.vertxrdma.impl.device;

/**
 * Number of receives that a link grants its peer.
 *
 * @param data receives for messages
 * @param control receives for all other frames
 */
public record Grant(int data, int control) {
  /** Control credits of each side until the greetings are exchanged. */
  public static final int HANDSHAKE_CREDITS = 4;
  /** Grant to a peer that is not authenticated yet: frames of the handshake only. */
  public static final Grant HANDSHAKE = new Grant(0, HANDSHAKE_CREDITS);
  /** First grant when many receives are granted: two messages in flight, and the frames of the handshake. */
  private static final Grant LEAST = new Grant(2, HANDSHAKE_CREDITS);
  /** New links get the full grant of the options while all grants fit into 1/{@code PART} of the capacity. */
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

  /** Reduces both numbers proportionally to at most {@code room} receives. */
  Grant within(int room) {
    if (receives() <= room) {
      return this;
    }
    int part = (int) ((long) data * room / receives());
    return new Grant(part, room - part);
  }
}
