package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.CHeader;

/**
 * Offsets, sizes and constants of infiniband/verbs.h, equal in rdma-core 32 to 64. Constants {@code …_ROOM} are larger than their structs,
 * for fields of later versions.
 */
final class VerbsLayout {
  static final CHeader HEADER = new CHeader("rdma-core 32 to 64", "infiniband/verbs.h");

  // Function pointers that inline functions of the header call, such as ibv_post_send(3).
  static final int CONTEXT_POLL_CQ = HEADER.offset("struct ibv_context", "ops.poll_cq", 96);
  static final int CONTEXT_REQ_NOTIFY_CQ = HEADER.offset("struct ibv_context", "ops.req_notify_cq", 104);
  static final int CONTEXT_POST_SEND = HEADER.offset("struct ibv_context", "ops.post_send", 208);
  static final int CONTEXT_POST_RECV = HEADER.offset("struct ibv_context", "ops.post_recv", 216);
  static final int CONTEXT_DEVICE = HEADER.offset("struct ibv_context", "device", 0);
  static final int CONTEXT_ASYNC_FD = HEADER.offset("struct ibv_context", "async_fd", 268);
  static final int CONTEXT_VECTORS = HEADER.offset("struct ibv_context", "num_comp_vectors", 272);

  // Bytes from function pointers of struct verbs_context to the struct ibv_context at its end. Later versions add fields at the beginning.
  static final int CONTEXT_ALLOC_TD = beforeContext("alloc_td", 192);
  static final int CONTEXT_DEALLOC_TD = beforeContext("dealloc_td", 200);
  static final int CONTEXT_ALLOC_PARENT = beforeContext("alloc_parent_domain", 208);

  static final int PARENT_INIT_ROOM = HEADER.bufferSize("struct ibv_parent_domain_init_attr", 64);
  static final int PARENT_INIT_PD = HEADER.offset("struct ibv_parent_domain_init_attr", "pd", 0);
  static final int PARENT_INIT_TD = HEADER.offset("struct ibv_parent_domain_init_attr", "td", 8);

  static final int DEVICE_TRANSPORT = HEADER.offset("struct ibv_device", "transport_type", 20);
  static final int DEVICE_NAME = HEADER.offset("struct ibv_device", "name", 24);
  /** Path of the device's folder in /sys/class/infiniband. */
  static final int DEVICE_SYSFS = HEADER.offset("struct ibv_device", "ibdev_path", 408);
  static final int TRANSPORT_IB = HEADER.constant("IBV_TRANSPORT_IB", 0);
  static final int TRANSPORT_IWARP = HEADER.constant("IBV_TRANSPORT_IWARP", 1);

  static final int ATTR_ROOM = HEADER.bufferSize("struct ibv_device_attr", 512);
  static final int ATTR_MAX_MR_SIZE = HEADER.offset("struct ibv_device_attr", "max_mr_size", 80);
  static final int ATTR_VENDOR_ID = HEADER.offset("struct ibv_device_attr", "vendor_id", 96);
  static final int ATTR_VENDOR_PART = HEADER.offset("struct ibv_device_attr", "vendor_part_id", 100);
  static final int ATTR_MAX_QP = HEADER.offset("struct ibv_device_attr", "max_qp", 108);
  static final int ATTR_MAX_QP_WR = HEADER.offset("struct ibv_device_attr", "max_qp_wr", 112);
  static final int ATTR_MAX_SGE = HEADER.offset("struct ibv_device_attr", "max_sge", 120);
  static final int ATTR_MAX_CQE = HEADER.offset("struct ibv_device_attr", "max_cqe", 132);
  static final int ATTR_MAX_MR = HEADER.offset("struct ibv_device_attr", "max_mr", 136);
  static final int ATTR_MAX_QP_RD_ATOM = HEADER.offset("struct ibv_device_attr", "max_qp_rd_atom", 144);
  static final int ATTR_MAX_QP_INIT_RD_ATOM = HEADER.offset("struct ibv_device_attr", "max_qp_init_rd_atom", 156);
  static final int ATTR_ATOMIC_CAP = HEADER.offset("struct ibv_device_attr", "atomic_cap", 164);
  static final int ATTR_PORTS = HEADER.offset("struct ibv_device_attr", "phys_port_cnt", 227);
  static final int ATOMIC_NONE = HEADER.constant("IBV_ATOMIC_NONE", 0);

