package io.github.vertxrdma.impl.auth;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.impl.opening.Handshake;
import io.github.vertxrdma.impl.wire.ConnectAccept;
import io.github.vertxrdma.impl.wire.ConnectRequest;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Nonces for later requests: those that a listener has announced, or those that a connector has received. Each serves one request.
 * Thread-safe.
 */
final class AnnouncedNonces {
  /** Unused nonces of a listener. */
  static final int MOST_ISSUED = 1024;
  /** Nonces of a listener that a connector keeps. */
  static final int MOST_KEPT = 64;

  /** Own nonces with this node's epoch, oldest first. */
  private final Map<Handshake.Nonce, Long> issued = new LinkedHashMap<>();
  /** Announced accepts without proofs. The newest is used first, as the acceptor drops the oldest. */
  private final ArrayDeque<ConnectAccept> kept = new ArrayDeque<>();

  /** Creates a nonce. Drops the oldest if there are too many. */
  synchronized Handshake.Nonce issue(RandomGenerator random, long epoch) {
    Handshake.Nonce nonce = new Handshake.Nonce(random.nextLong(), random.nextLong());
    issued.put(nonce, epoch);
    if (issued.size() > MOST_ISSUED) {
      issued.remove(issued.keySet().iterator().next());
    }
    return nonce;
  }

  /** Takes the nonce of a request. Returns null if it is unknown, of another epoch or used before. */
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

  /** @return null if there is none */
  synchronized ConnectAccept take() {
    return kept.poll();
  }
}
