package io.github.vertxrdma.impl.link;

/** Handshake in which two nodes prove that they know the cluster secret. docs/protocol.adoc describes the bytes. */
public interface Handshake {

  Connecting connecting();

  /** @param channel {@link io.github.vertxrdma.provider.Endpoint#channelBinding} */
  Accepting accepting(byte[] request, byte[] channel);

  interface Connecting {
    /** Returns the private data of the request, at most 54 bytes. */
    byte[] request();

    /** Returns a request for a nonce that the acceptor announced, or null without a nonce. The caller appends its greeting. */
    default EarlyRequest early() {
      return null;
    }

    /**
     * Checks the acceptor's proof.
     *
     * @return proof for HELLO; null if the acceptor has accepted the proof in the request
     * @throws io.github.vertxrdma.RdmaException if the proof is wrong
     */
    byte[] confirm(byte[] accept, byte[] channel);

    /** Stores a nonce for a later request. Both halves are 0 if there is none. */
    default void announced(long high, long low) {
    }
  }

  /** @param request bytes before the greeting @param proof for the greeting */
  record EarlyRequest(byte[] request, byte[] proof) {
  }

  record Nonce(long high, long low) {
    static final Nonce NONE = new Nonce(0, 0);
  }

  interface Accepting {
    /** Returns the private data of the accept, at most 54 bytes. */
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
