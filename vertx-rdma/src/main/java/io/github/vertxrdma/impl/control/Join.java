package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * What the side that connects says once both have proved the secret: id of the link it replaces (8), whether that was written off (1),
 * epoch of the node it wants (8), length and id of that node, its own node entry to the end.
 *
 * @param replaces the link that this side has lost, 0 for none
 * @param writtenOff whether it has declared the peer dead, and torn down whatever they shared
 * @param wantedEpoch 0 for any
 * @param wanted node id, empty for whoever is there
 * @param self the connecting node
 */
public record Join(long replaces, boolean writtenOff, long wantedEpoch, String wanted, NodeEntry self) {
  private static final int HEAD = 8 + 1 + 8 + 4;

  /** @param wanted null for whoever is there */
  static Join to(NodeEntry wanted, long replaces, boolean writtenOff, NodeEntry self) {
    return new Join(replaces, writtenOff, wanted == null ? 0 : wanted.epoch(), wanted == null ? "" : wanted.nodeId(), self);
  }

  /** @throws IllegalArgumentException if it is none, with the reason */
  public static Join read(Buffer payload) {
    int length = payload.length() < HEAD ? -1 : payload.getInt(HEAD - 4);
    if (length < 0 || length > payload.length() - HEAD) {
      throw new IllegalArgumentException("what it wants is cut short");
    }
    return new Join(payload.getLong(0), payload.getByte(8) != 0, payload.getLong(9), payload.getString(HEAD, HEAD + length),
      node(payload.getBuffer(HEAD + length, payload.length())));
  }

  /** A node entry. @throws IllegalArgumentException if it is none */
  static NodeEntry node(Buffer bytes) {
    if (!(DirectoryEntry.fromBuffer(bytes) instanceof NodeEntry node)) {
      throw new IllegalArgumentException("it does not say which node it is");
    }
    return node;
  }

  public Buffer payload() {
    byte[] id = wanted.getBytes(StandardCharsets.UTF_8);
    return Buffer.buffer().appendLong(replaces).appendByte((byte) (writtenOff ? 1 : 0)).appendLong(wantedEpoch).appendInt(id.length)
      .appendBytes(id).appendBuffer(self.toBuffer());
  }

  /** Whether it means that node. */
  boolean wants(NodeEntry node) {
    return (wanted.isEmpty() || wanted.equals(node.nodeId())) && (wantedEpoch == 0 || wantedEpoch == node.epoch());
  }
}
