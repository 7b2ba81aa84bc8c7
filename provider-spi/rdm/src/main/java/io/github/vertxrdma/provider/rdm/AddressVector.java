package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** Peers of an RDM endpoint; fi_av(3). Confined to the endpoint's thread. */
public interface AddressVector {

  /**
   * @return the peer's handle, for posts
   * @throws io.github.vertxrdma.provider.ProviderException if this fabric cannot use the address
   */
  long insert(EndpointAddress address);

  void remove(long peer);
}
