package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.AddressBase;
import io.github.vertxrdma.provider.Capabilities.NoReceive;
import io.github.vertxrdma.provider.Capabilities.Order;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.Capabilities.SendCompletion;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import java.util.EnumSet;
import java.util.Set;

final class FabricCapabilities {
  /**
   * Maximum bytes of private data. Of the 56 of rdma_cm, libfabric's verbs provider uses one for the length, and {@link MsgListener#reject}
   * another.
   */
  private static final int PRIVATE_DATA = 54;
  private static final int MOST_QUEUE_DEPTH = 1 << 16;
  /** Maximum bytes of an inline message. Copying more than a page gains nothing. */
  private static final int MOST_INLINE = 4096;

  private static final Set<Integer> SOCKET_PROTOCOLS = Set.of(Fi.PROTO_UDP, Fi.PROTO_SOCK_TCP, Fi.PROTO_RXM_TCP, Fi.PROTO_XNET);

  private FabricCapabilities() {
  }

  static Capabilities advertised(FiInfo info, boolean deliveryComplete, boolean kernelSocket) {
    boolean connected = info.endpointType() == Fi.EP_MSG;
    Set<Operation> operations = EnumSet.of(Operation.SEND, Operation.RECEIVE, Operation.WRITE, Operation.READ);
    if ((info.caps() & Fi.ATOMIC) != 0) {
      operations.add(Operation.FETCH_ADD);
      operations.add(Operation.COMPARE_SWAP);
    }
    return Capabilities.builder()
      .operations(operations)
      .orders(orders(info))
      .deliveryComplete(deliveryComplete)
      .sendCompletion(sendCompletion(info))
      .noReceive(noReceive(info))
      .keyMode(RemoteKeys.mode(info.mrMode()))
      .addressBase((info.mrMode() & Fi.MR_VIRT_ADDR) != 0 ? AddressBase.VIRTUAL : AddressBase.OFFSET)
      // Several providers claim FI_PROGRESS_AUTO, but make progress only when they are polled.
      .progress(Progress.MANUAL)
      .peerFailureEvents(connected)
      .waiting(Waiting.FD)
      .pinned((info.mrMode() & Fi.MR_ALLOCATED) != 0)
      .singleEndpoint((info.mrMode() & Fi.MR_ENDPOINT) != 0)
      .kernelSocket(kernelSocket)
      .build();
  }

  static boolean isTarget(FiInfo info) {
    long rights = Fi.REMOTE_READ | Fi.REMOTE_WRITE;
    return (info.caps() & rights) == rights;
  }

  /**
   * Returns what happens to a message without a posted receive. On iWARP the connection ends, although the verbs provider claims
   * FI_RM_ENABLED.
   */
  private static NoReceive noReceive(FiInfo info) {
    return info.number(Structs.INFO_DOMAIN_ATTR, Structs.DOMAIN_RESOURCE_MGMT) == Fi.RM_ENABLED && !iwarp(info) ? NoReceive.BUFFERS
      : NoReceive.DISCONNECTS;
  }

  static boolean isSocketProtocol(FiInfo info) {
    return SOCKET_PROTOCOLS.contains(info.number(Structs.INFO_EP_ATTR, Structs.EP_PROTOCOL));
  }

  /**
   * Returns what the completion of a send proves. The default, FI_TRANSMIT_COMPLETE of fi_cq(3), promises nothing about the peer. But on
   * reliable queue pairs and EFA (fi_efa(7)), the peer's adapter acknowledges messages. The endpoint's protocol shows whether they are
   * used; fi_endpoint(3).
   */
  private static SendCompletion sendCompletion(FiInfo info) {
    int protocol = info.number(Structs.INFO_EP_ATTR, Structs.EP_PROTOCOL);
    return protocol == Fi.PROTO_RDMA_CM_IB_RC || protocol == Fi.PROTO_EFA ? SendCompletion.REMOTE : SendCompletion.LOCAL;
  }

  static boolean iwarp(FiInfo info) {
    return info.number(Structs.INFO_EP_ATTR, Structs.EP_PROTOCOL) == Fi.PROTO_IWARP;
  }

  private static Set<Order> orders(FiInfo info) {
    long both = info.size(Structs.INFO_TX_ATTR, Structs.TX_MSG_ORDER) & info.size(Structs.INFO_RX_ATTR, Structs.RX_MSG_ORDER);
    Set<Order> orders = EnumSet.noneOf(Order.class);
    if ((both & Fi.ORDER_SAS) != 0) {
      orders.add(Order.SEND_AFTER_SEND);
    }
    if ((both & Fi.ORDER_SAW) != 0) {
      orders.add(Order.SEND_AFTER_WRITE);
    }
    if ((both & Fi.ORDER_WAW) != 0
      && Long.compareUnsigned(info.size(Structs.INFO_EP_ATTR, Structs.EP_MAX_ORDER_WAW_SIZE),
        info.size(Structs.INFO_EP_ATTR, Structs.EP_MAX_MSG_SIZE)) >= 0) {
      orders.add(Order.WRITE_AFTER_WRITE);
    }
    return orders;
  }

  static Limits limits(FiInfo info) {
    long messageSize = atMost(info.size(Structs.INFO_EP_ATTR, Structs.EP_MAX_MSG_SIZE), Integer.MAX_VALUE);
    int sends = (int) atMost(info.size(Structs.INFO_TX_ATTR, Structs.TX_SIZE), MOST_QUEUE_DEPTH);
    // The optimal number of regions; fi_domain(3). With FI_MR_ENDPOINT it counts only optimized regions, so it is ignored; fi_cxi(7).
    long regions = (info.mrMode() & Fi.MR_ENDPOINT) != 0 ? 0 : info.size(Structs.INFO_DOMAIN_ATTR, Structs.DOMAIN_MR_CNT);
    return new Limits(
      messageSize,
      atMost(info.size(Structs.INFO_EP_ATTR, Structs.EP_MAX_MSG_SIZE), Long.MAX_VALUE),
      (int) atMost(info.size(Structs.INFO_TX_ATTR, Structs.TX_INJECT_SIZE), MOST_INLINE),
      sends,
      (int) atMost(info.size(Structs.INFO_RX_ATTR, Structs.RX_SIZE), MOST_QUEUE_DEPTH),
      Math.clamp(info.size(Structs.INFO_TX_ATTR, Structs.TX_IOV_LIMIT), 1, Poster.MOST_ELEMENTS),
      sends,
      PRIVATE_DATA,
      Long.MAX_VALUE,
      regions == 0 ? Integer.MAX_VALUE : (int) atMost(regions, Integer.MAX_VALUE),
      MOST_QUEUE_DEPTH,
      Long.BYTES);
  }

  private static long atMost(long unsigned, long most) {
    return Long.compareUnsigned(unsigned, most) > 0 ? most : unsigned;
  }
}
