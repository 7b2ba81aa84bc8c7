package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.WorkRequest;

/** Carries posts to a peer: a connection, or an entry of an address vector. */
interface Outlet {

  /**
   * @param waiting send queue entries in use.
   * @return the status that the post returns
   */
  int check(WorkRequest request, int flags, int waiting);

  Way way();

  /** Returns the way of the peer's answers to messages. */
  Way wayBack();

  /** Null without such a peer. */
  Deliveries target();

  /** Returns whether answers of the peer still complete operations. */
  boolean isOpen();

  InMemoryQueue queue();

  /** Called when an operation and all before it have ended. */
  void ended(Posted posted);

  void accessed(Operation operation);

  void bounced(Message message);

  void failed(String why);
}
