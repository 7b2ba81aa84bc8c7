package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException.Reason;

/**
 * Reasons of a rejection: enum ib_cm_rej_reason of Linux; IBTA specification, volume 1, 12.6.7.2. Only {@link #CONSUMER_DEFINED} is the
 * decision of the application, which is final.
 */
enum CmReject {
  NO_QP(1, Reason.LIMIT, "it has no more queue pairs: close connections there, or try again later"),
  NO_EEC(2, Reason.LIMIT, "it has no end-to-end context left: try again later"),
  NO_RESOURCES(3, Reason.LIMIT, "it has no resources for another connection: try again later"),
  TIMEOUT(4, Reason.TIMEOUT, "it did not answer in time"),
  UNSUPPORTED(5, Reason.UNREACHABLE, "its connection manager does not support the request: are both kernels recent?"),
  INVALID_COMM_ID(6, Reason.UNREACHABLE, "it does not know this connection any more: try again"),
  INVALID_COMM_INSTANCE(7, Reason.UNREACHABLE, "it does not know this instance of the connection: try again"),
  INVALID_SERVICE_ID(8, Reason.REFUSED, "nobody listens there"),
  INVALID_TRANSPORT_TYPE(9, Reason.UNREACHABLE, "it has no reliable connections for this service"),
  /** After a host has restarted without notice, its queue pair numbers are those of connections that the peer's kernel still knows. */
  STALE_CONN(10, Reason.UNREACHABLE, "it still knows an old connection of this queue pair, and has begun to end it: try again"),
  RDC_NOT_EXIST(11, Reason.UNREACHABLE, "it has no such reliable datagram channel"),
  INVALID_GID(12, Reason.UNREACHABLE, "it does not know the GID of the path: has its address changed, or a bond moved? Try again"),
  INVALID_LID(13, Reason.UNREACHABLE, "it does not know the LID of the path: has the subnet manager given it another? Try again"),
  INVALID_SL(14, Reason.UNREACHABLE, "it does not accept the service level of the path: compare the subnet manager's settings"),
  INVALID_TRAFFIC_CLASS(15, Reason.UNREACHABLE, "it does not accept the traffic class: compare verbs.traffic-class"),
  INVALID_HOP_LIMIT(16, Reason.UNREACHABLE, "it does not accept the hop limit of the path"),
  INVALID_PACKET_RATE(17, Reason.UNREACHABLE, "it does not accept the packet rate of the path"),
  INVALID_ALT_GID(18, Reason.UNREACHABLE, "it does not know the GID of the alternate path"),
  INVALID_ALT_LID(19, Reason.UNREACHABLE, "it does not know the LID of the alternate path"),
  INVALID_ALT_SL(20, Reason.UNREACHABLE, "it does not accept the service level of the alternate path"),
  INVALID_ALT_TRAFFIC_CLASS(21, Reason.UNREACHABLE, "it does not accept the traffic class of the alternate path"),
  INVALID_ALT_HOP_LIMIT(22, Reason.UNREACHABLE, "it does not accept the hop limit of the alternate path"),
  INVALID_ALT_PACKET_RATE(23, Reason.UNREACHABLE, "it does not accept the packet rate of the alternate path"),
  PORT_CM_REDIRECT(24, Reason.UNREACHABLE, "its connection manager is at another port, which is not followed"),
  PORT_REDIRECT(25, Reason.UNREACHABLE, "it wants the connection at another port, which is not followed"),
  INVALID_MTU(26, Reason.UNREACHABLE, "it does not accept the MTU of the path: compare the MTU of both ports, or set verbs.path-mtu"),
  INSUFFICIENT_RESP_RESOURCES(27, Reason.LIMIT, "it cannot answer as many reads at a time as were requested"),
  CONSUMER_DEFINED(28, Reason.REJECTED, ""),
  INVALID_RNR_RETRY(29, Reason.UNREACHABLE, "it does not accept the RNR retry count: compare verbs.rnr-retry"),
  DUPLICATE_LOCAL_COMM_ID(30, Reason.UNREACHABLE, "it knows another connection with this identifier: try again"),
  INVALID_CLASS_VERSION(31, Reason.UNREACHABLE, "its connection manager speaks another version"),
  INVALID_FLOW_LABEL(32, Reason.UNREACHABLE, "it does not accept the flow label of the path"),
  INVALID_ALT_FLOW_LABEL(33, Reason.UNREACHABLE, "it does not accept the flow label of the alternate path"),
  VENDOR_OPTION_NOT_SUPPORTED(35, Reason.UNREACHABLE,
    "it does not support an option of this adapter's vendor (ECE): are the firmware versions compatible?");

  final int number;
  final Reason reason;
  final String words;

  CmReject(int number, Reason reason, String words) {
    this.number = number;
    this.reason = reason;
    this.words = words;
  }

  static CmReject of(int number) {
    for (CmReject reject : values()) {
      if (reject.number == number) {
        return reject;
      }
    }
    return null;
  }
}
