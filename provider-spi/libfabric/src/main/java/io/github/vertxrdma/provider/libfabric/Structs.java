package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.CHeader;

/** Offsets and sizes of libfabric's structs. New versions only append members. */
final class Structs {
  private static final CHeader H = Fi.HEADER;

  /** Bytes that suffice for any attribute or error struct, also of newer versions. */
  static final int ROOM = H.bufferSize("struct fi_cq_err_entry", 256);

  static final int INFO_NEXT = H.offset("struct fi_info", "next", 0);
  static final int INFO_CAPS = H.offset("struct fi_info", "caps", 8);
  static final int INFO_MODE = H.offset("struct fi_info", "mode", 16);
  static final int INFO_ADDR_FORMAT = H.offset("struct fi_info", "addr_format", 24);
  static final int INFO_SRC_ADDRLEN = H.offset("struct fi_info", "src_addrlen", 32);
  static final int INFO_DEST_ADDRLEN = H.offset("struct fi_info", "dest_addrlen", 40);
  static final int INFO_SRC_ADDR = H.offset("struct fi_info", "src_addr", 48);
  static final int INFO_DEST_ADDR = H.offset("struct fi_info", "dest_addr", 56);
  static final int INFO_HANDLE = H.offset("struct fi_info", "handle", 64);
  static final int INFO_TX_ATTR = H.offset("struct fi_info", "tx_attr", 72);
  static final int INFO_RX_ATTR = H.offset("struct fi_info", "rx_attr", 80);
  static final int INFO_EP_ATTR = H.offset("struct fi_info", "ep_attr", 88);
  static final int INFO_DOMAIN_ATTR = H.offset("struct fi_info", "domain_attr", 96);
  static final int INFO_FABRIC_ATTR = H.offset("struct fi_info", "fabric_attr", 104);
  static final int INFO_NIC = H.offset("struct fi_info", "nic", 112);
  static final int NIC_DEVICE_ATTR = H.offset("struct fid_nic", "device_attr", 24);
  static final int DEVICE_NAME = H.offset("struct fi_device_attr", "name", 0);
  static final int TX_OP_FLAGS = H.offset("struct fi_tx_attr", "op_flags", 16);
  static final int TX_MSG_ORDER = H.offset("struct fi_tx_attr", "msg_order", 24);
  static final int TX_INJECT_SIZE = H.offset("struct fi_tx_attr", "inject_size", 40);
  static final int TX_SIZE = H.offset("struct fi_tx_attr", "size", 48);
  static final int TX_IOV_LIMIT = H.offset("struct fi_tx_attr", "iov_limit", 56);
  static final int RX_MSG_ORDER = H.offset("struct fi_rx_attr", "msg_order", 24);
  static final int RX_SIZE = H.offset("struct fi_rx_attr", "size", 48);
  static final int EP_TYPE = H.offset("struct fi_ep_attr", "type", 0);
  static final int EP_PROTOCOL = H.offset("struct fi_ep_attr", "protocol", 4);
  static final int EP_MAX_MSG_SIZE = H.offset("struct fi_ep_attr", "max_msg_size", 16);
  static final int EP_MAX_ORDER_WAW_SIZE = H.offset("struct fi_ep_attr", "max_order_waw_size", 48);
  static final int DOMAIN_NAME = H.offset("struct fi_domain_attr", "name", 8);
  static final int DOMAIN_THREADING = H.offset("struct fi_domain_attr", "threading", 16);
  static final int DOMAIN_RESOURCE_MGMT = H.offset("struct fi_domain_attr", "resource_mgmt", 28);
  static final int DOMAIN_MR_MODE = H.offset("struct fi_domain_attr", "mr_mode", 36);
  static final int DOMAIN_MR_KEY_SIZE = H.offset("struct fi_domain_attr", "mr_key_size", 40);
  static final int DOMAIN_MR_CNT = H.offset("struct fi_domain_attr", "mr_cnt", 176);
  static final int FABRIC_NAME = H.offset("struct fi_fabric_attr", "name", 8);
  static final int FABRIC_PROV_NAME = H.offset("struct fi_fabric_attr", "prov_name", 16);

