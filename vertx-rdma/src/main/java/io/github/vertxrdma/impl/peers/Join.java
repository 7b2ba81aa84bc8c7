package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.buffer.Buffer;

/**
 * Request of the connector after both nodes have proved the secret.
 *
 * @param replaces id of a lost link; 0 for none
 * @param writtenOff true if the connector has declared the acceptor dead and closed what they shared
 * @param wantedEpoch epoch of the wanted node; 0 for any
 * @param wanted id of the wanted node; empty for any
 */
public record Join(long replaces, boolean writtenOff, long wantedEpoch, String wanted, NodeEntry self) {
  static Join to(NodeEntry wanted, long replaces, boolean writtenOff, NodeEntry self) {
    return new Join(replaces, writtenOff, wanted == null ? 0 : wanted.epoch(), wanted == null ? "" : wanted.nodeId(), self);
  }

  public static Join read(Buffer payload) {
    Cursor in = Cursor.reading("the join of a control connection", payload.getBytes());
    return new Join(in.i64(), in.u8() != 0, in.i64(), PeerText.of(in.text(4)), node(Buffer.buffer(in.rest())));
  }

  static NodeEntry node(Buffer bytes) {
    if (!(DirectoryEntry.fromBuffer(bytes) instanceof NodeEntry node)) {
      throw new IllegalArgumentException("the peer did not send its node id");
    }
    return node;
  }

  public Buffer payload() {
    return Buffer.buffer(Cursor.writing(256).i64(replaces).u8(writtenOff ? 1 : 0).i64(wantedEpoch).text(4, wanted)
      .bytes(self.toBuffer().getBytes()).toArray());
  }

  boolean wants(NodeEntry node) {
    return (wanted.isEmpty() || wanted.equals(node.nodeId())) && (wantedEpoch == 0 || wantedEpoch == node.epoch());
  }
}
