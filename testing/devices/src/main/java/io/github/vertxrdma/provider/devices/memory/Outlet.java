package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.WorkRequest;

/** Carries posts to a peer: a connection, or an entry of an address vector. */
interface Outlet {

  /** Checks a post. @param waiting places in use. @return the status that the post returns */
  int check(WorkRequest request, int flags, int waiting);

  /** Returns the way to the peer. Called after a check. */
  Way way();

  /** Returns the way of the peer's answers to messages. */
  Way wayBack();

  /** Returns where the peer's messages come; null if there is no such peer. */
  Deliveries target();

  /** Returns whether answers count. */
  boolean isOpen();

  /** Returns the queue for answers and completions. */
  InMemoryQueue queue();

  /** Called when an operation has ended, after those before it. */
  void ended(Posted posted);

  /** Called when a one-sided operation succeeded. */
  void accessed(Operation operation);

  /** Called when a message did not reach the peer. */
  void bounced(Message message);

  /** Called when an operation has failed. */
  void failed(String why);
}
