package io.github.vertxrdma.provider;

public enum EndpointType {
  /** Connected: verbs RC, libfabric FI_EP_MSG. */
  MSG,
  /** Reliable datagrams: libfabric FI_EP_RDM. Package {@code io.github.vertxrdma.provider.rdm} adds connections. */
  RDM
}
