package io.github.vertxrdma.provider.software;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * Bounds the peers of a listener that have not said what they want: for the newest the oldest of the source that has most is hung up on.
 * Who means to connect says so as soon as it may. Confined to the listener's thread.
 */
final class SilentPeers {
  private static final int MOST = 1024;

  private final Map<Object, LinkedHashSet<SoftwareRequest<?>>> bySource = new HashMap<>();
  private int count;

  /** @param source by which it is told from others */
  void add(SoftwareRequest<?> request, Object source) {
    if (count == MOST) {
      // That takes it out.
      Collections.max(bySource.values(), Comparator.comparingInt(Collection::size)).getFirst().abandon();
    }
    bySource.computeIfAbsent(source, s -> new LinkedHashSet<>()).add(request);
    count++;
  }

  /** Takes one out that has said it, or is gone. */
  void remove(SoftwareRequest<?> request, Object source) {
    LinkedHashSet<SoftwareRequest<?>> silent = bySource.get(source);
    silent.remove(request);
    count--;
    if (silent.isEmpty()) {
      bySource.remove(source);
    }
  }
}
