package io.github.vertxrdma.provider;

public enum EndpointType {
  /** Connected: verbs RC, libfabric FI_EP_MSG. */
  MSG,
  /** Reliable datagrams with an address vector. Package {@code io.github.vertxrdma.provider.rdm} makes connections of them. */
  RDM
}
