package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.impl.link.ConnectAccept;
import io.github.vertxrdma.impl.link.ConnectRequest;
import io.github.vertxrdma.impl.link.Handshake;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Single-use nonces for later connect requests, issued by a listener or received by a connector. Thread-safe. */
final class AnnouncedNonces {
  static final int MOST_ISSUED = 1024;
  static final int MOST_KEPT = 64;

  /** Issued nonces, oldest first, each with the node's epoch at that time. */
  private final Map<Handshake.Nonce, Long> issued = new LinkedHashMap<>();
  /** Received nonces, newest first. The newest is used first, because the listener forgets the oldest. */
  private final ArrayDeque<ConnectAccept> kept = new ArrayDeque<>();

  synchronized Handshake.Nonce issue(RandomGenerator random, long epoch) {
    Handshake.Nonce nonce = new Handshake.Nonce(random.nextLong(), random.nextLong());
    issued.put(nonce, epoch);
    if (issued.size() > MOST_ISSUED) {
      issued.remove(issued.keySet().iterator().next());
    }
    return nonce;
  }

  /** Returns the nonce in a connect request, and invalidates it; null if there is none of this epoch. */
  synchronized byte[] redeem(byte[] request, long epoch) {
    if (request.length <= ConnectRequest.GREETED_LENGTH) {
      return null;
    }
    byte[] nonce = Arrays.copyOfRange(request, ConnectRequest.LENGTH, ConnectRequest.GREETED_LENGTH);
    Cursor in = Cursor.reading("a nonce", nonce);
    Long of = issued.remove(new Handshake.Nonce(in.i64(), in.i64()));
    return of == null || of != epoch ? null : nonce;
  }

  synchronized void keep(ConnectAccept announced) {
    kept.push(announced);
    if (kept.size() > MOST_KEPT) {
      kept.removeLast();
    }
  }

  synchronized ConnectAccept take() {
    return kept.poll();
  }
}
