package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;
import java.util.Set;

/** The two fabrics of an EFA device, and what they promise; fi_efa(7) and the sources of libfabric 2.6. */
enum EfaFabric {
  /** Messages of any size in their order, by protocols over the packets of the device. */
  EFA(ProfileProvider.EFA, Set.of(Order.SEND_AFTER_SEND), Long.MAX_VALUE, Integer.MAX_VALUE, true, 4),
  /** The packets of the device as messages: short ones, which arrive and end in any order. */
  DIRECT(ProfileProvider.EFA_DIRECT, Set.of(), 8 << 10, 32, false, 1);

  final String profile;
  final Set<Capabilities.Order> orders;
  final long messageSize;
  final int inlineSize;
  /** Whether writes are inline, too: efa_rma_post_write refuses to copy more than no bytes. */
  final boolean inlineWrites;
  /** Pieces of memory of a request: EFA_RDM_IOV_LIMIT of the one; of the other, the device takes one for an access. */
  final int elements;

  EfaFabric(String profile, Set<Capabilities.Order> orders, long messageSize, int inlineSize, boolean inlineWrites, int elements) {
    this.profile = profile;
    this.orders = orders;
    this.messageSize = messageSize;
    this.inlineSize = inlineSize;
    this.inlineWrites = inlineWrites;
    this.elements = elements;
  }
}
