package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.software.RegionTable;

/** Carries posts to a peer: a connection, or an entry of an address vector. */
interface Outlet {

  /** Returns whether requests may be posted. */
  boolean usable();

  /** Returns the way to the peer. Valid once the outlet was usable. */
  Way way();

  /** Returns the memory regions of the peer. Null if there is no such peer. */
  RegionTable<InMemoryRegion> target();

  /** Creates a message to the peer. */
  Message message(Work work, Source source, long immediate, boolean hasImmediate, boolean write);

  /** Hands a message over. @return false if the peer is gone */
  boolean hand(Message message);

  /** Hands over the notification of a write that the fabric has already carried. */
  void arrive(Message message);

  /** Returns whether completions are delivered. */
  boolean live();

  /** Returns the queue for completions. */
  InMemoryQueue queue();

  /** Called when a one-sided operation succeeded. */
  void done(Operation operation);

  /** Called when a one-sided operation was refused, after its completion was added. */
  void failed(String why);
}
