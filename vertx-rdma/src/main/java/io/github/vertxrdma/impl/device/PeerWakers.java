package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.loop.PeerWaker;
import io.github.vertxrdma.impl.loop.Scheduler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Wakers of the peers of one loop: one for all links to the same event loop of a peer, and the wake-up addresses that peers told, by the
 * address they were connected to. Confined to the loop.
 */
final class PeerWakers {
  /** Maximum number of addresses with a known wake-up address. */
  static final int KNOWN = 1024;

  /** Endpoints that are being connected and wake their peers for it. */
  private final List<EndpointWaker> calling = new ArrayList<>();
  private final Map<String, Shared> open = new LinkedHashMap<>();
  private final Map<Object, byte[]> known = new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Object, byte[]> eldest) {
      return size() > KNOWN;
    }
  };

  /** A waker and how many links use it. */
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

  /** Wake-up address of the peer that was connected to at an address; null if none was told. */
  byte[] known(Object peer) {
    return known.get(peer);
  }

  void know(Object peer, Shared shared) {
    known.put(peer, shared.address);
  }

  void forget(Object peer) {
    known.remove(peer);
  }

  /** @throws IOException see {@link PeerWaker#open} */
  Shared acquire(byte[] address) throws IOException {
    Shared shared = open.get(key(address));
    if (shared == null || shared.waker.isUnreachable()) {
      // Links that have one that fell silent keep it.
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

  /** Has an endpoint wake its peer until it is connected. */
  void calling(EndpointWaker waker) {
    calling.add(waker);
  }

  void turnEnd(Scheduler scheduler) {
    if (!calling.isEmpty()) {
      long now = scheduler.nanoTime();
      calling.removeIf(waker -> !waker.callAgain(now));
    }
  }

  /** Wakes the peers that sleep and wait for operations that this side serves. */
  void wakeWaiting() {
    open.values().forEach(shared -> shared.waker.wakeWaiting());
  }

  private static String key(byte[] address) {
    return Arrays.toString(address);
  }
}
