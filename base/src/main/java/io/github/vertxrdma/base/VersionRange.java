package io.github.vertxrdma.base;

/**
 * Versions of a wire format that one side supports, from 1 to 255. Two sides use the highest common version. docs/protocol.adoc lists the
 * formats.
 *
 * @param lowest lowest version, which the previous release also supports
 * @param highest highest version. If a peer sends a smaller number than {@code lowest}, no version is common
 */
public record VersionRange(int lowest, int highest) {
  private static final int BITS = 8;
  private static final int MASK = 0xff;

  /** Returns the range of a {@link #word}. Only the lowest 16 bits are used. */
  public static VersionRange of(long word) {
    return new VersionRange((int) word & MASK, (int) (word >>> BITS) & MASK);
  }

  /** Returns the range of a {@link #text}; for an invalid text, a range without common versions. */
  public static VersionRange parse(String text) {
    String[] numbers = text.split("-", -1);
    try {
      return new VersionRange(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return only(0);
    }
  }

  /** Returns a range of one version, which the accepting side sends. */
  public static VersionRange only(int version) {
    return new VersionRange(version, version);
  }

  /** Returns 16 bits: the highest version in the upper 8, the lowest in the lower 8. */
  public int word() {
    return highest << BITS | lowest;
  }

  /** Returns the range for JSON, such as {@code 4-5}. */
  public String text() {
    return lowest + "-" + highest;
  }

  /** Returns the highest version that both sides support, or 0 if there is none. */
  public int common(VersionRange peer) {
    int chosen = Math.min(highest, peer.highest);
    return chosen >= Math.max(lowest, peer.lowest) ? chosen : 0;
  }

  /**
   * Returns the cause of a refusal, with the versions of both sides and the remedy.
   *
   * @param speaker the peer, as the subject of a sentence
   * @param format name of the format
   */
  public String refusal(String speaker, String format, VersionRange peer) {
    return speaker + " has "
      + (peer.lowest < 1 || peer.lowest > peer.highest ? "an earlier version" : peer) + " of " + format
      + ", and this node has " + this + ". Upgrade the node with the older vertx-rdma";
  }

  @Override
  public String toString() {
    return lowest == highest ? "version " + lowest : "versions " + lowest + " to " + highest;
  }
}
