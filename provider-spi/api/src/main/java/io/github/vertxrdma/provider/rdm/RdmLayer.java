package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Domain;

/**
 * Connections over connectionless endpoints, made once for every RDM provider.
 *
 * <p>A completion queue gets one raw endpoint, opened with its first listener or endpoint, and bound to the address that one asks for.
 * Every message starts with a prefix of {@link #PREFIX} bytes: the receiver's connection id, a random number that only the two ends know,
 * and a type. The layer's own messages come in the slots of the shared receive queue, which it posts again by itself. A slot must have
 * at least {@link #MIN_SLOT} bytes.
 *
 * <p>A connector sends HELLO until it is answered by ACCEPT or REJECT, or its time is up; the acceptor repeats ACCEPT until READY or data
 * comes. Either side ends with DISCONNECT; whoever still sends to a connection that is over is told by RESET.
 */
public final class RdmLayer {
  /** Bytes at the start of each message. */
  public static final int PREFIX = 16;
  /** Bytes a posted receive must have at least. */
  public static final int MIN_SLOT = ControlMessage.MAX_SIZE;
  /** Bytes of private data in connect and accept. */
  public static final int PRIVATE_DATA = 64;
  /** Receives to post for the layer's own messages, beyond those granted to peers. */
  public static final int RESERVED_RECEIVES = 16;

  private RdmLayer() {
  }

  /**
   * A domain with connections.
   *
   * @param domain the raw domain; closed with the one returned
   */
  public static Domain over(RdmDomain domain) {
    return new LayerDomain(domain);
  }
}
