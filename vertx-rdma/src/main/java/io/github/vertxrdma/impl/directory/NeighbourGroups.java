package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Predicate;

/** A directory beside which groups of other nodes lie that it could look into. */
public interface NeighbourGroups {

  /** The other groups that have such an entry, in order. */
  Future<List<String>> groupsWith(Predicate<DirectoryEntry> wanted);
}
