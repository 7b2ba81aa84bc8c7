package io.github.vertxrdma.provider.libfabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What connections of one completion queue wait for: being told that they are over, which happens once the completions before that
 * were drained, and their deadlines while they connect. Confined to the polling thread.
 */
final class Connections {
  private final ArrayDeque<Runnable> news = new ArrayDeque<>();
  private final List<MsgEndpoint> connecting = new ArrayList<>();

  /** Runs it in a later poll, after completions that are there now. */
  void later(Runnable telling) {
    news.add(telling);
  }

  boolean pending() {
    return !news.isEmpty();
  }

  void tell() {
    for (int n = news.size(); n > 0; n--) {
      news.poll().run();
    }
  }

  void started(MsgEndpoint endpoint) {
    connecting.add(endpoint);
  }

  void ended(MsgEndpoint endpoint) {
    connecting.remove(endpoint);
  }

  /** Ends those whose time is over. */
  void expire(long now) {
    for (int i = connecting.size() - 1; i >= 0; i--) {
      connecting.get(i).expire(now);
    }
  }
}
