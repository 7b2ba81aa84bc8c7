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
 * Numbers that each node hands out to its peer over their control connection. While it is open, the peer proves its id with the number,
 * and has nonces for connect requests that contain a proof of the cluster secret: a nonce is the number and a count from 1 on, and is valid
 * once. Thread-safe.
 */
final class RequestNonces implements ControlListener {
  static final int KIND = 13;
  private static final int CONFIRM = 14;
  /** Range of counts below the highest used one in which unused nonces are valid, because requests overtake each other. */
  static final int WINDOW = 1024;

  private static final byte[] NONE = {};

  private final RandomGenerator random;
  /** By tag of the peer that may use the number. */
  private final Map<Long, Issued> issued = new ConcurrentHashMap<>();
  /** By tag of the peer that issued the number. */
  private final Map<Long, Received> received = new ConcurrentHashMap<>();

  RequestNonces(RandomGenerator random) {
    this.random = random;
  }

  /** @param link null for connections of this node with itself */
  private static final class Issued {
    private final ControlLink link;
    private final long number;
    /** True if the peer has received the number. */
    private volatile boolean confirmed;
    private final BitSet used = new BitSet(WINDOW);
    private long highest;

    Issued(ControlLink link, long number) {
      this.link = link;
      this.number = number;
      this.confirmed = link == null;
    }

    boolean isOpen() {
      return link == null || link.isOpen();
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
    control.addListener(this).messageHandler(KIND, (link, message) -> {
      received(link.nodeId(), link, message);
      link.send(CONFIRM, Buffer.buffer());
    }).messageHandler(CONFIRM, (link, message) -> confirmed(link));
  }

  @Override
  public void opened(ControlLink link) {
    link.send(KIND, issue(link.nodeId(), link));
  }

  @Override
  public void died(PeerDeath death) {
    issued.values().removeIf(each -> !each.isOpen());
    received.values().removeIf(each -> each.link != null && !each.link.isOpen());
  }

  Buffer issue(String nodeId, ControlLink link) {
    Issued made = new Issued(link, random.nextLong());
    issued.put(SecretHandshake.tag(nodeId), made);
    return Buffer.buffer().appendShort((short) LinkVersions.SPOKEN.word()).appendLong(made.number);
  }

  void received(String nodeId, ControlLink link, Buffer message) {
    received.put(SecretHandshake.tag(nodeId), Received.read(link, message));
  }

  private void confirmed(ControlLink link) {
    issued.values().stream().filter(each -> each.link == link).forEach(each -> each.confirmed = true);
  }

  /** Lets this node connect to itself. */
  void own(String nodeId) {
    received.computeIfAbsent(SecretHandshake.tag(nodeId), tag -> Received.read(null, issue(nodeId, null)));
  }

  /** Returns the number that only the connected node with a tag knows. Empty if no such node is connected, or it is too old. */
  byte[] numberOf(long tag) {
    Issued to = issued.get(tag);
    return to != null && to.confirmed && to.isOpen() ? bytes(to.number) : NONE;
  }

  /** Returns the number that a peer has handed out to this node. Empty if none. */
  byte[] numberFrom(long tag) {
    Received from = received.get(tag);
    return from == null ? NONE : bytes(from.number);
  }

  private static byte[] bytes(long number) {
    return Cursor.writing(Long.BYTES).i64(number).toArray();
  }

  /** Returns the next nonce for a request to a peer, or null if the peer has handed out none. */
  Next next(NodeEntry peer) {
    Received from = received.get(SecretHandshake.tag(peer.nodeId()));
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
