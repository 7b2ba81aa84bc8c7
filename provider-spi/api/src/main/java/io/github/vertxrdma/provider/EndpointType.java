package io.github.vertxrdma.provider;

/** The type of endpoint under a device's connections; fi_endpoint(3). Above the SPI both are connections. */
public enum EndpointType {
  /** Connected: verbs RC, libfabric FI_EP_MSG. */
  MSG,
  /** Reliable datagrams and an address vector, made into connections by {@code io.github.vertxrdma.provider.rdm}. */
  RDM
}
