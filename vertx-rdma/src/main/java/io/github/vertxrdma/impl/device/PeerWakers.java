package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.poll.PeerWaker;
import io.github.vertxrdma.impl.poll.Scheduler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Wakers of a loop's peers. Links to the same loop share one. Also maps remote addresses to wake-up addresses. */
final class PeerWakers {
  static final int MAX_ADDRESSES = 1024;

  private final List<EndpointWaker> waking = new ArrayList<>();
  private final Map<String, Shared> open = new LinkedHashMap<>();
  private final Map<Object, byte[]> addresses = new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Object, byte[]> eldest) {
      return size() > MAX_ADDRESSES;
    }
  };

  static final class Shared {
    final PeerWaker waker;
    private final byte[] address;
    private int links;

    private Shared(PeerWaker waker, byte[] address) {
      this.waker = waker;
      this.address = address;
    }

    boolean is(byte[] other) {
      return Arrays.equals(address, other);
    }
  }

  byte[] addressOf(Object peer) {
    return addresses.get(peer);
  }

  void remember(Object peer, Shared shared) {
    addresses.put(peer, shared.address);
  }

  void forget(Object peer) {
    addresses.remove(peer);
  }

  Shared acquire(byte[] address) throws IOException {
    Shared shared = open.get(key(address));
    if (shared == null || shared.waker.isUnreachable()) {
      shared = new Shared(PeerWaker.open(address), address);
      open.put(key(address), shared);
    }
    shared.links++;
    return shared;
  }

  void release(Shared shared) {
    if (--shared.links == 0) {
      open.remove(key(shared.address), shared);
      shared.waker.close();
    }
  }

  void addWaking(EndpointWaker waker) {
    waking.add(waker);
  }

  void turnEnd(Scheduler scheduler) {
    if (!waking.isEmpty()) {
      long now = scheduler.nanoTime();
      waking.removeIf(waker -> !waker.wakeAgain(now));
    }
  }

  void wakeWaiting() {
    open.values().forEach(shared -> shared.waker.wakeWaiting());
  }

  private static String key(byte[] address) {
    return Arrays.toString(address);
  }
}
