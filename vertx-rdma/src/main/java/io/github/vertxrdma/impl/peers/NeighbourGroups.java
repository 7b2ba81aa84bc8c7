package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Predicate;

/** A directory that can read the groups beside its own. */
interface NeighbourGroups {

  /** Returns the other groups with a matching entry, in order. */
  Future<List<String>> groupsWith(Predicate<DirectoryEntry> wanted);
}
