package io.github.vertxrdma.provider.libfabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Work that later polls do for connections: reporting their ends, checking deadlines, flushing operations of failed connections. */
final class FabricConnections {
  private final ArrayDeque<Runnable> news = new ArrayDeque<>();
  private final List<MsgEndpoint> connecting = new ArrayList<>();
  private final List<MsgEndpoint> broken = new ArrayList<>();
  private final List<MsgListener> listeners = new ArrayList<>();

  /** Runs a task in a later poll, after all completions that are in the queue now were reported. */
  void later(Runnable telling) {
    news.add(telling);
  }

  boolean pending() {
    return !news.isEmpty() || !broken.isEmpty();
  }

  void tell() {
    for (int n = news.size(); n > 0; n--) {
      news.poll().run();
    }
  }

  void broke(MsgEndpoint endpoint) {
    broken.add(endpoint);
  }

  void closed(MsgEndpoint endpoint) {
    connecting.remove(endpoint);
    broken.remove(endpoint);
  }

  void listens(MsgListener listener) {
    listeners.add(listener);
  }

  void closed(MsgListener listener) {
    listeners.remove(listener);
  }

  void started(MsgEndpoint endpoint) {
    connecting.add(endpoint);
  }

  void ended(MsgEndpoint endpoint) {
    connecting.remove(endpoint);
  }

  boolean areConnecting() {
    return !connecting.isEmpty();
  }

  void expire(long now) {
    if (areConnecting()) {
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
