package io.github.vertxrdma.impl.link;

/**
 * The receives that one link grants its peer.
 *
 * @param data for messages
 * @param control for all other frames
 */
record Grant(int data, int control) {
  /** Two messages under way, and the frames of the handshake. */
  private static final Grant LEAST = new Grant(2, Link.HANDSHAKE_CREDITS);
  /** A link of a shared queue takes at most this part of what is left, so that the first ones leave something to the later ones. */
  private static final int PART = 32;

  int receives() {
    return data + control;
  }

  /** What the options say. */
  static Grant of(LinkOptions options) {
    return new Grant(options.dataCredits(), options.controlCredits());
  }

  /** What the options say, or less if a shared queue fills up. @param left receives that may still be granted */
  static Grant of(LinkOptions options, int left) {
    int receives = Math.max(LEAST.receives(), Math.min(options.receives(), left / PART));
    if (receives == options.receives()) {
      return of(options);
    }
    int control = Math.max(LEAST.control, Math.min(options.controlCredits(), receives / 2));
    return new Grant(Math.max(1, Math.min(options.dataCredits(), receives - control)), control);
  }
}
