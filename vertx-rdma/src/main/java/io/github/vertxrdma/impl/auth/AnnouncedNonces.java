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
 * Nonces that an acceptor has announced for later requests: those of a listener, or those that a connector knows of one. Each serves one
 * request. Thread-safe.
 */
final class AnnouncedNonces {
  /** Nonces of a listener that no request has named. */
  static final int MOST_ISSUED = 1024;
  /** Nonces of a listener that a connector keeps. */
  static final int MOST_KEPT = 64;

  /** Nonces of this side with the epoch of this node, oldest first. */
  private final Map<Handshake.Nonce, Long> issued = new LinkedHashMap<>();
  /** Accepts without proofs, as the acceptor announced them. The newest is used first, since the acceptor forgets the oldest. */
  private final ArrayDeque<ConnectAccept> kept = new ArrayDeque<>();

  /** Makes a nonce. If there are too many, the oldest is forgotten. */
  synchronized Handshake.Nonce issue(RandomGenerator random, long epoch) {
    Handshake.Nonce nonce = new Handshake.Nonce(random.nextLong(), random.nextLong());
    issued.put(nonce, epoch);
    if (issued.size() > MOST_ISSUED) {
      issued.remove(issued.keySet().iterator().next());
    }
    return nonce;
  }

  /** Takes the nonce that a request names. Returns null if there is no such nonce of this epoch, as when a request is repeated. */
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

  /** Returns null if there is none. */
  synchronized ConnectAccept take() {
    return kept.poll();
  }
}
