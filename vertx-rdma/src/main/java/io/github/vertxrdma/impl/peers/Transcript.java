package io.github.vertxrdma.impl.peers;

import io.vertx.core.buffer.Buffer;

/** First frames of both nodes, with nonces. Each proof covers them, its content and a label, so that it cannot be replayed. */
record Transcript(ClusterSecret secret, Buffer hello, Buffer welcome) {
  static final String CONNECTOR = "control connector 2";
  static final String ACCEPTOR = "control acceptor 2";
  static final String JOIN = "control join 2";
  private static final int PROOF_LENGTH = 32;

  Buffer prove(String label, Buffer content) {
    return Buffer.buffer(secret.prove(label, hello.getBytes(), welcome.getBytes(), content.getBytes())).appendBuffer(content);
  }

  /** Returns the content of a proof. @throws IllegalArgumentException if the peer does not know the secret, or a frame was changed */
  Buffer proven(String label, Buffer payload) {
    Buffer content = payload.getBuffer(Math.min(PROOF_LENGTH, payload.length()), payload.length());
    byte[] given = payload.getBytes(0, payload.length() - content.length());
    if (!secret.isProof(given, label, hello.getBytes(), welcome.getBytes(), content.getBytes())) {
      throw new IllegalArgumentException("the peer does not know the cluster secret. Give all nodes the same secret ("
        + ClusterSecret.FILE_VARIABLE + ")");
    }
    return content;
  }
}
