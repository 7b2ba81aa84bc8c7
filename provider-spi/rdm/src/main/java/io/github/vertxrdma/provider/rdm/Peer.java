package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** An entry of the address vector and how many connections, messages and operations use it. */
final class Peer {
  private final EndpointAddress address;
  private final long handle;
  private int users;
  private long epoch;

  Peer(EndpointAddress address, long handle) {
    this.address = address;
    this.handle = handle;
  }

  EndpointAddress address() {
    return address;
  }

  long handle() {
    return handle;
  }

  /** Notes the epoch that a message told. @return whether it was another one before: another process is at the address now */
  boolean renewed(long now) {
    boolean changed = epoch != 0 && epoch != now;
    epoch = now;
    return changed;
  }

  void retain() {
    users++;
  }

  /** @return whether that was the last use */
  boolean release() {
    return --users == 0;
  }
}
