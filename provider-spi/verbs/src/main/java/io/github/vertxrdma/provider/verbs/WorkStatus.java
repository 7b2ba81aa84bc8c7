package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;

/** Completion statuses in the order of enum ibv_wc_status; ibv_poll_cq(3). */
enum WorkStatus {
  SUCCESS(Status.OK, Reason.OTHER, "success"),
  LOC_LEN_ERR(Status.LENGTH, Reason.INVALID,
    "a message was longer than the posted receive, or than the device allows. Post larger receives"),
  LOC_QP_OP_ERR(Status.OTHER, Reason.INVALID,
    "the queue pair refused the work request as invalid; it may have more elements or bytes than the queue pair allows"),
  LOC_EEC_OP_ERR(Status.OTHER, Reason.INVALID,
    "the end-to-end context of reliable datagrams refused the work request; vertx-rdma does not use them"),
  LOC_PROT_ERR(Status.LOCAL_PROTECTION, Reason.INVALID,
    "the device refused local memory: it was deregistered too early, or its access does not allow this"),
  WR_FLUSH_ERR(Status.FLUSHED, Reason.DISCONNECTED, "flushed: the connection ended before the operation completed; whether it took "
    + "effect is unknown"),
  MW_BIND_ERR(Status.LOCAL_PROTECTION, Reason.INVALID, "a memory window could not be bound; vertx-rdma does not use them"),
  BAD_RESP_ERR(Status.OTHER, Reason.OTHER, "the peer's response was invalid; its device or driver may be at fault. Connect again"),
  LOC_ACCESS_ERR(Status.LOCAL_PROTECTION, Reason.INVALID,
    "a peer's write with immediate was refused, since the local memory does not allow it. Register it with Access.REMOTE_WRITE"),
  REM_INV_REQ_ERR(Status.REMOTE_OPERATION, Reason.INVALID,
    "the peer refused the request as invalid: it was too long for its receive, or is an operation that the peer did not enable"),
  REM_ACCESS_ERR(Status.REMOTE_ACCESS, Reason.PERMISSION,
    "the peer refused the key, range or access: it deregistered the memory, or never allowed this"),
  REM_OP_ERR(Status.REMOTE_OPERATION, Reason.OTHER,
    "the peer could not carry out the request. See its log, and check that its memory is aligned and still mapped"),
  RETRY_EXC_ERR(Status.RETRY_EXCEEDED, Reason.TIMEOUT,
    "the peer did not acknowledge in all retries: its host, link or queue pair has failed (settings verbs.timeout, verbs.retry)"),
  RNR_RETRY_EXC_ERR(Status.RNR_EXCEEDED, Reason.TIMEOUT,
    "the peer had no receive posted during all retries (settings verbs.rnr-retry, verbs.rnr-timer)"),
  LOC_RDD_VIOL_ERR(Status.OTHER, Reason.OTHER, "the domain of reliable datagrams is wrong; vertx-rdma does not use them"),
  REM_INV_RD_REQ_ERR(Status.REMOTE_OPERATION, Reason.OTHER, "the peer refused a reliable datagram; vertx-rdma does not use them"),
  REM_ABORT_ERR(Status.CONNECTION_LOST, Reason.DISCONNECTED, "the peer aborted the connection. Connect again"),
  INV_EECN_ERR(Status.OTHER, Reason.OTHER, "invalid number of an end-to-end context; vertx-rdma does not use them"),
  INV_EEC_STATE_ERR(Status.OTHER, Reason.OTHER, "invalid state of an end-to-end context; vertx-rdma does not use them"),
  FATAL_ERR(Status.CONNECTION_LOST, Reason.OTHER, "the device failed. See the kernel's log; its driver may have to be loaded again"),
  RESP_TIMEOUT_ERR(Status.RETRY_EXCEEDED, Reason.TIMEOUT,
    "the peer did not answer in time: its host, link or queue pair has failed (settings verbs.timeout, verbs.retry)"),
  GENERAL_ERR(Status.OTHER, Reason.OTHER,
    "the device reports an unspecified error. See the kernel's log, and the vendor's error code in this message"),
  TM_ERR(Status.OTHER, Reason.OTHER, "tag matching failed; vertx-rdma does not use it"),
  TM_RNDV_INCOMPLETE(Status.OTHER, Reason.OTHER, "a rendezvous of tag matching is incomplete; vertx-rdma does not use it"),

  /** LOC_QP_OP_ERR of a receive, as rxe reports it. */
  RECEIVE_TOO_SHORT(Status.LENGTH, Reason.INVALID, "the message did not fit into the posted receive. Post larger receives"),
  /** LOC_QP_OP_ERR of a send, as siw reports it. */
  STREAM_BROKEN(Status.CONNECTION_LOST, Reason.DISCONNECTED, "the TCP connection under the queue pair failed while this was sent");

  private static final int KNOWN = 24;
  private static final WorkStatus[] ALL = values();
  final int status;
  final Reason reason;
  final String words;

  WorkStatus(int status, Reason reason, String words) {
    this.status = status;
    this.reason = reason;
    this.words = words;
  }

  static WorkStatus of(int status) {
    return status >= 0 && status < KNOWN ? ALL[status] : GENERAL_ERR;
  }

  /** Returns the constant of a status. The meaning of LOC_QP_OP_ERR depends on the driver. */
  static WorkStatus of(int status, boolean receive, boolean iwarp) {
    WorkStatus plain = of(status);
    return plain != LOC_QP_OP_ERR ? plain : receive ? RECEIVE_TOO_SHORT : iwarp ? STREAM_BROKEN : plain;
  }

  String describe(int status, int vendorError) {
    return (status >= 0 && status < KNOWN ? "IBV_WC_" + ALL[status] + " (" + status : "ibv_wc_status (" + status)
      + (vendorError == 0 ? "" : ", vendor 0x" + Integer.toHexString(vendorError)) + "): " + words;
  }
}
