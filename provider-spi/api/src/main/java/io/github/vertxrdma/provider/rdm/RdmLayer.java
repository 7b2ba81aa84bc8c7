package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Domain;

/** Connections over connectionless endpoints, made once for every RDM provider. */
public final class RdmLayer {
  private RdmLayer() {
  }

  /**
   * A domain with connections.
   *
   * @param domain the raw domain; closed with the one returned
   */
  public static Domain over(RdmDomain domain) {
    throw new UnsupportedOperationException("connections over connectionless endpoints");
  }
}
