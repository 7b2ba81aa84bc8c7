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
    /** At most 56 bytes. */
    byte[] request();

    /** Returns the request for an announced nonce, to which the greeting is appended, or null if no nonce is left. */
    default EarlyRequest early() {
      return null;
    }

    /**
     * Checks the acceptor's proof.
     *
     * @return proof for the first frame; null if the one in the request was accepted
     * @throws io.github.vertxrdma.RdmaException if the proof is wrong
     */
    byte[] confirm(byte[] accept, byte[] channel);

    /** Stores the nonce for a later request. Both halves are 0 for none. */
    default void announced(long high, long low) {
    }
  }

  /** @param request the part before the greeting @param proof to put in the greeting */
  record EarlyRequest(byte[] request, byte[] proof) {
  }

  record Nonce(long high, long low) {
    static final Nonce NONE = new Nonce(0, 0);
  }

  interface Accepting {
    /** At most 56 bytes. */
    byte[] accept();

    default byte[] greeting() {
      return null;
    }

    /** @throws io.github.vertxrdma.RdmaException if the proof is wrong */
    void verify(byte[] proof, String nodeId, long epoch);

    default Nonce announce() {
      return Nonce.NONE;
    }
  }
}