  static final int PORT_ROOM = HEADER.bufferSize("struct ibv_port_attr", 128);
  static final int PORT_STATE = HEADER.offset("struct ibv_port_attr", "state", 0);
  static final int PORT_ACTIVE_MTU = HEADER.offset("struct ibv_port_attr", "active_mtu", 8);
  static final int PORT_MAX_MSG = HEADER.offset("struct ibv_port_attr", "max_msg_sz", 20);
  static final int PORT_LID = HEADER.offset("struct ibv_port_attr", "lid", 34);
  static final int PORT_LINK_LAYER = HEADER.offset("struct ibv_port_attr", "link_layer", 46);
  static final int PORT_ACTIVE_WIDTH = HEADER.offset("struct ibv_port_attr", "active_width", 43);
  static final int PORT_ACTIVE_SPEED = HEADER.offset("struct ibv_port_attr", "active_speed", 44);
  static final int PORT_FLAGS = HEADER.offset("struct ibv_port_attr", "flags", 47);
  static final int PORT_GRH_REQUIRED = HEADER.constant("IBV_QPF_GRH_REQUIRED", 1);
  static final int PORT_IS_ACTIVE = HEADER.constant("IBV_PORT_ACTIVE", 4);
  static final int LINK_INFINIBAND = HEADER.constant("IBV_LINK_LAYER_INFINIBAND", 1);
  static final int LINK_ETHERNET = HEADER.constant("IBV_LINK_LAYER_ETHERNET", 2);

  static final int GID_ENTRY_SIZE = HEADER.size("struct ibv_gid_entry", 32);
  static final int GID_ENTRY_INDEX = HEADER.offset("struct ibv_gid_entry", "gid_index", 16);
  static final int GID_ENTRY_PORT = HEADER.offset("struct ibv_gid_entry", "port_num", 20);
  static final int GID_ENTRY_TYPE = HEADER.offset("struct ibv_gid_entry", "gid_type", 24);
  static final int GID_TYPE_IB = HEADER.constant("IBV_GID_TYPE_IB", 0);
  static final int GID_TYPE_ROCE_V1 = HEADER.constant("IBV_GID_TYPE_ROCE_V1", 1);
  static final int GID_TYPE_ROCE_V2 = HEADER.constant("IBV_GID_TYPE_ROCE_V2", 2);

  static final int CHANNEL_FD = HEADER.offset("struct ibv_comp_channel", "fd", 8);
  static final int CQ_CQE = HEADER.offset("struct ibv_cq", "cqe", 28);
  static final int MR_LKEY = HEADER.offset("struct ibv_mr", "lkey", 36);
  static final int MR_RKEY = HEADER.offset("struct ibv_mr", "rkey", 40);
  static final int QP_NUM = HEADER.offset("struct ibv_qp", "qp_num", 52);

  static final int SGE_SIZE = HEADER.size("struct ibv_sge", 16);
  static final int SGE_ADDR = HEADER.offset("struct ibv_sge", "addr", 0);
  static final int SGE_LENGTH = HEADER.offset("struct ibv_sge", "length", 8);
  static final int SGE_LKEY = HEADER.offset("struct ibv_sge", "lkey", 12);

