/*
 * Provider that behaves like that of Elastic Fabric Adapters which access remote memory themselves: efa_prov_info.c, efa_user_info.c and
 * fi_efa(7).
 */
#include "fi.h"
#include <sys/random.h>

#define DOMAIN_CAPS (FI_LOCAL_COMM | FI_REMOTE_COMM)
#define TX_CAPS (FI_MSG | FI_SEND | FI_TAGGED | FI_RMA | FI_READ | FI_WRITE | FI_ATOMIC)
#define RX_CAPS \
  (FI_MSG | FI_RECV | FI_TAGGED | FI_RMA | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_ATOMIC | FI_SOURCE | FI_MULTI_RECV | FI_DIRECTED_RECV)
#define ORDER (FI_ORDER_SAS | FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW)
#define MODES (FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY)
#define MAX_ATOMIC 8000
/* Name of the device in ibv_get_device_name(3), as in efa_prov_info.c. */
#define ADAPTER "rdmap0s6"
#define DEVICE ADAPTER "-rdm"
/* max_mr of ibv_query_device(3), as in efa_prov_info.c. */
#define MOST_REGIONS 262144

static const struct fi_tx_attr tx_attr = {
  .caps = TX_CAPS,
  .op_flags = FI_INJECT | FI_COMPLETION | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE,
  .msg_order = ORDER,
  .inject_size = 3928,
  .size = 256,
  .iov_limit = 4,
  .rma_iov_limit = 1,
};
static const struct fi_rx_attr rx_attr
  = {.caps = RX_CAPS, .op_flags = FI_COMPLETION | FI_MULTI_RECV, .msg_order = ORDER, .size = 8192, .iov_limit = 4};
static const struct fi_ep_attr ep_attr = {
  .type = FI_EP_RDM,
  .protocol = FI_PROTO_EFA,
  .protocol_version = 4,
  .max_msg_size = UINT64_MAX,
  .max_order_raw_size = MAX_ATOMIC,
  .max_order_war_size = MAX_ATOMIC,
  .max_order_waw_size = MAX_ATOMIC,
  .mem_tag_format = FI_TAG_GENERIC,
  .tx_ctx_cnt = 1,
  .rx_ctx_cnt = 1,
};
static const struct fi_domain_attr domain_attr = {
  .name = DEVICE,
  .threading = FI_THREAD_SAFE,
  .control_progress = FI_PROGRESS_MANUAL,
  .data_progress = FI_PROGRESS_MANUAL,
  .resource_mgmt = FI_RM_ENABLED,
  .mr_mode = MODES | MR_BASIC,
  .mr_key_size = 4,
  .cq_data_size = 4,
  .cq_cnt = 512,
  .ep_cnt = 256,
  .tx_ctx_cnt = 256,
  .rx_ctx_cnt = 256,
  .max_ep_tx_ctx = 1,
  .max_ep_rx_ctx = 1,
  .mr_iov_limit = 1,
  .caps = DOMAIN_CAPS,
  .mr_cnt = MOST_REGIONS,
};
static const struct fi_fabric_attr fabric_attr = {.name = "efa"};
static const struct fi_info rdm = {
  .caps = TX_CAPS | RX_CAPS | DOMAIN_CAPS,
  .addr_format = FI_ADDR_EFA,
  .tx_attr = (struct fi_tx_attr *)&tx_attr,
  .rx_attr = (struct fi_rx_attr *)&rx_attr,
  .ep_attr = (struct fi_ep_attr *)&ep_attr,
  .domain_attr = (struct fi_domain_attr *)&domain_attr,
  .fabric_attr = (struct fi_fabric_attr *)&fabric_attr,
};

/* Fabric efa-direct, since libfabric 2.0: operations of the device itself. Its domain has the same name as the fabric efa's. */
#define DIRECT_TX (FI_MSG | FI_SEND | FI_RMA | FI_READ | FI_WRITE)
#define DIRECT_RX (FI_MSG | FI_RECV | FI_SOURCE | FI_RMA | FI_REMOTE_READ | FI_REMOTE_WRITE)

static const struct fi_tx_attr direct_tx = {
  .caps = DIRECT_TX,
  .mode = FI_CONTEXT2,
  .op_flags = FI_INJECT | FI_COMPLETION | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE,
  .inject_size = 32,
  .size = 256,
  .iov_limit = 2,
  .rma_iov_limit = 1,
};
static const struct fi_rx_attr direct_rx
  = {.caps = DIRECT_RX, .mode = FI_CONTEXT2, .op_flags = FI_COMPLETION, .size = 8192, .iov_limit = 3};
