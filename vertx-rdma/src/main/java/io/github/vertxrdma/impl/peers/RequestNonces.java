package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.ConnectRequest;
import io.github.vertxrdma.impl.link.LinkVersions;
import io.vertx.core.buffer.Buffer;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Nonces for connect requests that contain a proof of the cluster secret. Over a control connection, each node hands out a number to its
 * peer. A nonce is that number and a count from 1 on, and is valid once, while the control connection is open. Thread-safe.
 */
final class RequestNonces implements ControlListener {
  static final int KIND = 13;
  /** Range of counts below the highest used one in which unused nonces are valid, because requests overtake each other. */
  static final int WINDOW = 1024;

  private final RandomGenerator random;
  /** By tag of the peer that may use the number. */
  private final Map<Long, Issued> issued = new ConcurrentHashMap<>();
  /** By id of the peer that issued the number. */
  private final Map<String, Received> received = new ConcurrentHashMap<>();

  RequestNonces(RandomGenerator random) {
    this.random = random;
  }

  /** @param link null for connections of this node with itself */
  private static final class Issued {
    private final ControlLink link;
    private final long number;
    private final BitSet used = new BitSet(WINDOW);
    private long highest;

    Issued(ControlLink link, long number) {
      this.link = link;
      this.number = number;
    }

    synchronized boolean isUnused(long count) {
      return count > highest || count > 0 && count > highest - WINDOW && !used.get((int) (count % WINDOW));
    }

    synchronized boolean use(long count) {
      if (!isUnused(count)) {
        return false;
      }
      if (count - highest >= WINDOW) {
        used.clear();
      } else {
        for (long skipped = highest + 1; skipped < count; skipped++) {
          used.clear((int) (skipped % WINDOW));
        }
      }
      used.set((int) (count % WINDOW));
      highest = Math.max(highest, count);
      return true;
    }
  }

  private record Received(ControlLink link, VersionRange versions, long number, AtomicLong count) {

    static Received read(ControlLink link, Buffer message) {
      Cursor in = Cursor.reading("a number for nonces", message.getBytes());
      return new Received(link, VersionRange.of(in.u16()), in.i64(), new AtomicLong());
    }
  }

  /** A nonce with the fields that the acceptor's answer will repeat. */
  record Next(int version, long epoch, byte[] nonce) {
  }

  void attach(ControlLinks control) {
    control.addListener(this).messageHandler(KIND, (link, message) -> received(link.nodeId(), link, message));
  }

  @Override
  public void opened(ControlLink link) {
    forgetClosed();
    link.send(KIND, issue(link.nodeId(), link));
  }

  @Override
  public void died(PeerDeath death) {
    forgetClosed();
  }

  private void forgetClosed() {
    issued.values().removeIf(each -> each.link != null && !each.link.isOpen());
    received.values().removeIf(each -> each.link != null && !each.link.isOpen());
  }

  Buffer issue(String nodeId, ControlLink link) {
    Issued made = new Issued(link, random.nextLong());
    issued.put(SecretHandshake.tag(nodeId), made);
    return Buffer.buffer().appendShort((short) LinkVersions.SPOKEN.word()).appendLong(made.number);
  }

  void received(String nodeId, ControlLink link, Buffer message) {
    received.put(nodeId, Received.read(link, message));
  }

  /** Lets this node connect to itself with nonces. */
  void own(String nodeId) {
    received.computeIfAbsent(nodeId, id -> Received.read(null, issue(id, null)));
  }

  /** Returns the next nonce for a request to a peer, or null if the peer has handed out none. */
  Next next(NodeEntry peer) {
    Received from = received.get(peer.nodeId());
    int version = from == null ? 0 : LinkVersions.SPOKEN.common(from.versions);
    return version == 0 ? null : new Next(version, peer.epoch() == 0 && from.link != null ? from.link.epoch() : peer.epoch(),
      Cursor.writing(ConnectRequest.NONCE_LENGTH).i64(from.number).i64(from.count.incrementAndGet()).toArray());
  }

  boolean isUnused(long tag, byte[] nonce) {
    Cursor in = Cursor.reading("a nonce", nonce);
    Issued to = issued.get(tag);
    return to != null && to.number == in.i64() && to.isUnused(in.i64());
  }

  /** Invalidates a nonce. Called after its proof was verified. @return false if it was used meanwhile */
  boolean use(long tag, byte[] nonce) {
    Cursor in = Cursor.reading("a nonce", nonce);
    Issued to = issued.get(tag);
    return to != null && to.number == in.i64() && to.use(in.i64());
  }
}
