package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** Peers of an RDM endpoint; fi_av(3). Confined to the endpoint's thread. */
public interface AddressVector {

  /**
   * @return the handle of the peer for posts
   * @throws io.github.vertxrdma.provider.ProviderException if the address is not one of this fabric
   */
  long insert(EndpointAddress address);

  void remove(long peer);
}
