package io.github.vertxrdma.provider.verbs;

/** Every ibv_event_type: the object that it ends, its meaning and the remedy; ibv_get_async_event(3). In the order of the header. */
enum AsyncEvent {
  CQ_ERR(Ends.COMPLETION_QUEUE, "its completion queue overran, so completions are lost: connect again, which takes another one"),
  QP_FATAL(Ends.QUEUE_PAIR, "the queue pair failed, without a completion that says so: connect again, and look into the kernel's log"),
  QP_REQ_ERR(Ends.QUEUE_PAIR, "the peer sent a request that makes no sense here: do both sides speak the same protocol?"),
  QP_ACCESS_ERR(Ends.QUEUE_PAIR,
    "the peer asked for memory that this side does not allow it: was the region closed too early, or its key old?"),
  COMM_EST(Ends.NOTHING, "the first message came before the connection manager's confirmation"),
  SQ_DRAINED(Ends.NOTHING, "the send queue is drained"),
  PATH_MIG(Ends.NOTHING, "the connection moved to its alternate path"),
  PATH_MIG_ERR(Ends.QUEUE_PAIR, "the connection could not move to its alternate path: check the links of the device"),
  DEVICE_FATAL(Ends.ALL, "the device failed: see the kernel's log; it is used again when its driver has reset it"),
  PORT_ACTIVE(Ends.NOTHING, "the port is up"),
  PORT_ERR(Ends.NOTHING, "the port is down: check link and cable"),
  LID_CHANGE(Ends.NOTHING, "the subnet manager gave the port another address: connections to the old one break, connect again"),
  PKEY_CHANGE(Ends.NOTHING, "the port's partitions changed: if connections break, compare verbs.pkey with the subnet manager's"),
  SM_CHANGE(Ends.NOTHING, "the fabric has another subnet manager"),
  SRQ_ERR(Ends.RECEIVE_QUEUE, "its shared receive queue failed: make another one, and connect again"),
  SRQ_LIMIT_REACHED(Ends.NOTHING, "few receives are left in a shared receive queue"),
  QP_LAST_WQE_REACHED(Ends.NOTHING, "the last receive of a queue pair was taken"),
  CLIENT_REREGISTER(Ends.NOTHING, "the subnet manager wants subscriptions again"),
  GID_CHANGE(Ends.NOTHING, "the port's addresses changed: connections from an address that is gone break, connect again"),
  WQ_FATAL(Ends.ALL, "a work queue failed: its connections have to be made again"),
  /** Event of a newer library. */
  UNKNOWN(Ends.NOTHING, "an event that this version does not know");

  enum Ends { NOTHING, QUEUE_PAIR, COMPLETION_QUEUE, RECEIVE_QUEUE, ALL }

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

  /** Returns whether it may be the cause of connections that end soon. */
  boolean explains() {
    return switch (this) {
      case PORT_ERR, LID_CHANGE, PKEY_CHANGE, GID_CHANGE, SM_CHANGE -> true;
      default -> false;
    };
  }
}
