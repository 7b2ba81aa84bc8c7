package io.github.vertxrdma.provider.libfabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What connections of one completion queue wait for: being told that they are over, which happens once the completions before that
 * were drained; their deadlines while they connect, and before that, at listeners; and, when they broke, that their operations come back.
 * Confined to the polling thread.
 */
final class FabricConnections {
  private final ArrayDeque<Runnable> news = new ArrayDeque<>();
  private final List<MsgEndpoint> connecting = new ArrayList<>();
  private final List<MsgEndpoint> broken = new ArrayList<>();
  private final List<MsgListener> listeners = new ArrayList<>();

  /** Runs it in a later poll, after completions that are there now. */
  void later(Runnable telling) {
    news.add(telling);
  }

  /** Whether somebody waits for the next turn. */
  boolean pending() {
    return !news.isEmpty() || !broken.isEmpty();
  }

  void tell() {
    for (int n = news.size(); n > 0; n--) {
      news.poll().run();
    }
  }

  /** It broke: its operations are waited for, and taken back in the end. */
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

  /** Whether an endpoint is on its way to be connected. */
  boolean areConnecting() {
    return !connecting.isEmpty();
  }

  /** Ends those whose time is over. */
  void expire(long now) {
    if (areConnecting()) {
      // A copy: handlers may close others too.
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
