package io.github.vertxrdma.provider.shm;

/** Thrown if a ring buffer has content that no peer of this version writes. */
final class DamagedRingException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DamagedRingException(String what) {
    super(what);
  }
}
