package io.github.vertxrdma.impl.link;

/**
 * The receives that one link grants its peer.
 *
 * @param data for messages
 * @param control for all other frames
 */
record Grant(int data, int control) {
  /** Two messages under way, and the frames of the handshake: all that an idle link needs. */
  private static final Grant LEAST = new Grant(2, Link.HANDSHAKE_CREDITS);
  /** Links get what the options say until this part of all receives is granted. */
  private static final int PART = 8;

  int receives() {
    return data + control;
  }

  /** What the options say. */
  static Grant of(LinkOptions options) {
    return new Grant(options.dataCredits(), options.controlCredits());
  }

  /**
   * What the options say while there are few links; beyond that the least, so that there can be many, and {@link Window} adds to it
   * where there is traffic.
   *
   * @param granted receives that other links grant
   * @param capacity receives that there can be
   */
  static Grant of(LinkOptions options, int granted, int capacity) {
    Grant all = of(options);
    return granted + all.receives() <= capacity / PART ? all : new Grant(Math.min(all.data, LEAST.data), Math.min(all.control, LEAST.control));
  }

  /** What that one has and this has not. */
  Grant missing(Grant that) {
    return new Grant(that.data - data, that.control - control);
  }
}
