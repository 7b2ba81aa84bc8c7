package io.github.vertxrdma.provider.rdm;

/**
 * Limits what messages of strangers make this node do: anyone can send a REQ that names any address, and an answer makes the fabric
 * connect to it. So only so many addresses that nobody has proved to be at are in the address vector at a time, and only so many enter it
 * in a second.
 */
final class Strangers {
  /** Addresses at a time. */
  static final int MOST = 512;
  /** Addresses in a second, after as many at once as there may be at a time. */
  static final int RATE = 1000;
  private static final long NANOS_EACH = 1_000_000_000L / RATE;

  private int present;
  /** Time by which all that entered have been paid for, at {@link #RATE}. */
  private long paid;

  Strangers(long now) {
    paid = now - MOST * NANOS_EACH;
  }

  /** Whether there are not too many, and not too many came lately. */
  boolean mayEnter(long now) {
    paid = Math.max(paid - now, -MOST * NANOS_EACH) + now;
    return present < MOST && paid - now <= -NANOS_EACH;
  }

  /** An address of a stranger is in the address vector. */
  void enter() {
    paid += NANOS_EACH;
    present++;
  }

  /** One is gone, or is none any more. */
  void leave() {
    present--;
  }
}
