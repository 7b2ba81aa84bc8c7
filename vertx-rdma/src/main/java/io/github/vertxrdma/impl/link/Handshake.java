package io.github.vertxrdma.impl.link;

/** Mutual proof of the cluster secret. docs/protocol.adoc has the bytes. */
public interface Handshake {

  Connecting connecting();

  /**
   * @param channel {@link io.github.vertxrdma.provider.Endpoint#channelBinding}
   * @throws io.github.vertxrdma.RdmaException if the request is invalid
   */
  Accepting accepting(byte[] request, byte[] channel);

  interface Connecting {
    /** Returns the private data of the request, at most 54 bytes. */
    byte[] request();

    /**
     * Checks the acceptor's proof.
     *
     * @return proof for HELLO
     * @throws io.github.vertxrdma.RdmaException if the proof is wrong
     */
    byte[] confirm(byte[] accept, byte[] channel);
  }

  interface Accepting {
    /** Returns the private data of the accept, at most 54 bytes. */
    byte[] accept();

    /** @throws io.github.vertxrdma.RdmaException if the proof is wrong */
    void verify(byte[] proof, String nodeId, long epoch);
  }
}
