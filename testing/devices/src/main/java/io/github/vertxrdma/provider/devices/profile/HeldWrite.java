package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.WorkRequest;

/** A write that is held back, so that later posts overtake it. */
final class HeldWrite {
  final long peer;
  final WorkRequest request;
  private int turns;

  HeldWrite(long peer, WorkRequest request, int turns) {
    this.peer = peer;
    this.request = request;
    this.turns = turns;
  }

  /** Counts a poll. @return whether the write has waited long enough */
  boolean due() {
    return --turns <= 0;
  }
}
