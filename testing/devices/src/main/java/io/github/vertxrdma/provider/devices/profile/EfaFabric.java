package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;
import java.util.Set;

/** The two fabrics of an EFA device; fi_efa(7) and the sources of libfabric 2.6. */
enum EfaFabric {
  /** Messages of any size, in order, by protocols over the device's packets. */
  EFA(ProfileProvider.EFA, Set.of(Order.SEND_AFTER_SEND), Long.MAX_VALUE, Integer.MAX_VALUE, true, 4),
  /** Messages of one packet, which arrive and complete in any order. */
  DIRECT(ProfileProvider.EFA_DIRECT, Set.of(), 8 << 10, 32, false, 1);

  final String profile;
  final Set<Capabilities.Order> orders;
  final long messageSize;
  final int inlineSize;
  /** True if writes can be inline. On efa-direct, efa_rma_post_write refuses to copy bytes. */
  final boolean inlineWrites;
  /** Maximum number of memory segments of a request: EFA_RDM_IOV_LIMIT, or 1 on efa-direct. */
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
