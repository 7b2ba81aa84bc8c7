package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.vertx.core.buffer.Buffer;
import java.security.MessageDigest;

/**
 * What both ends have said before they prove the secret: their nonces. Each proof covers that, what it is sent with, and a label of its
 * own, so that none can be played back in place of another. The connector proves first: a stranger who connects learns nothing, not even a
 * proof to try secrets on.
 *
 * @param hello payload of the connector's first frame
 * @param welcome the acceptor's
 */
record Transcript(ClusterSecret secret, Buffer hello, Buffer welcome) {
  /** Connector, with nothing else. */
  static final String CONNECTOR = "control connector 2";
  /** Acceptor, with its node entry. */
  static final String ACCEPTOR = "control acceptor 2";
  /** Connector, with {@link Join}. */
  static final String JOIN = "control join 2";

  private static final int PROOF_LENGTH = 32;

  /** A proof with what it covers behind it. */
  Buffer prove(String label, Buffer content) {
    return Buffer.buffer(proof(label, content)).appendBuffer(content);
  }

  /**
   * Bytes that a proof covers.
   *
   * @throws IllegalArgumentException if the peer does not know the secret, or somebody has changed what one of them said
   */
  Buffer proven(String label, Buffer payload) {
    Buffer content = payload.getBuffer(Math.min(PROOF_LENGTH, payload.length()), payload.length());
    byte[] given = payload.getBytes(0, payload.length() - content.length());
    if (!MessageDigest.isEqual(proof(label, content), given)) {
      throw new IllegalArgumentException("it does not know the cluster secret; give all nodes the same one (" + ClusterSecret.FILE_VARIABLE
        + ")");
    }
    return content;
  }

  private byte[] proof(String label, Buffer content) {
    return secret.prove(label, hello.getBytes(), welcome.getBytes(), content.getBytes());
  }
}