  static final int SEND_WR_SIZE = HEADER.size("struct ibv_send_wr", 128);
  static final int SEND_WR_ID = HEADER.offset("struct ibv_send_wr", "wr_id", 0);
  static final int SEND_WR_NEXT = HEADER.offset("struct ibv_send_wr", "next", 8);
  static final int SEND_WR_SGES = HEADER.offset("struct ibv_send_wr", "sg_list", 16);
  static final int SEND_WR_SGE_COUNT = HEADER.offset("struct ibv_send_wr", "num_sge", 24);
  static final int SEND_WR_OPCODE = HEADER.offset("struct ibv_send_wr", "opcode", 28);
  static final int SEND_WR_FLAGS = HEADER.offset("struct ibv_send_wr", "send_flags", 32);
  static final int SEND_WR_IMMEDIATE = HEADER.offset("struct ibv_send_wr", "imm_data", 36);
  static final int SEND_WR_REMOTE_ADDRESS = HEADER.offset("struct ibv_send_wr", "wr.rdma.remote_addr", 40);
  static final int SEND_WR_RKEY = HEADER.offset("struct ibv_send_wr", "wr.rdma.rkey", 48);
  static final int SEND_WR_COMPARE_ADD = HEADER.offset("struct ibv_send_wr", "wr.atomic.compare_add", 48);
  static final int SEND_WR_SWAP = HEADER.offset("struct ibv_send_wr", "wr.atomic.swap", 56);
  static final int SEND_WR_ATOMIC_RKEY = HEADER.offset("struct ibv_send_wr", "wr.atomic.rkey", 64);

  static final int RECV_WR_SIZE = HEADER.size("struct ibv_recv_wr", 32);
  static final int RECV_WR_ID = HEADER.offset("struct ibv_recv_wr", "wr_id", 0);
  static final int RECV_WR_SGES = HEADER.offset("struct ibv_recv_wr", "sg_list", 16);
  static final int RECV_WR_SGE_COUNT = HEADER.offset("struct ibv_recv_wr", "num_sge", 24);

  static final int ECE_SIZE = HEADER.size("struct ibv_ece", 12);
  static final int ECE_VENDOR = HEADER.offset("struct ibv_ece", "vendor_id", 0);
  static final int WC_SIZE = HEADER.size("struct ibv_wc", 48);
  static final int WC_WR_ID = HEADER.offset("struct ibv_wc", "wr_id", 0);
  static final int WC_STATUS = HEADER.offset("struct ibv_wc", "status", 8);
  static final int WC_OPCODE = HEADER.offset("struct ibv_wc", "opcode", 12);
  static final int WC_VENDOR_ERROR = HEADER.offset("struct ibv_wc", "vendor_err", 16);
  static final int WC_BYTES = HEADER.offset("struct ibv_wc", "byte_len", 20);
  static final int WC_IMMEDIATE = HEADER.offset("struct ibv_wc", "imm_data", 24);
  static final int WC_FLAGS = HEADER.offset("struct ibv_wc", "wc_flags", 36);
  static final int WC_WITH_IMMEDIATE = HEADER.constant("IBV_WC_WITH_IMM", 2);
  static final int WC_RECV_WRITE_IMMEDIATE = HEADER.constant("IBV_WC_RECV_RDMA_WITH_IMM", 129);

  static final int WR_WRITE = HEADER.constant("IBV_WR_RDMA_WRITE", 0);
  static final int WR_WRITE_IMMEDIATE = HEADER.constant("IBV_WR_RDMA_WRITE_WITH_IMM", 1);
  static final int WR_SEND = HEADER.constant("IBV_WR_SEND", 2);
  static final int WR_SEND_IMMEDIATE = HEADER.constant("IBV_WR_SEND_WITH_IMM", 3);
  static final int WR_READ = HEADER.constant("IBV_WR_RDMA_READ", 4);
  static final int WR_COMPARE_SWAP = HEADER.constant("IBV_WR_ATOMIC_CMP_AND_SWP", 5);
  static final int WR_FETCH_ADD = HEADER.constant("IBV_WR_ATOMIC_FETCH_AND_ADD", 6);
  static final int SEND_FENCE = HEADER.constant("IBV_SEND_FENCE", 1);
  static final int SEND_SIGNALED = HEADER.constant("IBV_SEND_SIGNALED", 2);
  static final int SEND_SOLICITED = HEADER.constant("IBV_SEND_SOLICITED", 4);
  static final int SEND_INLINE = HEADER.constant("IBV_SEND_INLINE", 8);

