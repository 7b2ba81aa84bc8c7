package io.github.vertxrdma.provider.rdm;

/** Connections over connectionless endpoints, made once for every RDM provider. */
public final class RdmLayer {
  private RdmLayer() {
  }
}
