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

  static final int PARAM_ROOM = HEADER.bufferSize("struct rdma_conn_param", 64);
  static final int PARAM_DATA = HEADER.offset("struct rdma_conn_param", "private_data", 0);
  static final int PARAM_DATA_LENGTH = HEADER.offset("struct rdma_conn_param", "private_data_len", 8);
  static final int PARAM_RESPONDER_READS = HEADER.offset("struct rdma_conn_param", "responder_resources", 9);
  static final int PARAM_INITIATOR_READS = HEADER.offset("struct rdma_conn_param", "initiator_depth", 10);
  static final int PARAM_RETRY = HEADER.offset("struct rdma_conn_param", "retry_count", 12);
  static final int PARAM_RNR_RETRY = HEADER.offset("struct rdma_conn_param", "rnr_retry_count", 13);
  static final int PARAM_QP_NUM = HEADER.offset("struct rdma_conn_param", "qp_num", 16);

  static final int OPTION_ID = HEADER.constant("RDMA_OPTION_ID", 0);
  static final int OPTION_TOS = HEADER.constant("RDMA_OPTION_ID_TOS", 0);
  static final int OPTION_ACK_TIMEOUT = HEADER.constant("RDMA_OPTION_ID_ACK_TIMEOUT", 3);

  private CmLayout() {
  }
}