  static final int ACCESS_LOCAL_WRITE = HEADER.constant("IBV_ACCESS_LOCAL_WRITE", 1);
  static final int ACCESS_REMOTE_WRITE = HEADER.constant("IBV_ACCESS_REMOTE_WRITE", 2);
  static final int ACCESS_REMOTE_READ = HEADER.constant("IBV_ACCESS_REMOTE_READ", 4);
  static final int ACCESS_REMOTE_ATOMIC = HEADER.constant("IBV_ACCESS_REMOTE_ATOMIC", 8);
  /** Optional access right, which kernels and devices may ignore. */
  static final int ACCESS_RELAXED_ORDERING = HEADER.constant("IBV_ACCESS_RELAXED_ORDERING", 1 << 20);

  static final int QP_INIT_ROOM = HEADER.bufferSize("struct ibv_qp_init_attr", 128);
  static final int QP_INIT_SEND_CQ = HEADER.offset("struct ibv_qp_init_attr", "send_cq", 8);
  static final int QP_INIT_RECV_CQ = HEADER.offset("struct ibv_qp_init_attr", "recv_cq", 16);
  static final int QP_INIT_SEND_WRS = HEADER.offset("struct ibv_qp_init_attr", "cap.max_send_wr", 32);
  static final int QP_INIT_RECV_WRS = HEADER.offset("struct ibv_qp_init_attr", "cap.max_recv_wr", 36);
  static final int QP_INIT_SEND_SGES = HEADER.offset("struct ibv_qp_init_attr", "cap.max_send_sge", 40);
  static final int QP_INIT_RECV_SGES = HEADER.offset("struct ibv_qp_init_attr", "cap.max_recv_sge", 44);
  static final int QP_INIT_INLINE = HEADER.offset("struct ibv_qp_init_attr", "cap.max_inline_data", 48);
  static final int QP_INIT_TYPE = HEADER.offset("struct ibv_qp_init_attr", "qp_type", 52);
  static final int QPT_RC = HEADER.constant("IBV_QPT_RC", 2);

  static final int QP_ATTR_ROOM = HEADER.bufferSize("struct ibv_qp_attr", 256);
  static final int QP_ATTR_STATE = HEADER.offset("struct ibv_qp_attr", "qp_state", 0);
  static final int QP_ATTR_MTU = HEADER.offset("struct ibv_qp_attr", "path_mtu", 8);
  static final int QP_ATTR_RQ_PSN = HEADER.offset("struct ibv_qp_attr", "rq_psn", 20);
  static final int QP_ATTR_SQ_PSN = HEADER.offset("struct ibv_qp_attr", "sq_psn", 24);
  static final int QP_ATTR_DEST = HEADER.offset("struct ibv_qp_attr", "dest_qp_num", 28);
  static final int QP_ATTR_ACCESS = HEADER.offset("struct ibv_qp_attr", "qp_access_flags", 32);
  static final int QP_ATTR_DGID = HEADER.offset("struct ibv_qp_attr", "ah_attr.grh.dgid", 56);
  static final int QP_ATTR_SGID_INDEX = HEADER.offset("struct ibv_qp_attr", "ah_attr.grh.sgid_index", 76);
  static final int QP_ATTR_HOP_LIMIT = HEADER.offset("struct ibv_qp_attr", "ah_attr.grh.hop_limit", 77);
  static final int QP_ATTR_TRAFFIC_CLASS = HEADER.offset("struct ibv_qp_attr", "ah_attr.grh.traffic_class", 78);
  static final int QP_ATTR_DLID = HEADER.offset("struct ibv_qp_attr", "ah_attr.dlid", 80);
  static final int QP_ATTR_SERVICE_LEVEL = HEADER.offset("struct ibv_qp_attr", "ah_attr.sl", 82);
  static final int QP_ATTR_GLOBAL = HEADER.offset("struct ibv_qp_attr", "ah_attr.is_global", 85);
  static final int QP_ATTR_AH_PORT = HEADER.offset("struct ibv_qp_attr", "ah_attr.port_num", 86);
  static final int QP_ATTR_PKEY_INDEX = HEADER.offset("struct ibv_qp_attr", "pkey_index", 120);
  static final int QP_ATTR_READS = HEADER.offset("struct ibv_qp_attr", "max_rd_atomic", 126);
  static final int QP_ATTR_DEST_READS = HEADER.offset("struct ibv_qp_attr", "max_dest_rd_atomic", 127);
  static final int QP_ATTR_RNR_TIMER = HEADER.offset("struct ibv_qp_attr", "min_rnr_timer", 128);
  static final int QP_ATTR_PORT = HEADER.offset("struct ibv_qp_attr", "port_num", 129);
  static final int QP_ATTR_TIMEOUT = HEADER.offset("struct ibv_qp_attr", "timeout", 130);
  static final int QP_ATTR_RETRY = HEADER.offset("struct ibv_qp_attr", "retry_cnt", 131);
  static final int QP_ATTR_RNR_RETRY = HEADER.offset("struct ibv_qp_attr", "rnr_retry", 132);

