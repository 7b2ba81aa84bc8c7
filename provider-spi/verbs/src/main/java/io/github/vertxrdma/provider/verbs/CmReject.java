package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException.Reason;
import java.util.Arrays;

/**
 * Reasons of a rejection: enum ib_cm_rej_reason of Linux; IBTA specification, volume 1, 12.6.7.2. {@link #CONSUMER_DEFINED} comes from the
 * peer's application, the others from its kernel.
 */
enum CmReject {
  NO_QP(1, Reason.LIMIT, "it has no more queue pairs. Close connections there, or try again later"),
  NO_RESOURCES(3, Reason.LIMIT, "it has no resources for another connection. Try again later"),
  TIMEOUT(4, Reason.TIMEOUT, "it did not answer in time"),
  UNSUPPORTED(5, Reason.UNREACHABLE, "its connection manager does not support the request. Check that both kernels are recent"),
  INVALID_COMM_ID(6, Reason.UNREACHABLE, "it no longer knows this connection. Try again"),
  INVALID_COMM_INSTANCE(7, Reason.UNREACHABLE, "it does not know this instance of the connection. Try again"),
  INVALID_SERVICE_ID(8, Reason.REFUSED, "no process listens there"),
  INVALID_TRANSPORT_TYPE(9, Reason.UNREACHABLE, "it has no reliable connections for this service"),
  /** A restarted host reuses queue pair numbers of connections that the peer's kernel still has. */
  STALE_CONN(10, Reason.UNREACHABLE, "it still has an old connection of this queue pair, which it now closes. Try again"),
  INVALID_GID(12, Reason.UNREACHABLE, "it does not know the GID of the path; its address may have changed, or a bond may have "
    + "moved. Try again"),
  INVALID_LID(13, Reason.UNREACHABLE, "it does not know the LID of the path; the subnet manager may have given it another. Try again"),
  INVALID_SL(14, Reason.UNREACHABLE, "it does not accept the service level of the path. Compare the subnet manager's settings"),
  INVALID_TRAFFIC_CLASS(15, Reason.UNREACHABLE, "it does not accept the traffic class. Compare verbs.traffic-class"),
  INVALID_HOP_LIMIT(16, Reason.UNREACHABLE, "it does not accept the hop limit of the path"),
  INVALID_PACKET_RATE(17, Reason.UNREACHABLE, "it does not accept the packet rate of the path"),
  PORT_CM_REDIRECT(24, Reason.UNREACHABLE, "it redirects to the connection manager of another port, which is not supported"),
  PORT_REDIRECT(25, Reason.UNREACHABLE, "it redirects the connection to another port, which is not supported"),
  INVALID_MTU(26, Reason.UNREACHABLE, "it does not accept the MTU of the path. Compare the MTU of both ports, or set verbs.path-mtu"),
  INSUFFICIENT_RESP_RESOURCES(27, Reason.LIMIT, "it does not support as many simultaneous reads as were requested"),
  CONSUMER_DEFINED(28, Reason.REJECTED, ""),
  INVALID_RNR_RETRY(29, Reason.UNREACHABLE, "it does not accept the RNR retry count. Compare verbs.rnr-retry"),
  DUPLICATE_LOCAL_COMM_ID(30, Reason.UNREACHABLE, "it has another connection with this identifier. Try again"),
  INVALID_CLASS_VERSION(31, Reason.UNREACHABLE, "its connection manager speaks another version"),
  INVALID_FLOW_LABEL(32, Reason.UNREACHABLE, "it does not accept the flow label of the path"),
  VENDOR_OPTION_NOT_SUPPORTED(35, Reason.UNREACHABLE,
    "it does not support an option of this adapter's vendor (ECE). Check that the firmware versions are compatible");

  final int number;
  final Reason reason;
  final String words;

  CmReject(int number, Reason reason, String words) {
    this.number = number;
    this.reason = reason;
    this.words = words;
  }

  static CmReject of(int number) {
    return Arrays.stream(values()).filter(reject -> reject.number == number).findFirst().orElse(null);
  }
}
