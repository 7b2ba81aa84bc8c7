package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * First frame of the side that connects. Payload: version (2), nonce (16), id of the link it replaces (8), whether that was written off
 * (1), epoch of the node it wants (8), length and id of that node, its own node entry to the end.
 *
 * @param nonce random; its first 8 bytes are the link's id
 * @param replaces the link that this side has lost, 0 for none
 * @param writtenOff whether it has declared the peer dead, and torn down whatever they shared
 * @param wantedEpoch 0 for any
 * @param wanted node id, empty for whoever is there
 * @param self the connecting node
 * @param payload the bytes, which the proofs cover
 */
record Hello(byte[] nonce, long replaces, boolean writtenOff, long wantedEpoch, String wanted, NodeEntry self, Buffer payload) {
  static final int NONCE_LENGTH = 16;

  private static final short VERSION = 1;
  private static final SecureRandom RANDOM = new SecureRandom();

  static byte[] newNonce() {
    byte[] nonce = new byte[NONCE_LENGTH];
    RANDOM.nextBytes(nonce);
    return nonce;
  }

  /** @param wanted null for whoever is there */
  static Hello make(long replaces, boolean writtenOff, NodeEntry wanted, NodeEntry self) {
    byte[] nonce = newNonce();
    String wantedId = wanted == null ? "" : wanted.nodeId();
    long wantedEpoch = wanted == null ? 0 : wanted.epoch();
    byte[] id = wantedId.getBytes(StandardCharsets.UTF_8);
    Buffer payload = Buffer.buffer().appendShort(VERSION).appendBytes(nonce).appendLong(replaces).appendByte((byte) (writtenOff ? 1 : 0))
      .appendLong(wantedEpoch).appendInt(id.length).appendBytes(id).appendBuffer(self.toBuffer());
    return new Hello(nonce, replaces, writtenOff, wantedEpoch, wantedId, self, payload);
  }

  /** @throws IllegalArgumentException if it is none, with the reason */
  static Hello read(Buffer payload) {
    try {
      short version = payload.getShort(0);
      if (version != VERSION) {
        throw new IllegalArgumentException("version " + version + " of the control protocol, this node speaks version " + VERSION);
      }
      int at = 2 + NONCE_LENGTH + 17;
      int length = payload.getInt(at);
      String wanted = payload.getString(at + 4, at + 4 + length);
      DirectoryEntry self = DirectoryEntry.fromBuffer(payload.getBuffer(at + 4 + length, payload.length()));
      if (!(self instanceof NodeEntry node)) {
        throw new IllegalArgumentException("it does not say which node it is");
      }
      return new Hello(payload.getBytes(2, 2 + NONCE_LENGTH), payload.getLong(2 + NONCE_LENGTH), payload.getByte(10 + NONCE_LENGTH) != 0,
        payload.getLong(11 + NONCE_LENGTH), wanted, node, payload);
    } catch (IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("it is cut short", e);
    }
  }

  /** Whether it means that node. */
  boolean wants(NodeEntry node) {
    return (wanted.isEmpty() || wanted.equals(node.nodeId())) && (wantedEpoch == 0 || wantedEpoch == node.epoch());
  }

  long linkId() {
    return Buffer.buffer(nonce).getLong(0);
  }
}