  static final int FID_OPS = H.offset("struct fid", "ops", 16);
  static final int OPS_CLOSE = H.offset("struct fi_ops", "close", 8);
  static final int OPS_BIND = H.offset("struct fi_ops", "bind", 16);
  static final int OPS_CONTROL = H.offset("struct fi_ops", "control", 24);
  static final int FABRIC_OPS = H.offset("struct fid_fabric", "ops", 24);
  static final int FABRIC_DOMAIN = H.offset("struct fi_ops_fabric", "domain", 8);
  static final int FABRIC_PASSIVE_EP = H.offset("struct fi_ops_fabric", "passive_ep", 16);
  static final int FABRIC_EQ_OPEN = H.offset("struct fi_ops_fabric", "eq_open", 24);
  static final int FABRIC_TRYWAIT = H.offset("struct fi_ops_fabric", "trywait", 40);
  static final int DOMAIN_OPS = H.offset("struct fid_domain", "ops", 24);
  static final int DOMAIN_MR = H.offset("struct fid_domain", "mr", 32);
  static final int DOMAIN_AV_OPEN = H.offset("struct fi_ops_domain", "av_open", 8);
  static final int DOMAIN_CQ_OPEN = H.offset("struct fi_ops_domain", "cq_open", 16);
  static final int DOMAIN_ENDPOINT = H.offset("struct fi_ops_domain", "endpoint", 24);
  static final int MR_REG = H.offset("struct fi_ops_mr", "reg", 8);
  static final int MR_DESC = H.offset("struct fid_mr", "mem_desc", 24);
  static final int MR_KEY = H.offset("struct fid_mr", "key", 32);
  static final int PEP_CM = H.offset("struct fid_pep", "cm", 32);
  static final int EP_CM = H.offset("struct fid_ep", "cm", 32);
  static final int EP_MSG = H.offset("struct fid_ep", "msg", 40);
  static final int EP_RMA = H.offset("struct fid_ep", "rma", 48);
  static final int EP_ATOMIC = H.offset("struct fid_ep", "atomic", 64);
  static final int CM_GETNAME = H.offset("struct fi_ops_cm", "getname", 16);
  static final int CM_CONNECT = H.offset("struct fi_ops_cm", "connect", 32);
  static final int CM_LISTEN = H.offset("struct fi_ops_cm", "listen", 40);
  static final int CM_ACCEPT = H.offset("struct fi_ops_cm", "accept", 48);
  static final int CM_REJECT = H.offset("struct fi_ops_cm", "reject", 56);
  static final int CM_SHUTDOWN = H.offset("struct fi_ops_cm", "shutdown", 64);
  static final int MSG_RECV = H.offset("struct fi_ops_msg", "recv", 8);
  static final int MSG_INJECT = H.offset("struct fi_ops_msg", "inject", 56);
  static final int MSG_SENDMSG = H.offset("struct fi_ops_msg", "sendmsg", 48);
  static final int RMA_READMSG = H.offset("struct fi_ops_rma", "readmsg", 24);
  static final int RMA_WRITEMSG = H.offset("struct fi_ops_rma", "writemsg", 48);
  static final int ATOMIC_READWRITEMSG = H.offset("struct fi_ops_atomic", "readwritemsg", 56);
  static final int ATOMIC_COMPWRITEMSG = H.offset("struct fi_ops_atomic", "compwritemsg", 80);
  static final int ATOMIC_READWRITEVALID = H.offset("struct fi_ops_atomic", "readwritevalid", 96);
  static final int ATOMIC_COMPWRITEVALID = H.offset("struct fi_ops_atomic", "compwritevalid", 104);
  static final int CQ_OPS = H.offset("struct fid_cq", "ops", 24);
  static final int CQ_READ = H.offset("struct fi_ops_cq", "read", 8);
  static final int CQ_READERR = H.offset("struct fi_ops_cq", "readerr", 24);
  static final int CQ_STRERROR = H.offset("struct fi_ops_cq", "strerror", 56);
  static final int EQ_OPS = H.offset("struct fid_eq", "ops", 24);
  static final int EQ_READ = H.offset("struct fi_ops_eq", "read", 8);
  static final int EQ_READERR = H.offset("struct fi_ops_eq", "readerr", 16);
  static final int EQ_STRERROR = H.offset("struct fi_ops_eq", "strerror", 40);
  static final int AV_OPS = H.offset("struct fid_av", "ops", 24);
  static final int AV_INSERT = H.offset("struct fi_ops_av", "insert", 8);
  static final int AV_REMOVE = H.offset("struct fi_ops_av", "remove", 32);

