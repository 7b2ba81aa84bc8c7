package io.github.vertxrdma.provider.rdm;

/**
 * How the immediate of a write says whose it is: there is no message, so its upper half carries a tag that the target gave to the
 * connection, and the lower half is the user's.
 */
final class ImmediateTag {
  private ImmediateTag() {
  }

  /** Bits that are left for the user of an immediate of that many. */
  static int userBits(int bits) {
    return bits >= 64 ? 32 : bits >= 32 ? 16 : 0;
  }

  static long join(int tag, long immediate, int userBits) {
    return (long) tag << userBits | immediate;
  }

  static int tag(long immediate, int userBits) {
    return (int) (immediate >>> userBits) & 0xffff;
  }

  static long immediate(long immediate, int userBits) {
    return immediate & (1L << userBits) - 1;
  }
}
