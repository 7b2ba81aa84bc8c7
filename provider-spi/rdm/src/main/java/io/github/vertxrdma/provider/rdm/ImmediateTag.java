package io.github.vertxrdma.provider.rdm;

/** Immediate of a write, which has no prefix: the upper half is the target's tag of the connection, the lower half belongs to the user. */
final class ImmediateTag {
  private ImmediateTag() {
  }

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
