package io.github.vertxrdma.provider.rdm;

/** A write has no message, so its immediate names the connection: the upper half is a tag of the target, the lower half is the user's. */
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
