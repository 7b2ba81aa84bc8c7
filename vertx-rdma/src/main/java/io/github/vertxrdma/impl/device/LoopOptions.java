package io.github.vertxrdma.impl.device;

/**
 * Options of a loop's links: sizes in bytes, credits in frames. The handshake exchanges buffer size, credits and maximum message size.
 *
 * @param bufferSize size of one receive, including prefix and header
 * @param dataCredits receives for messages
 * @param controlCredits receives for all other frames; at least 4
 * @param fragmentSize bytes that one remote read fetches
 * @param closeIdleMillis time without progress after which a close is forced
 * @param suspectMillis the option suspectTimeout: a silent peer that owes an answer is probed after half of it
 * @param deadMillis silence after which the node checks whether the peer has died
 * @param notifyInlineLimit maximum bytes of a notified write that the notification contains
 * @param zeroCopyBytes registered memory of a loop for received zero-copy messages, and per peer for sent ones
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

  public static final LoopOptions DEFAULT = new LoopOptions(16 << 10, 16, 16, 256 << 10, 64 << 20, 60_000, 2_000, 40_000, 1 << 10,
    16 << 20);

  public LoopOptions {
    if (bufferSize < 512 || dataCredits < 1 || controlCredits < 4 || fragmentSize < bufferSize || maxMessageSize < 1) {
      throw new IllegalArgumentException("use buffers of at least 512 bytes, at least 1 data credit and 4 control credits, and "
        + "fragments at least as large as buffers, not " + bufferSize + ", " + dataCredits + ", " + controlCredits + ", " + fragmentSize);
    }
  }

  public static int fragmentSize(int bufferSize) {
    return Math.max(DEFAULT.fragmentSize, bufferSize);
  }

  /** Reduces the buffer size to a device's largest message. @param largest bytes, at least 512 */
  LoopOptions fitting(long largest) {
    return largest >= bufferSize ? this
      : new LoopOptions((int) largest, dataCredits, controlCredits, fragmentSize, maxMessageSize, closeIdleMillis,
        suspectMillis, deadMillis, notifyInlineLimit, zeroCopyBytes);
  }

  public int receives() {
    return dataCredits + controlCredits;
  }
}
