package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** An entry of the address vector and how many connections, messages and operations use it. */
final class Peer {
  final EndpointAddress address;
  final long handle;
  private int users;
  private long epoch;
  /** Whether it is there by more than its own word: this side calls it, or a handshake with it came to its end. */
  boolean known;

  Peer(EndpointAddress address, long handle, boolean known) {
    this.address = address;
    this.handle = handle;
    this.known = known;
  }

  /** Notes the epoch that a message told. @return whether it was another one before: another process is at the address now */
  boolean renewed(long now) {
    boolean changed = epoch != 0 && epoch != now;
    epoch = now;
    return changed;
  }

  Peer retain() {
    users++;
    return this;
  }

  /** @return whether that was the last use */
  boolean release() {
    return --users == 0;
  }
}
