package io.github.vertxrdma.provider;

public enum EndpointType {
  /** Connected: verbs RC, libfabric FI_EP_MSG. */
  MSG,
  /** Reliable datagrams and an address vector, turned into connections by {@code io.github.vertxrdma.provider.rdm}. */
  RDM
}
