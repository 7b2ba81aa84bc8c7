package io.github.vertxrdma.provider.libfabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Work that later polls do for connections: reporting their ends, checking deadlines, flushing operations of failed connections. */
final class FabricConnections {
  /** Reports of ends of connections. They run in a later poll, after all completions that are in the queue now were reported. */
  final ArrayDeque<Runnable> ends = new ArrayDeque<>();
  final List<MsgEndpoint> connecting = new ArrayList<>();
  /** Failed endpoints that may have operations in flight. */
  final List<MsgEndpoint> broken = new ArrayList<>();
  final List<MsgListener> listeners = new ArrayList<>();

  boolean pending() {
    return !ends.isEmpty() || !broken.isEmpty();
  }

  void reportEnds() {
    for (int n = ends.size(); n > 0; n--) {
      ends.poll().run();
    }
  }

  void closed(MsgEndpoint endpoint) {
    connecting.remove(endpoint);
    broken.remove(endpoint);
  }

  void expire(long now) {
    if (!connecting.isEmpty()) {
      // Iterates over a copy, because handlers may close other endpoints.
      List.copyOf(connecting).forEach(endpoint -> endpoint.expire(now));
    }
    for (int i = 0; i < listeners.size(); i++) {
      listeners.get(i).poll(now);
    }
    for (int i = broken.size() - 1; i >= 0; i--) {
      if (broken.get(i).settled(now)) {
        broken.remove(i);
      }
    }
  }
}
