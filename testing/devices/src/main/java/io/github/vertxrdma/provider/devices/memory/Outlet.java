package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.WorkRequest;

/** Destination of posts: a connection, or an entry of an address vector. */
interface Outlet {

  /** @param waiting number of send queue entries in use */
  int check(WorkRequest request, int flags, int waiting);

  Way way();

  Way wayBack();

  /** Returns null if there is no such peer. */
  Deliveries target();

  /** Returns whether answers still complete operations. */
  boolean isOpen();

  InMemoryQueue queue();

  /** Called when an operation and all earlier operations have ended. */
  void ended(Posted posted);

  void bounced(Message message);

  void failed(String why);
}
