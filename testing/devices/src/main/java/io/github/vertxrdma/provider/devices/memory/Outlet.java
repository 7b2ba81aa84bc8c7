package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.software.RegionTable;

/** The way from posts to a peer: a connection, or an entry of an address vector. */
interface Outlet {

  /** Whether anything may be posted. */
  boolean usable();

  /** Over what; once it was usable. */
  Way way();

  /** The peer's memory; null if there is no such peer. */
  RegionTable<InMemoryRegion> target();

  /** A message to the peer. */
  Message message(Work work, Source source, long immediate, boolean hasImmediate, boolean write);

  /** Hands it over. @return false if the peer is gone */
  boolean hand(Message message);

  /** Hands over what told itself to the fabric already: the news of a write. */
  void arrive(Message message);

  /** Whether completions are told. */
  boolean live();

  /** Receiver of completions. */
  InMemoryQueue queue();

  /** A one-sided operation succeeded. */
  void done(Operation operation);

  /** A one-sided operation was refused; its completion is made. */
  void failed(String why);
}
