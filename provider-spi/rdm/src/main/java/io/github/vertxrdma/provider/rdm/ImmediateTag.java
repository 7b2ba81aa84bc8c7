package io.github.vertxrdma.provider.rdm;

/**
 * Identifies the connection of a write by its immediate, because a write has no message: the upper half is a tag that the target gave to
 * the connection, the lower half is the user's.
 */
final class ImmediateTag {
  private ImmediateTag() {
  }

  /** Returns the bits that remain for the user of an immediate of that size. */
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
