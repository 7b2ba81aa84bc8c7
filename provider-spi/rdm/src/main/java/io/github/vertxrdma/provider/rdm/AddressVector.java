package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** Peers of an RDM endpoint; fi_av(3). Confined to the endpoint's thread. */
public interface AddressVector {

  /**
   * Adds a peer.
   *
   * @return the handle of the peer for posts
   * @throws io.github.vertxrdma.provider.ProviderException if the address is not one of this fabric
   */
  long insert(EndpointAddress address);

  /** Removes a peer; no operation to it may be posted any more. */
  void remove(long peer);
}
