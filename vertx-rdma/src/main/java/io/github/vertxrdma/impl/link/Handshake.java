package io.github.vertxrdma.impl.link;

import java.util.function.Supplier;

/** Handshake in which two nodes prove that they know the cluster secret. docs/protocol.adoc describes the bytes. */
public interface Handshake {

  Connecting connecting();

  /** @param channel {@link io.github.vertxrdma.provider.Endpoint#channelBinding} */
  Accepting accepting(byte[] request, byte[] channel);

  interface Connecting {
    /** Returns the private data of the request, at most 54 bytes. */
    byte[] request();

    /**
     * Returns a request with a nonce that the acceptor handed out, or null without a nonce. The caller appends its greeting.
     *
     * @param channel {@link io.github.vertxrdma.provider.Domain#channelBinding}, called only with a nonce
     */
    default EarlyRequest early(Supplier<byte[]> channel) {
      return null;
    }

    /**
     * Checks the acceptor's proof.
     *
     * @return proof for HELLO; null if the acceptor has accepted the proof in the request
     * @throws io.github.vertxrdma.RdmaException if the proof is wrong
     */
    byte[] confirm(byte[] accept, byte[] channel);
  }

  /** @param request bytes before the greeting @param proof for the greeting */
  record EarlyRequest(byte[] request, byte[] proof) {
  }

  interface Accepting {
    /** Returns the private data of the accept, at most 54 bytes. */
    byte[] accept();

    /** Returns the greeting in the request if its proof is right; otherwise null, and the connector sends HELLO. */
    default byte[] greeting() {
      return null;
    }

    /**
     * @throws io.github.vertxrdma.RdmaException if the proof is wrong; TIMEOUT if it proves the secret, but not that the peer is the
     * connected node with this id, so that the peer connects again
     */
    void verify(byte[] proof, String nodeId, long epoch);
  }
}
