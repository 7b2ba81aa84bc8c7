package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.CHeader;

/** Offsets and constants of rdma/rdma_cma.h, equal in rdma-core 32 to 64. */
final class CmLayout {
  static final CHeader HEADER = new CHeader("rdma-core 32 to 64", "rdma/rdma_cma.h");

  static final int CHANNEL_FD = HEADER.offset("struct rdma_event_channel", "fd", 0);
  static final int ID_VERBS = HEADER.offset("struct rdma_cm_id", "verbs", 0);
  static final int ID_SOURCE = HEADER.offset("struct rdma_cm_id", "route.addr.src_addr", 32);
  static final int ID_DESTINATION = HEADER.offset("struct rdma_cm_id", "route.addr.dst_addr", 160);
  static final int ID_PORT = HEADER.offset("struct rdma_cm_id", "port_num", 348);
  static final int PS_TCP = HEADER.constant("RDMA_PS_TCP", 0x106);

  static final int EVENT_ID = HEADER.offset("struct rdma_cm_event", "id", 0);
  static final int EVENT_LISTEN_ID = HEADER.offset("struct rdma_cm_event", "listen_id", 8);
  static final int EVENT_TYPE = HEADER.offset("struct rdma_cm_event", "event", 16);
  static final int EVENT_STATUS = HEADER.offset("struct rdma_cm_event", "status", 20);
  static final int EVENT_DATA = HEADER.offset("struct rdma_cm_event", "param.conn.private_data", 24);
  static final int EVENT_DATA_LENGTH = HEADER.offset("struct rdma_cm_event", "param.conn.private_data_len", 32);
  static final int EVENT_RESPONDER_READS = HEADER.offset("struct rdma_cm_event", "param.conn.responder_resources", 33);
  static final int EVENT_INITIATOR_READS = HEADER.offset("struct rdma_cm_event", "param.conn.initiator_depth", 34);

  static final int PARAM_ROOM = HEADER.room("struct rdma_conn_param", 64);
  static final int PARAM_DATA = HEADER.offset("struct rdma_conn_param", "private_data", 0);
  static final int PARAM_DATA_LENGTH = HEADER.offset("struct rdma_conn_param", "private_data_len", 8);
  static final int PARAM_RESPONDER_READS = HEADER.offset("struct rdma_conn_param", "responder_resources", 9);
  static final int PARAM_INITIATOR_READS = HEADER.offset("struct rdma_conn_param", "initiator_depth", 10);
  static final int PARAM_RETRY = HEADER.offset("struct rdma_conn_param", "retry_count", 12);
  static final int PARAM_RNR_RETRY = HEADER.offset("struct rdma_conn_param", "rnr_retry_count", 13);
  static final int PARAM_QP_NUM = HEADER.offset("struct rdma_conn_param", "qp_num", 16);

  static final int ADDR_RESOLVED = 0;
  static final int ADDR_ERROR = 1;
  static final int ROUTE_RESOLVED = 2;
  static final int ROUTE_ERROR = 3;
  static final int CONNECT_REQUEST = 4;
  static final int CONNECT_RESPONSE = 5;
  static final int CONNECT_ERROR = 6;
  static final int UNREACHABLE = 7;
  static final int REJECTED = 8;
  static final int ESTABLISHED = 9;
  static final int DISCONNECTED = 10;
  static final int DEVICE_REMOVAL = 11;
  static final int ADDR_CHANGE = 14;
  static final int TIMEWAIT_EXIT = 15;

  static final int OPTION_ID = HEADER.constant("RDMA_OPTION_ID", 0);
  static final int OPTION_TOS = HEADER.constant("RDMA_OPTION_ID_TOS", 0);
  static final int OPTION_ACK_TIMEOUT = HEADER.constant("RDMA_OPTION_ID_ACK_TIMEOUT", 3);

  static {
    // Case labels must be literals, so these constants are compared with the header separately.
    HEADER.constant("RDMA_CM_EVENT_ADDR_RESOLVED", ADDR_RESOLVED);
    HEADER.constant("RDMA_CM_EVENT_ADDR_ERROR", ADDR_ERROR);
    HEADER.constant("RDMA_CM_EVENT_ROUTE_RESOLVED", ROUTE_RESOLVED);
    HEADER.constant("RDMA_CM_EVENT_ROUTE_ERROR", ROUTE_ERROR);
    HEADER.constant("RDMA_CM_EVENT_CONNECT_REQUEST", CONNECT_REQUEST);
    HEADER.constant("RDMA_CM_EVENT_CONNECT_RESPONSE", CONNECT_RESPONSE);
    HEADER.constant("RDMA_CM_EVENT_CONNECT_ERROR", CONNECT_ERROR);
    HEADER.constant("RDMA_CM_EVENT_UNREACHABLE", UNREACHABLE);
    HEADER.constant("RDMA_CM_EVENT_REJECTED", REJECTED);
    HEADER.constant("RDMA_CM_EVENT_ESTABLISHED", ESTABLISHED);
    HEADER.constant("RDMA_CM_EVENT_DISCONNECTED", DISCONNECTED);
    HEADER.constant("RDMA_CM_EVENT_DEVICE_REMOVAL", DEVICE_REMOVAL);
    HEADER.constant("RDMA_CM_EVENT_ADDR_CHANGE", ADDR_CHANGE);
    HEADER.constant("RDMA_CM_EVENT_TIMEWAIT_EXIT", TIMEWAIT_EXIT);
  }

  private CmLayout() {
  }
}
