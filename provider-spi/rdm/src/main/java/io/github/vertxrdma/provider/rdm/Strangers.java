package io.github.vertxrdma.provider.rdm;

/** Limits messages from strangers: any host can send a REQ that names any address, which the answer enters into the address vector. */
final class Strangers {
  static final int MOST = 512;
  /** Addresses per second, after a first burst of {@link #MOST}. */
  static final int RATE = 1000;
  private static final long NANOS_EACH = 1_000_000_000L / RATE;

  private int present;
  /** Time of the next address. */
  private long paid;

  Strangers(long now) {
    paid = now - MOST * NANOS_EACH;
  }

  /** Returns whether an address may enter. */
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