static const struct fi_ep_attr direct_ep = {
  .type = FI_EP_RDM,
  .protocol = FI_PROTO_EFA,
  .protocol_version = 1,
  .max_msg_size = 1 << 30,
  .tx_ctx_cnt = 1,
  .rx_ctx_cnt = 1,
};
static const struct fi_domain_attr direct_domain = {
  .name = DEVICE,
  .threading = FI_THREAD_SAFE,
  .control_progress = FI_PROGRESS_AUTO,
  .data_progress = FI_PROGRESS_AUTO,
  .resource_mgmt = FI_RM_ENABLED,
  .mr_mode = MODES | FI_MR_LOCAL | MR_BASIC,
  .mr_key_size = 4,
  .cq_data_size = 4,
  .cq_cnt = 512,
  .ep_cnt = 256,
  .tx_ctx_cnt = 256,
  .rx_ctx_cnt = 256,
  .max_ep_tx_ctx = 1,
  .max_ep_rx_ctx = 1,
  .mr_iov_limit = 1,
  .caps = DOMAIN_CAPS,
  .mr_cnt = MOST_REGIONS,
};
static const struct fi_fabric_attr direct_fabric = {.name = "efa-direct"};
static const struct fi_info direct = {
  .caps = DIRECT_TX | DIRECT_RX | DOMAIN_CAPS,
  .mode = FI_CONTEXT2,
  .addr_format = FI_ADDR_EFA,
  .tx_attr = (struct fi_tx_attr *)&direct_tx,
  .rx_attr = (struct fi_rx_attr *)&direct_rx,
  .ep_attr = (struct fi_ep_attr *)&direct_ep,
  .domain_attr = (struct fi_domain_attr *)&direct_domain,
  .fabric_attr = (struct fi_fabric_attr *)&direct_fabric,
};

#if FI_MAJOR_VERSION >= 2
static const struct fi_info *const infos[] = {&direct, &rdm, NULL};
#else
static const struct fi_info *const infos[] = {&rdm, NULL, &direct};
#endif

/* Like efa_user_info_alter_rdm and efa_user_info_alter_direct. */
static int alter(struct fi_info *copy, const struct fi_info *hints) {
  copy->domain_attr->av_type = FI_AV_TABLE;
  copy->domain_attr->mr_cnt = regions_most();
  if (strcmp(copy->fabric_attr->name, "efa")) {
    /* Without this mode, data of a write would consume a receive, so hints must have it. */
    if (!hints || hints->mode & FI_RX_CQ_DATA) {
      copy->mode |= FI_RX_CQ_DATA;
      copy->rx_attr->mode |= FI_RX_CQ_DATA;
    }
    return 0;
  }
  if (hints && hints->tx_attr) {
    copy->tx_attr->msg_order &= hints->tx_attr->msg_order;
    copy->ep_attr->max_order_raw_size = hints->tx_attr->msg_order & FI_ORDER_ATOMIC_RAW ? MAX_ATOMIC : 0;
    copy->ep_attr->max_order_war_size = hints->tx_attr->msg_order & FI_ORDER_ATOMIC_WAR ? MAX_ATOMIC : 0;
    copy->ep_attr->max_order_waw_size = hints->tx_attr->msg_order & FI_ORDER_ATOMIC_WAW ? MAX_ATOMIC : 0;
  }
  if (hints && hints->rx_attr) {
    copy->rx_attr->msg_order &= hints->rx_attr->msg_order;
  }
  /* Local memory need not be registered, but registration saves copies. */
  if (hints && hints->domain_attr && hints->domain_attr->mr_mode & FI_MR_LOCAL) {
    copy->domain_attr->mr_mode |= FI_MR_LOCAL;
  }
  return 0;
}

/* Writes an address like struct efa_ep_addr: GID, queue pair number, Q_Key. */
static void address(unsigned char *at, uint32_t number) {
  static const unsigned char gid[16] = {0xfe, 0x80, [11] = 0xff, [12] = 0xfe, [15] = 1};
  memset(at, 0, 32);
  memcpy(at, gid, sizeof gid);
  if (number) {
    /* A device reuses the numbers of closed queue pairs, so a test may set the number. */
    const char *again = getenv("VERTX_RDMA_FI_NUMBER");
    number = again ? (uint32_t)atoi(again) : number;
    uint32_t qkey;
    if (getrandom(&qkey, sizeof qkey, 0) < 0) {
      abort();
    }
    at[16] = (unsigned char)number;
    at[17] = (unsigned char)(number >> 8);
    /* Like efa_generate_rdm_connid in efa_base_ep.c: users without privileges get the lower half of the range. */
    qkey &= INT32_MAX;
    memcpy(at + 20, &qkey, sizeof qkey);
  }
}

const struct personality personality = {
  .name = "efa",
  .adapter = ADAPTER,
  .infos = infos,
  .alter = alter,
  .address_size = 32,
  .address = address,
  .endpoints = 1 << 16,
  .write_flags = ~0ULL,
  .aborts = true,
  .writes_late = true,
  /*
   * Completion queues of efa_rdm_cq.c have an fd since libfabric 2.5. Only fi_cq_sread reads the events of its completion channel, so the fd
   * stays readable after the first completion.
   */
  .waits = FI_MAJOR_VERSION > 2 || (FI_MAJOR_VERSION == 2 && FI_MINOR_VERSION >= 5),
  .stays_readable = true,
  .own_keys = true,
  /* Error of ibv_reg_mr(3), which efa_mr_reg_impl in efa_mr.c returns. */
  .regions = MOST_REGIONS,
  .full = FI_ENOMEM,
  /* Errors for REMOTE_ERROR_BAD_ADDRESS and REMOTE_ERROR_BAD_DEST_QPN of efa_errno.h. */
  .refused = FI_EINVAL,
  .dead = FI_ENOTCONN,
};
