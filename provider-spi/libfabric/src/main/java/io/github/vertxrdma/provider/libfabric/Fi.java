package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.CHeader;

/** Constants of libfabric's headers, equal from 1.17 to 2.6. The names omit {@code FI_}. */
final class Fi {
  static final CHeader HEADER = new CHeader("libfabric 1.17 … 2.6", "sys/socket.h", "netinet/in.h", "rdma/fabric.h", "rdma/fi_domain.h",
    "rdma/fi_endpoint.h", "rdma/fi_cm.h", "rdma/fi_rma.h", "rdma/fi_atomic.h", "rdma/fi_eq.h", "rdma/fi_errno.h");

  // Capabilities, access rights, operation flags; fi_getinfo(3), fi_mr(3), fi_cq(3).
  static final long MSG = HEADER.constant("FI_MSG", 0x2L);
  static final long RMA = HEADER.constant("FI_RMA", 0x4L);
  static final long ATOMIC = HEADER.constant("FI_ATOMIC", 0x10L);
  static final long READ = HEADER.constant("FI_READ", 0x100L);
  static final long WRITE = HEADER.constant("FI_WRITE", 0x200L);
  static final long RECV = HEADER.constant("FI_RECV", 0x400L);
  static final long SEND = HEADER.constant("FI_SEND", 0x800L);
  static final long TRANSMIT = HEADER.constant("FI_TRANSMIT", 0x800L);
  static final long REMOTE_READ = HEADER.constant("FI_REMOTE_READ", 0x1000L);
  static final long REMOTE_WRITE = HEADER.constant("FI_REMOTE_WRITE", 0x2000L);
  static final long FENCE = HEADER.constant("FI_FENCE", 0x200000L);
  static final long COMPLETION = HEADER.constant("FI_COMPLETION", 0x1000000L);
  static final long INJECT = HEADER.constant("FI_INJECT", 0x2000000L);
  static final long DELIVERY_COMPLETE = HEADER.constant("FI_DELIVERY_COMPLETE", 0x10000000L);
  static final long SOURCE = HEADER.constant("FI_SOURCE", 0x200000000000000L);
  static final long SELECTIVE_COMPLETION = HEADER.constant("FI_SELECTIVE_COMPLETION", 0x800000000000000L);

  // Modes; fi_getinfo(3), fi_mr(3).
  static final long CONTEXT = HEADER.constant("FI_CONTEXT", 0x800000000000000L);
  static final long CONTEXT2 = HEADER.constant("FI_CONTEXT2", 0x10000000000000L);
  static final long RX_CQ_DATA = HEADER.constant("FI_RX_CQ_DATA", 0x100000000000000L);
  static final int MR_LOCAL = HEADER.constant("FI_MR_LOCAL", 0x4);
  static final int MR_VIRT_ADDR = HEADER.constant("FI_MR_VIRT_ADDR", 0x10);
  static final int MR_ALLOCATED = HEADER.constant("FI_MR_ALLOCATED", 0x20);
  static final int MR_PROV_KEY = HEADER.constant("FI_MR_PROV_KEY", 0x40);
  static final int MR_ENDPOINT = HEADER.constant("FI_MR_ENDPOINT", 0x200);

  // Orders; fi_endpoint(3).
  static final long ORDER_WAW = HEADER.constant("FI_ORDER_WAW", 0x10L);
  static final long ORDER_SAW = HEADER.constant("FI_ORDER_SAW", 0x80L);
  static final long ORDER_SAS = HEADER.constant("FI_ORDER_SAS", 0x100L);

  static final int EP_MSG = HEADER.constant("FI_EP_MSG", 1);
  static final int EP_RDM = HEADER.constant("FI_EP_RDM", 3);
  static final int SOCKADDR = HEADER.constant("FI_SOCKADDR", 1);
  static final int SOCKADDR_IN = HEADER.constant("FI_SOCKADDR_IN", 2);
  static final int SOCKADDR_IN6 = HEADER.constant("FI_SOCKADDR_IN6", 3);
  static final int THREAD_SAFE = HEADER.constant("FI_THREAD_SAFE", 1);
  static final int PROTO_RDMA_CM_IB_RC = HEADER.constant("FI_PROTO_RDMA_CM_IB_RC", 1);
  static final int PROTO_EFA = HEADER.constant("FI_PROTO_EFA", 20);
  static final int PROTO_IWARP = HEADER.constant("FI_PROTO_IWARP", 2);
  static final int PROTO_UDP = HEADER.constant("FI_PROTO_UDP", 5);
  static final int PROTO_SOCK_TCP = HEADER.constant("FI_PROTO_SOCK_TCP", 6);
  static final int PROTO_RXM_TCP = HEADER.constant("FI_PROTO_RXM_TCP", 22);
  static final int PROTO_XNET = HEADER.constant("FI_PROTO_XNET", 25);
  static final int RM_ENABLED = HEADER.constant("FI_RM_ENABLED", 2);
  static final int WAIT_NONE = HEADER.constant("FI_WAIT_NONE", 0);
  static final int WAIT_FD = HEADER.constant("FI_WAIT_FD", 3);
  static final int CQ_FORMAT_DATA = HEADER.constant("FI_CQ_FORMAT_DATA", 3);
  static final int AV_TABLE = HEADER.constant("FI_AV_TABLE", 2);
  static final int UINT64 = HEADER.constant("FI_UINT64", 7);
  static final int SUM = HEADER.constant("FI_SUM", 2);
  static final int CSWAP = HEADER.constant("FI_CSWAP", 12);
  static final int GETWAIT = HEADER.constant("FI_GETWAIT", 5);
  static final int ENABLE = HEADER.constant("FI_ENABLE", 6);
  static final int CONNREQ = HEADER.constant("FI_CONNREQ", 1);
  static final int CONNECTED = HEADER.constant("FI_CONNECTED", 2);
  static final int SHUTDOWN = HEADER.constant("FI_SHUTDOWN", 3);
  static final long ADDR_UNSPEC = HEADER.constant("FI_ADDR_UNSPEC", -1L);
  static final long KEY_NOTAVAIL = HEADER.constant("FI_KEY_NOTAVAIL", -1L);

  // Error numbers; fi_errno(3).
  static final int EOTHER = HEADER.constant("FI_EOTHER", 256);
  static final int EAVAIL = HEADER.constant("FI_EAVAIL", 259);
  static final int ETRUNC = HEADER.constant("FI_ETRUNC", 265);
  static final int ENOKEY = HEADER.constant("FI_ENOKEY", 266);
  static final int ENORX = HEADER.constant("FI_ENORX", 269);

  private Fi() {
  }

  static int version(int major, int minor) {
    return major << 16 | minor;
  }

  static String versionName(int version) {
    return (version >>> 16) + "." + (version & 0xffff);
  }
}
