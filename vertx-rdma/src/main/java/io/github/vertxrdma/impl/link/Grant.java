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
  /** Once half of a shared queue is granted a link takes at most this part of what is left, so that there is something for many more. */
  private static final int PART = 256;

  int receives() {
    return data + control;
  }

  /** What the options say. */
  static Grant of(LinkOptions options) {
    return new Grant(options.dataCredits(), options.controlCredits());
  }

  /**
   * What the options say, or less if a shared queue fills up.
   *
   * @param left receives that may still be granted
   * @param capacity receives that the queue holds
   */
  static Grant of(LinkOptions options, int left, int capacity) {
    int receives = Math.max(LEAST.receives(), left / PART);
    if (left > capacity / 2 || receives >= options.receives()) {
      return of(options);
    }
    int control = Math.max(LEAST.control, Math.min(options.controlCredits(), receives / 2));
    return new Grant(Math.max(1, Math.min(options.dataCredits(), receives - control)), control);
  }
}
