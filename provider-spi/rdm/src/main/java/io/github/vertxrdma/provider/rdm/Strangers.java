package io.github.vertxrdma.provider.rdm;

/** Limits new addresses in the address vector: any host can send a REQ that names any address, and the answer needs an entry. */
final class Strangers {
  static final int MOST = 512;
  /** Maximum number of addresses per second, after a burst of {@link #MOST}. */
  static final int RATE = 1000;
  private static final long NANOS_EACH = 1_000_000_000L / RATE;

  private int present;
  /** Time until which earlier additions use up the {@link #RATE}. */
  private long paid;

  Strangers(long now) {
    paid = now - MOST * NANOS_EACH;
  }

  /** Returns whether another address may be added. */
  boolean mayEnter(long now) {
    paid = Math.max(paid - now, -MOST * NANOS_EACH) + now;
    return present < MOST && paid - now <= -NANOS_EACH;
  }

  void enter() {
    paid += NANOS_EACH;
    present++;
  }

  void leave() {
    present--;
  }
}
