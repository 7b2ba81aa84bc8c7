package io.github.vertxrdma.base;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Limits the number of unauthenticated peers, in total and for each source (address or network). Above a limit, {@link #add} adds the new
 * peer and returns a peer to disconnect; {@link #await} lets the new peer wait. Confined to one thread.
 *
 * @param <T> type of peers, distinguished by {@code equals}
 */
public final class Admission<T> {
  /** Leading bytes of an IPv6 address that identify its network. The peer can choose the other bytes. */
  private static final int IPV6_PREFIX = 8;

  private final int most;
  private final int mostOfOne;
  /** Admitted peers, oldest first. */
  private final Map<T, Object> sources = new LinkedHashMap<>();
  private final Map<Object, Integer> counts = new HashMap<>();
  private final ArrayDeque<Waiting<T>> waiting = new ArrayDeque<>(0);
  /** True while {@link #enter} runs, because its callbacks may call {@link #remove}. */
  private boolean entering;

  private record Waiting<T>(T peer, Object source, Consumer<T> entered) {
  }

  /**
   * @param most maximum number of peers in total
   *
   * @param mostOfOne maximum number for one source
   */
  public Admission(int most, int mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /** Returns an IPv4 address, or the first 64 bits of an IPv6 address. */
  public static Object source(byte[] address) {
    return ByteBuffer.wrap(address, 0, Math.min(address.length, IPV6_PREFIX));
  }

  /** Returns whether a peer of a source can be added within the limits. */
  public boolean hasRoom(Object source) {
    return sources.size() < most && counts.getOrDefault(source, 0) < mostOfOne;
  }

  /**
   * Adds a peer.
   *
   * @return null within the limits; otherwise the oldest peer of the source above its limit, or else of the source with the most peers. The
   * caller must disconnect and remove the returned peer. Honest peers authenticate earlier
   */
  public T add(T peer, Object source) {
    T oldest = null;
    if (!hasRoom(source)) {
      Object greediest = counts.getOrDefault(source, 0) >= mostOfOne ? source
        : Collections.max(counts.entrySet(), Map.Entry.comparingByValue()).getKey();
      oldest = sources.entrySet().stream().filter(each -> each.getValue().equals(greediest)).findFirst().orElseThrow().getKey();
    }
    sources.put(peer, source);
    counts.merge(source, 1, Integer::sum);
    return oldest;
  }

  /**
   * Adds a peer as soon as the limits allow this.
   *
   * @param mostWaiting maximum number of waiting peers
   * @param entered called by {@link #remove} after the peer was added
   * @return false if too many peers wait
   */
  public boolean await(T peer, Object source, int mostWaiting, Consumer<T> entered) {
    return waiting.size() < mostWaiting && waiting.add(new Waiting<>(peer, source, entered));
  }

  /** Removes a peer that has authenticated or disconnected. Adds waiting peers within the limits. Idempotent. */
  public void remove(T peer) {
    Object source = sources.remove(peer);
    if (source != null) {
      counts.computeIfPresent(source, (key, count) -> count == 1 ? null : count - 1);
      enter();
    }
  }

  private void enter() {
    if (entering) {
      return;
    }
    entering = true;
    try {
      for (Waiting<T> next = poll(); next != null; next = poll()) {
        add(next.peer, next.source);
        next.entered.accept(next.peer);
      }
    } finally {
      entering = false;
    }
  }

  /** Removes and returns the first waiting peer that is within the limits, or null. */
  private Waiting<T> poll() {
    for (Iterator<Waiting<T>> each = waiting.iterator(); sources.size() < most && each.hasNext();) {
      Waiting<T> next = each.next();
      if (hasRoom(next.source)) {
        each.remove();
        return next;
      }
    }
    return null;
  }

  /** Drops the waiting peers. */
  public void close() {
    waiting.clear();
  }
}
