package io.github.vertxrdma.provider.rdm;

/**
 * Limits the effect of messages from strangers: any host can send a REQ that names any address, and the answer makes the fabric connect to
 * it. So the address vector has a limited number of unproven addresses at a time, and a limited number enter it per second.
 */
final class Strangers {
  /** Maximum number of addresses at a time. */
  static final int MOST = 512;
  /** Maximum number of addresses per second, after a first burst of {@link #MOST}. */
  static final int RATE = 1000;
  private static final long NANOS_EACH = 1_000_000_000L / RATE;

  private int present;
  /** Time at which the rate allows the next address, at {@link #RATE}. */
  private long paid;

  Strangers(long now) {
    paid = now - MOST * NANOS_EACH;
  }

  /** Returns whether there are not too many addresses, and not too many came lately. */
  boolean mayEnter(long now) {
    paid = Math.max(paid - now, -MOST * NANOS_EACH) + now;
    return present < MOST && paid - now <= -NANOS_EACH;
  }

  /** Called when an address of a stranger enters the address vector. */
  void enter() {
    paid += NANOS_EACH;
    present++;
  }

  /** Called when such an address was removed, or was proved. */
  void leave() {
    present--;
  }
}
