package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.WorkRequest;

/** Carries posts to a peer: a connection, or an entry of an address vector. */
interface Outlet {

  /**
   * @param waiting places in use.
   * @return the status that the post returns
   */
  int check(WorkRequest request, int flags, int waiting);

  Way way();

  /** Returns the way of the peer's answers to messages. */
  Way wayBack();

  /** Null without such a peer. */
  Deliveries target();

  /** Returns whether answers count. */
  boolean isOpen();

  InMemoryQueue queue();

  /** Called when an operation has ended, after those before it. */
  void ended(Posted posted);

  void accessed(Operation operation);

  void bounced(Message message);

  void failed(String why);
}
