package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.wire.Greeting;

/**
 * Receives that a link grants its peer.
 *
 * @param data for messages
 * @param control for all other frames
 */
public record Grant(int data, int control) {
  /** For the handshake: who has not proved anything gets no more. */
  public static final Grant HANDSHAKE = new Grant(0, Greeting.HANDSHAKE_CREDITS);
  /** For an idle link: two messages under way, and the frames of the handshake. */
  private static final Grant LEAST = new Grant(2, Greeting.HANDSHAKE_CREDITS);
  /** Share of all receives that is granted as the options say; links after that get the least. */
  static final int PART = 8;

  public int receives() {
    return data + control;
  }

  /** Grant that the options name. */
  static Grant of(LoopOptions options) {
    return new Grant(options.dataCredits(), options.controlCredits());
  }

  /**
   * Grant of a new link: that of the options while there are few links, the least beyond that, so that there can be many.
   * {@link ReceiveWindow} adds to it where there is traffic.
   *
   * @param granted receives that other links grant
   * @param capacity receives that there can be
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

  /** As much of it as there is room for, of both kinds in proportion. */
  Grant within(int room) {
    if (receives() <= room) {
      return this;
    }
    int part = (int) ((long) data * room / receives());
    return new Grant(part, room - part);
  }
}
