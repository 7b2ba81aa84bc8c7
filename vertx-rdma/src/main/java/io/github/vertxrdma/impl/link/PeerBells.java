package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.loop.PeerBell;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The doorbells that the links of one loop ring: one for all links to the same event loop of a peer. Confined to the loop. */
final class PeerBells {
  private final Map<String, Shared> open = new HashMap<>();

  /** A doorbell and how many links ring it. */
  static final class Shared {
    private final PeerBell bell;
    private final byte[] descriptor;
    private int links;

    private Shared(PeerBell bell, byte[] descriptor) {
      this.bell = bell;
      this.descriptor = descriptor;
    }

    PeerBell bell() {
      return bell;
    }

    byte[] descriptor() {
      return descriptor;
    }

    boolean is(byte[] other) {
      return Arrays.equals(descriptor, other);
    }
  }

  /** @throws IOException see {@link PeerBell#open} */
  Shared acquire(byte[] descriptor) throws IOException {
    Shared shared = open.get(key(descriptor));
    if (shared == null || shared.bell.isSilent()) {
      // Links that have one that fell silent keep it.
      shared = new Shared(PeerBell.open(descriptor), descriptor);
      open.put(key(descriptor), shared);
    }
    shared.links++;
    return shared;
  }

  void release(Shared shared) {
    if (--shared.links == 0) {
      open.remove(key(shared.descriptor), shared);
      shared.bell.close();
    }
  }

  /** Wakes the peers that sleep and wait for what this side serves. */
  void ringWaiting() {
    open.values().forEach(shared -> shared.bell.ringWaiting());
  }

  private static String key(byte[] descriptor) {
    return Arrays.toString(descriptor);
  }
}