  static final int CQ_ATTR_SIZE = H.offset("struct fi_cq_attr", "size", 0);
  static final int CQ_ATTR_FORMAT = H.offset("struct fi_cq_attr", "format", 16);
  static final int CQ_ATTR_WAIT_OBJ = H.offset("struct fi_cq_attr", "wait_obj", 20);
  static final int EQ_ATTR_SIZE = H.offset("struct fi_eq_attr", "size", 0);
  static final int EQ_ATTR_WAIT_OBJ = H.offset("struct fi_eq_attr", "wait_obj", 16);
  static final int AV_ATTR_TYPE = H.offset("struct fi_av_attr", "type", 0);
  static final int AV_ATTR_COUNT = H.offset("struct fi_av_attr", "count", 8);

  static final int CQ_ENTRY = H.size("struct fi_cq_data_entry", 40);
  static final int CQ_CONTEXT = H.offset("struct fi_cq_data_entry", "op_context", 0);
  static final int CQ_FLAGS = H.offset("struct fi_cq_data_entry", "flags", 8);
  static final int CQ_LEN = H.offset("struct fi_cq_data_entry", "len", 16);
  static final int CQ_ERR_CONTEXT = H.offset("struct fi_cq_err_entry", "op_context", 0);
  static final int CQ_ERR_LEN = H.offset("struct fi_cq_err_entry", "len", 16);
  static final int CQ_ERR_ERR = H.offset("struct fi_cq_err_entry", "err", 56);
  static final int CQ_ERR_PROV_ERRNO = H.offset("struct fi_cq_err_entry", "prov_errno", 60);
  static final int CQ_ERR_DATA = H.offset("struct fi_cq_err_entry", "err_data", 64);
  static final int EQ_CM_FID = H.offset("struct fi_eq_cm_entry", "fid", 0);
  static final int EQ_CM_INFO = H.offset("struct fi_eq_cm_entry", "info", 8);
  static final int EQ_CM_DATA = H.offset("struct fi_eq_cm_entry", "data", 16);
  static final int EQ_ERR_FID = H.offset("struct fi_eq_err_entry", "fid", 0);
  static final int EQ_ERR_ERR = H.offset("struct fi_eq_err_entry", "err", 24);
  static final int EQ_ERR_PROV_ERRNO = H.offset("struct fi_eq_err_entry", "prov_errno", 28);
  static final int EQ_ERR_DATA = H.offset("struct fi_eq_err_entry", "err_data", 32);
  static final int EQ_ERR_DATA_SIZE = H.offset("struct fi_eq_err_entry", "err_data_size", 40);

  static final int IOVEC = H.size("struct iovec", 16);
  static final int IOVEC_LEN = H.offset("struct iovec", "iov_len", 8);
  static final int FI_MSG_IOV = H.offset("struct fi_msg", "msg_iov", 0);
  static final int FI_MSG_DESC = H.offset("struct fi_msg", "desc", 8);
  static final int FI_MSG_COUNT = H.offset("struct fi_msg", "iov_count", 16);
  static final int FI_MSG_ADDR = H.offset("struct fi_msg", "addr", 24);
  static final int FI_MSG_CONTEXT = H.offset("struct fi_msg", "context", 32);
  static final int FI_RMA_IOV = H.offset("struct fi_msg_rma", "rma_iov", 32);
  static final int FI_RMA_COUNT = H.offset("struct fi_msg_rma", "rma_iov_count", 40);
  static final int FI_RMA_CONTEXT = H.offset("struct fi_msg_rma", "context", 48);
  static final int RMA_IOV = H.size("struct fi_rma_iov", 24);
  static final int RMA_IOV_LEN = H.offset("struct fi_rma_iov", "len", 8);
  static final int RMA_IOV_KEY = H.offset("struct fi_rma_iov", "key", 16);
  static final int FI_ATOMIC_DATATYPE = H.offset("struct fi_msg_atomic", "datatype", 48);
  static final int FI_ATOMIC_OP = H.offset("struct fi_msg_atomic", "op", 52);
  static final int FI_ATOMIC_CONTEXT = H.offset("struct fi_msg_atomic", "context", 56);
  static final int CONTEXT2 = H.size("struct fi_context2", 64);

  private Structs() {
  }
}
