package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.vertx.core.buffer.Buffer;
import java.security.MessageDigest;

/**
 * Answer to a {@link Hello}. Payload: the acceptor's proof (32), nonce (16), its node entry to the end. The proof is over both frames, the
 * connector's own ({@link #confirmation}) too, under another label.
 *
 * @param self the accepting node
 * @param payload the bytes
 */
record Welcome(NodeEntry self, Buffer payload) {
  private static final int PROOF_LENGTH = 32;
  private static final String ACCEPTOR = "control acceptor 1";
  private static final String CONNECTOR = "control connector 1";

  static Welcome make(ClusterSecret secret, Hello hello, NodeEntry self) {
    Buffer rest = Buffer.buffer().appendBytes(Hello.newNonce()).appendBuffer(self.toBuffer());
    byte[] proof = secret.prove(ACCEPTOR, hello.payload().getBytes(), rest.getBytes());
    return new Welcome(self, Buffer.buffer(proof).appendBuffer(rest));
  }

  /** @throws IllegalArgumentException if it is none, or the acceptor does not know the secret */
  static Welcome read(ClusterSecret secret, Hello hello, Buffer payload) {
    if (payload.length() < PROOF_LENGTH + Hello.NONCE_LENGTH) {
      throw new IllegalArgumentException("its answer is cut short");
    }
    Buffer rest = payload.getBuffer(PROOF_LENGTH, payload.length());
    byte[] expected = secret.prove(ACCEPTOR, hello.payload().getBytes(), rest.getBytes());
    if (!MessageDigest.isEqual(expected, payload.getBytes(0, PROOF_LENGTH))) {
      throw new IllegalArgumentException("it does not know the cluster secret; give all nodes the same one (" + ClusterSecret.FILE_VARIABLE
        + ")");
    }
    if (!(DirectoryEntry.fromBuffer(rest.getBuffer(Hello.NONCE_LENGTH, rest.length())) instanceof NodeEntry self)) {
      throw new IllegalArgumentException("it does not say which node it is");
    }
    return new Welcome(self, payload);
  }

  /** The connector's proof. */
  byte[] confirmation(ClusterSecret secret, Hello hello) {
    return secret.prove(CONNECTOR, hello.payload().getBytes(), payload.getBytes());
  }
}
