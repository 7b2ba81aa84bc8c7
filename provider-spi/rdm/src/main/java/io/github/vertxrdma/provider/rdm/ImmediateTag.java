package io.github.vertxrdma.provider.rdm;

/** Immediate of a write. A write has no prefix, so the upper half is the connection's tag at the target. The lower half is the user's. */
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
