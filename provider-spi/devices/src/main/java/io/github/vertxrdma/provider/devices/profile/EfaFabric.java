package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;
import java.util.Set;

/** The two fabrics of an EFA device, and what they promise; fi_efa(7) of libfabric 2.6. */
enum EfaFabric {
  /** Messages of any size in their order, by protocols over the packets of the device. */
  EFA(ProfileProvider.EFA, Set.of(Order.SEND_AFTER_SEND), Long.MAX_VALUE, Integer.MAX_VALUE),
  /** The packets of the device as messages: short ones, which arrive and end in any order. */
  DIRECT(ProfileProvider.EFA_DIRECT, Set.of(), 8 << 10, 32);

  final String profile;
  final Set<Capabilities.Order> orders;
  final long messageSize;
  final int inlineSize;

  EfaFabric(String profile, Set<Capabilities.Order> orders, long messageSize, int inlineSize) {
    this.profile = profile;
    this.orders = orders;
    this.messageSize = messageSize;
    this.inlineSize = inlineSize;
  }
}
