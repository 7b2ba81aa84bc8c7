package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** An entry of the address vector and how many connections, messages and operations use it. */
final class Peer {
  private final EndpointAddress address;
  private final long handle;
  private int users;

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

  void retain() {
    users++;
  }

  /** @return whether that was the last use */
  boolean release() {
    return --users == 0;
  }
}
