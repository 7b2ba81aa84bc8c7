package io.github.vertxrdma.provider.verbs;

/** Asynchronous events in the order of enum ibv_event_type; ibv_get_async_event(3). */
enum AsyncEvent {
  CQ_ERR(Ends.COMPLETION_QUEUE, "its completion queue overflowed, so completions are lost. Connect again: the connection then uses "
    + "another queue"),
  QP_FATAL(Ends.QUEUE_PAIR, "the queue pair failed without an error completion. Connect again, and see the kernel's log"),
  QP_REQ_ERR(Ends.QUEUE_PAIR, "the peer sent an invalid request. Check that both sides use the same protocol"),
  QP_ACCESS_ERR(Ends.QUEUE_PAIR,
    "the peer accessed memory without permission. Check whether the region was closed too early, or the peer's key is outdated"),
  COMM_EST(Ends.NOTHING, "the first message came before the connection manager's confirmation"),
  SQ_DRAINED(Ends.NOTHING, "the send queue is drained"),
  PATH_MIG(Ends.NOTHING, "the connection moved to its alternate path"),
  PATH_MIG_ERR(Ends.QUEUE_PAIR, "the connection could not move to its alternate path. Check the links of the device"),
  DEVICE_FATAL(Ends.ALL, "the device failed. See the kernel's log. The device is used again when its driver has reset it"),
  PORT_ACTIVE(Ends.NOTHING, "the port is up"),
  PORT_ERR(Ends.NOTHING, "the port is down. Check link and cable"),
  LID_CHANGE(Ends.NOTHING, "the subnet manager gave the port another address, so connections to the former address break. Connect again"),
  PKEY_CHANGE(Ends.NOTHING, "the port's partitions changed. If connections break, compare verbs.pkey with the partitions of the "
    + "subnet manager"),
  SM_CHANGE(Ends.NOTHING, "the fabric has another subnet manager"),
  SRQ_ERR(Ends.NOTHING, "a shared receive queue failed; vertx-rdma does not use them"),
  SRQ_LIMIT_REACHED(Ends.NOTHING, "few receives are left in a shared receive queue; vertx-rdma does not use them"),
  QP_LAST_WQE_REACHED(Ends.NOTHING, "a queue pair has used its last receive"),
  CLIENT_REREGISTER(Ends.NOTHING, "the subnet manager requests new registrations of its clients"),
  GID_CHANGE(Ends.NOTHING, "the port's addresses changed, so connections from a removed address break. Connect again"),
  WQ_FATAL(Ends.ALL, "a work queue failed, so its connections are lost. Connect again"),
  /** Event type of a newer libibverbs. */
  UNKNOWN(Ends.NOTHING, "the event is unknown to this version");

  enum Ends { NOTHING, QUEUE_PAIR, COMPLETION_QUEUE, ALL }

  private static final AsyncEvent[] ALL = values();
  final Ends ends;
  final String words;

  AsyncEvent(Ends ends, String words) {
    this.ends = ends;
    this.words = words;
  }

  static AsyncEvent of(int type) {
    return type >= 0 && type < UNKNOWN.ordinal() ? ALL[type] : UNKNOWN;
  }

  /** Returns whether the event may explain why connections end soon after it. */
  boolean explains() {
    return switch (this) {
      case PORT_ERR, LID_CHANGE, PKEY_CHANGE, GID_CHANGE, SM_CHANGE -> true;
      default -> false;
    };
  }
}
