package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.WorkRequest;

/** Carries posts to a peer: a connection, or an entry of an address vector. */
interface Outlet {

  /** @param waiting number of send queue entries in use */
  int check(WorkRequest request, int flags, int waiting);

  Way way();

  /** Returns the way of the peer's answers. */
  Way wayBack();

  /** Returns where messages are delivered; null if there is no such peer. */
  Deliveries target();

  /** Returns whether answers of the peer still complete operations. */
  boolean isOpen();

  InMemoryQueue queue();

  /** Called when an operation and all before it have ended. */
  void ended(Posted posted);

  void bounced(Message message);

  void failed(String why);
}
