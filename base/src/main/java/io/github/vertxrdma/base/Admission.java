package io.github.vertxrdma.base;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Limits the number of unauthenticated peers, in total and for each source (network or user). Above a limit, {@link #add} adds the new
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
  /** Waiting peers by source. The first source has the next turn. */
  private final LinkedHashMap<Object, Deque<Waiting<T>>> waiting = new LinkedHashMap<>();
  private int waitingCount;
  /** True while {@link #enter} runs, because its callbacks may call {@link #remove}. */
  private boolean entering;

  private record Waiting<T>(T peer, Consumer<T> entered) {
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
   * Adds a peer as soon as the limits allow this. Sources are served in rotation. If too many wait, a new source is served first, because
   * the others may be a flood that takes longer than an honest peer waits.
   *
   * @param mostWaiting maximum number of waiting peers
   * @param entered called by {@link #remove} after the peer was added
   * @return null, or the peer to refuse if too many wait: the oldest of the source from which the most wait, and of equal sources the one
   * that would be served last
   */
  public T await(T peer, Object source, int mostWaiting, Consumer<T> entered) {
    T refused = null;
    if (waitingCount == mostWaiting) {
      Deque<Waiting<T>> most = Collections.max(waiting.sequencedValues().reversed(), Comparator.comparingInt(Deque::size));
      refused = most.remove().peer;
      waitingCount--;
      waiting.values().removeIf(Deque::isEmpty);
      if (!waiting.containsKey(source)) {
        waiting.putFirst(source, new ArrayDeque<>());
      }
    }
    waiting.computeIfAbsent(source, key -> new ArrayDeque<>()).add(new Waiting<>(peer, entered));
    waitingCount++;
    return refused;
  }

  /** Returns the oldest peer whose removal would admit a waiting one; null if none waits. */
  public T oldestInTheWay() {
    boolean any = waiting.keySet().stream().anyMatch(source -> counts.getOrDefault(source, 0) < mostOfOne);
    return waiting.isEmpty() ? null : sources.entrySet().stream().filter(each -> any || waiting.containsKey(each.getValue()))
      .map(Map.Entry::getKey).findFirst().orElse(null);
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
      while (sources.size() < most && enterNext()) {
        // The next source has its turn.
      }
    } finally {
      entering = false;
    }
  }

  /** Adds the first peer of the first source that is below its limit, and moves that source to the end. */
  private boolean enterNext() {
    for (Iterator<Map.Entry<Object, Deque<Waiting<T>>>> each = waiting.entrySet().iterator(); each.hasNext();) {
      Map.Entry<Object, Deque<Waiting<T>>> first = each.next();
      Object source = first.getKey();
      if (hasRoom(source)) {
        Deque<Waiting<T>> peers = first.getValue();
        Waiting<T> next = peers.remove();
        waitingCount--;
        each.remove();
        if (!peers.isEmpty()) {
          waiting.put(source, peers);
        }
        add(next.peer, source);
        next.entered.accept(next.peer);
        return true;
      }
    }
    return false;
  }

  /** Drops the waiting peers. */
  public void close() {
    waiting.clear();
    waitingCount = 0;
  }
}
