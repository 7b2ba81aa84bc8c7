package io.github.vertxrdma.impl.device;

/**
 * Sizes and times of the links of a loop, in bytes, numbers of frames and milliseconds; both ends tell each other theirs in the handshake.
 *
 * @param bufferSize bytes of one receive, prefix and header included
 * @param dataCredits receives for messages granted to the peer
 * @param controlCredits receives for all other frames granted to the peer; at least 4
 * @param fragmentSize bytes of a message that one remote read fetches
 * @param maxMessageSize largest message in bytes
 * @param closeIdleMillis time after which a close gives up on a peer that lives and takes nothing
 * @param suspectMillis silence after which a peer that owes something is suspected; it is asked after half of it
 * @param deadMillis silence after which the node looks for evidence of what became of the peer
 * @param notifyInlineLimit bytes of a notified write that go in the notification; this side's business alone
 * @param zeroCopyBytes registered memory of large messages that handlers release on one device loop, and the same for those to be sent to
 *   one peer
 */
public record LoopOptions(
  int bufferSize,
  int dataCredits,
  int controlCredits,
  int fragmentSize,
  int maxMessageSize,
  int closeIdleMillis,
  int suspectMillis,
  int deadMillis,
  int notifyInlineLimit,
  int zeroCopyBytes) {

  /**
   * 16 KiB buffers, 16 + 16 credits, 256 KiB fragments, 64 MiB messages, 60 s to close, 2 s and 40 s, 1 KiB in notifications, 16 MiB of
   * zero-copy messages.
   */
  public static final LoopOptions DEFAULT = new LoopOptions(16 << 10, 16, 16, 256 << 10, 64 << 20, 60_000, 2_000, 40_000, 1 << 10,
    16 << 20);

  public LoopOptions {
    if (bufferSize < 512 || dataCredits < 1 || controlCredits < 4 || fragmentSize < bufferSize || maxMessageSize < 1) {
      throw new IllegalArgumentException("buffers of at least 512 bytes, 1 data and 4 control credits, fragments no smaller than buffers: "
        + bufferSize + ", " + dataCredits + ", " + controlCredits + ", " + fragmentSize);
    }
  }

  /** The same with buffers that a device's messages fill. @param largest message of the device in bytes, at least 512 */
  LoopOptions fitting(long largest) {
    return largest >= bufferSize ? this
      : new LoopOptions((int) largest, dataCredits, controlCredits, fragmentSize, maxMessageSize, closeIdleMillis,
        suspectMillis, deadMillis, notifyInlineLimit, zeroCopyBytes);
  }

  /** Receives one link needs. */
  public int receives() {
    return dataCredits + controlCredits;
  }
}
