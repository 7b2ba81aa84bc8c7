package io.github.vertxrdma.impl.opening;

/**
 * Proves both ends to each other in the private data of connect and accept and in the connector's first frame. A connector that knows the
 * acceptor's next nonce, which the acceptor announced with an earlier link, proves itself with its request.
 */
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
     * Returns the request for a nonce that the acceptor announced: private data, to which the connector's greeting is appended. Null if no
     * announced nonce is left.
     */
    default EarlyRequest early() {
      return null;
    }

    /**
     * Checks the acceptor's proof.
     *
     * @param accept private data of the accept
     * @return the proof to send in the first frame; null if the acceptor has taken the one that came with the request
     * @throws io.github.vertxrdma.RdmaException if the acceptor does not know the secret
     */
    byte[] confirm(byte[] accept);

    /** Keeps the nonce that the acceptor announces for a later request. Its two halves are 0 for none. */
    default void announced(long high, long low) {
    }
  }

  /**
   * The first part of a request with the connector's greeting.
   *
   * @param request the part before the greeting
   * @param proof the proof in the greeting
   */
  record EarlyRequest(byte[] request, byte[] proof) {
  }

  /** A nonce for the next request of a connector that has proved itself. */
  record Nonce(long high, long low) {
    static final Nonce NONE = new Nonce(0, 0);
  }

  /** The acceptor's side. */
  interface Accepting {
    /** Private data of the accept, at most 56 bytes. */
    byte[] accept();

    /** Returns the greeting that came with a request for an announced nonce; null if the connector sends it in its first frame. */
    default byte[] greeting() {
      return null;
    }

    /** @throws io.github.vertxrdma.RdmaException if the connector does not know the secret */
    void verify(byte[] proof, String nodeId, long epoch);

    /** Returns a nonce to announce to the connector, which serves one request. */
    default Nonce announce() {
      return Nonce.NONE;
    }
  }
}
