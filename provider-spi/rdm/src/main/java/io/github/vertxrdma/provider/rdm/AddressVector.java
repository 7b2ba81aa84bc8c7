package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** Addresses of the peers of an RDM endpoint; fi_av(3). Confined to the endpoint's thread. */
public interface AddressVector {

  /**
   * Adds an address.
   *
   * @return handle of the peer, for posts
   * @throws io.github.vertxrdma.provider.ProviderException if this fabric cannot use the address
   */
  long insert(EndpointAddress address);

  void remove(long peer);
}
