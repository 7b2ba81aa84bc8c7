package io.github.vertxrdma.impl.opening;

/** Proves both ends to each other in the private data of connect and accept and in the connector's first frame. */
public interface Handshake {

  /** For one outgoing connection. */
  Connecting connecting();

  /**
   * For one connection request.
   *
   * @throws io.github.vertxrdma.RdmaException if it is none of ours
   */
  Accepting accepting(byte[] request);

  /** The connector's side. */
  interface Connecting {
    /** Private data of the request, at most 56 bytes. */
    byte[] request();

    /**
     * Checks the acceptor's proof.
     *
     * @param accept private data of the accept
     * @return the proof to send in the first frame
     * @throws io.github.vertxrdma.RdmaException if the acceptor does not know the secret
     */
    byte[] confirm(byte[] accept);
  }

  /** The acceptor's side. */
  interface Accepting {
    /** Private data of the accept, at most 56 bytes. */
    byte[] accept();

    /** @throws io.github.vertxrdma.RdmaException if the connector does not know the secret */
    void verify(byte[] proof, String nodeId, long epoch);
  }
}