  static final int MASK_STATE = HEADER.constant("IBV_QP_STATE", 1);
  static final int MASK_ACCESS = HEADER.constant("IBV_QP_ACCESS_FLAGS", 8);
  static final int MASK_PKEY_INDEX = HEADER.constant("IBV_QP_PKEY_INDEX", 16);
  static final int MASK_PORT = HEADER.constant("IBV_QP_PORT", 32);
  static final int MASK_AV = HEADER.constant("IBV_QP_AV", 128);
  static final int MASK_MTU = HEADER.constant("IBV_QP_PATH_MTU", 256);
  static final int MASK_TIMEOUT = HEADER.constant("IBV_QP_TIMEOUT", 512);
  static final int MASK_RETRY = HEADER.constant("IBV_QP_RETRY_CNT", 1024);
  static final int MASK_RNR_RETRY = HEADER.constant("IBV_QP_RNR_RETRY", 2048);
  static final int MASK_RQ_PSN = HEADER.constant("IBV_QP_RQ_PSN", 4096);
  static final int MASK_READS = HEADER.constant("IBV_QP_MAX_QP_RD_ATOMIC", 8192);
  static final int MASK_RNR_TIMER = HEADER.constant("IBV_QP_MIN_RNR_TIMER", 32768);
  static final int MASK_SQ_PSN = HEADER.constant("IBV_QP_SQ_PSN", 65536);
  static final int MASK_DEST_READS = HEADER.constant("IBV_QP_MAX_DEST_RD_ATOMIC", 131072);
  static final int MASK_DEST = HEADER.constant("IBV_QP_DEST_QPN", 1048576);

  static final int QPS_INIT = HEADER.constant("IBV_QPS_INIT", 1);
  static final int QPS_RTR = HEADER.constant("IBV_QPS_RTR", 2);
  static final int QPS_RTS = HEADER.constant("IBV_QPS_RTS", 3);
  static final int QPS_ERR = HEADER.constant("IBV_QPS_ERR", 6);

  static final int ASYNC_ROOM = HEADER.bufferSize("struct ibv_async_event", 32);
  static final int ASYNC_ELEMENT = HEADER.offset("struct ibv_async_event", "element", 0);
  static final int ASYNC_TYPE = HEADER.offset("struct ibv_async_event", "event_type", 8);
  static final int EVENT_COMM_EST = HEADER.constant("IBV_EVENT_COMM_EST", 4);

  private VerbsLayout() {
  }

  private static int beforeContext(String function, int distance) {
    return HEADER.constant("(offsetof(struct verbs_context, context) - offsetof(struct verbs_context, " + function + "))", distance);
  }
}
