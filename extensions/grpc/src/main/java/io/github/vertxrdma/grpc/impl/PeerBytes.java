package io.github.vertxrdma.grpc.impl;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes of received messages that wait for the application, on all connections with one peer. Above a limit, these connections
 * read no frames until half of the bytes are consumed. Thread-safe.
 */
final class PeerBytes {
  static final int MOST_OF_PEER = 128 << 20;

  private static final Map<String, PeerBytes> PEERS = new ConcurrentHashMap<>();

  private final String node;
  private final AtomicLong bytes = new AtomicLong();
  private final Set<CallLink<?>> paused = ConcurrentHashMap.newKeySet();
  /** Changed only inside {@code compute} calls on {@link #PEERS}. */
  private int connections;

  private PeerBytes(String node) {
    this.node = node;
  }

  static PeerBytes of(String node) {
    return PEERS.compute(node, (id, known) -> {
      PeerBytes of = known == null ? new PeerBytes(id) : known;
      of.connections++;
      return of;
    });
  }

  void leave(CallLink<?> channel, long left) {
    paused.remove(channel);
    add(-left);
    PEERS.computeIfPresent(node, (id, known) -> --known.connections == 0 ? null : known);
  }

  void add(long change) {
    if (change != 0 && bytes.addAndGet(change) <= MOST_OF_PEER / 2 && change < 0) {
      resume();
    }
  }

  private void resume() {
    for (CallLink<?> each : paused) {
      if (paused.remove(each)) {
        each.context.runOnContext(v -> each.resumeLater());
      }
    }
  }

  boolean isExceeded() {
    return bytes.get() > MOST_OF_PEER;
  }

  void await(CallLink<?> channel) {
    paused.add(channel);
    if (bytes.get() <= MOST_OF_PEER / 2) {
      resume();
    }
  }

  /** Returns whether a connection may read. If not, notifies the connection later. */
  boolean hasRoom(CallLink<?> channel) {
    if (bytes.get() <= MOST_OF_PEER / 2) {
      return true;
    }
    await(channel);
    return false;
  }
}
