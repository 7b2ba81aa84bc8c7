package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.buffer.Buffer;

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
  /** @param wanted null for whoever is there */
  static Join to(NodeEntry wanted, long replaces, boolean writtenOff, NodeEntry self) {
    return new Join(replaces, writtenOff, wanted == null ? 0 : wanted.epoch(), wanted == null ? "" : wanted.nodeId(), self);
  }

  /** @throws IllegalArgumentException if it is none, with the reason */
  public static Join read(Buffer payload) {
    Cursor in = Cursor.reading("what it wants", payload.getBytes());
    return new Join(in.i64(), in.u8() != 0, in.i64(), in.text(4), node(Buffer.buffer(in.rest())));
  }

  /** A node entry. @throws IllegalArgumentException if it is none */
  static NodeEntry node(Buffer bytes) {
    if (!(DirectoryEntry.fromBuffer(bytes) instanceof NodeEntry node)) {
      throw new IllegalArgumentException("it does not say which node it is");
    }
    return node;
  }

  public Buffer payload() {
    return Buffer.buffer(Cursor.writing(256).i64(replaces).u8(writtenOff ? 1 : 0).i64(wantedEpoch).text(4, wanted)
      .bytes(self.toBuffer().getBytes()).toArray());
  }

  /** Whether it means that node. */
  boolean wants(NodeEntry node) {
    return (wanted.isEmpty() || wanted.equals(node.nodeId())) && (wantedEpoch == 0 || wantedEpoch == node.epoch());
  }
}
