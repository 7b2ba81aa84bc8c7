package io.github.vertxrdma.provider.libfabric;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Resets TCP connections that libfabric's tcp has accepted and that have not sent a request in time. The library itself would keep them
 * forever.
 */
final class SilentConnections {
  static final int MOST = 1024;
  /** Nanoseconds in which a request must arrive. The number of checks measures the time, so that a pause in polling does not count. */
  static final long TIMEOUT_NANOS = 10_000_000_000L;
  private static final long LOOK_NANOS = 1_000_000_000;

  private final int eventQueue;
  private final int port;
  private final Map<InetSocketAddress, Integer> looks = new LinkedHashMap<>();
  private long nextLook = System.nanoTime();

  SilentConnections(int eventQueue, int port) {
    this.eventQueue = eventQueue;
    this.port = port;
  }

  /** Resets connections that were silent for too long, and the oldest ones if there are more than {@value #MOST}. */
  void poll(long now) {
    if (now - nextLook < 0) {
      return;
    }
    nextLook = now + LOOK_NANOS;
    Map<InetSocketAddress, WatchedSocket> silent = silent();
    looks.keySet().retainAll(silent.keySet());
    int most = looks.size();
    List<WatchedSocket> ended = new ArrayList<>();
    looks.replaceAll((remote, number) -> {
      if (number * LOOK_NANOS >= TIMEOUT_NANOS || most - ended.size() > MOST) {
        ended.add(silent.get(remote));
      }
      return number + 1;
    });
    ended.forEach(WatchedSocket::reset);
    silent.keySet().forEach(remote -> looks.putIfAbsent(remote, 1));
  }

  private Map<InetSocketAddress, WatchedSocket> silent() {
    Map<InetSocketAddress, WatchedSocket> silent = new HashMap<>();
    WatchedSocket.withoutRequest(eventQueue, port).forEach(socket -> silent.put(socket.remoteAddress(), socket));
    // Sockets without a remote address were closed meanwhile.
    silent.remove(null);
    return silent;
  }
}
