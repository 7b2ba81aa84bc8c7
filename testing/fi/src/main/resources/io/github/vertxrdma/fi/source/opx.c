/*
 * Provider that behaves like that of Omni-Path (opx): it requires no registrations, queues have no fd, and messages inline have at most 16
 * bytes; fi_opx_info.c.
 */
#include "fi.h"

#define TX_CAPS \
  (FI_MSG | FI_TAGGED | FI_LOCAL_COMM | FI_REMOTE_COMM | FI_SOURCE | FI_RMA | FI_ATOMIC | FI_SEND | FI_READ | FI_WRITE | FI_REMOTE_WRITE)
#define RX_CAPS \
  (FI_MSG | FI_TAGGED | FI_LOCAL_COMM | FI_REMOTE_COMM | FI_SOURCE | FI_RMA | FI_ATOMIC | FI_RECV | FI_DIRECTED_RECV | FI_MULTI_RECV \
    | FI_REMOTE_READ)
#define ORDER (FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW)

static const struct fi_tx_attr tx_attr = {
  .caps = TX_CAPS,
  .mode = FI_CONTEXT2,
  .op_flags = FI_INJECT | FI_COMPLETION | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE,
  .msg_order = ORDER,
  .inject_size = 16,
  .size = SIZE_MAX,
  .iov_limit = 4,
  .rma_iov_limit = 1,
};
static const struct fi_rx_attr rx_attr
  = {.caps = RX_CAPS, .mode = FI_CONTEXT2, .op_flags = FI_COMPLETION | FI_MULTI_RECV, .msg_order = ORDER, .size = SIZE_MAX, .iov_limit = 4};
static const struct fi_ep_attr ep_attr = {
  .type = FI_EP_RDM,
  .protocol = FI_PROTO_OPX,
  .protocol_version = 1,
  .max_msg_size = (1ULL << 32) - 1,
  .mem_tag_format = FI_TAG_GENERIC,
  .tx_ctx_cnt = 1,
  .rx_ctx_cnt = 1,
};
static const struct fi_domain_attr domain_attr = {
  .name = "hfi1_0",
  .threading = FI_THREAD_SAFE,
  .control_progress = FI_PROGRESS_MANUAL,
  .data_progress = FI_PROGRESS_MANUAL,
  .resource_mgmt = FI_RM_DISABLED,
  .mr_mode = MR_SCALABLE,
  .mr_key_size = 8,
  .cq_data_size = 4,
  .cq_cnt = SIZE_MAX,
  .ep_cnt = 160,
  .tx_ctx_cnt = 160,
  .rx_ctx_cnt = 160,
  .max_ep_tx_ctx = 1,
  .max_ep_rx_ctx = 1,
  .mr_iov_limit = 1,
  .caps = FI_LOCAL_COMM | FI_REMOTE_COMM,
};
static const struct fi_fabric_attr fabric_attr = {.name = "OPX"};
static const struct fi_info info = {
  .caps = TX_CAPS | RX_CAPS,
  .mode = FI_CONTEXT2,
  .addr_format = FI_ADDR_OPX,
  .tx_attr = (struct fi_tx_attr *)&tx_attr,
  .rx_attr = (struct fi_rx_attr *)&rx_attr,
  .ep_attr = (struct fi_ep_attr *)&ep_attr,
  .domain_attr = (struct fi_domain_attr *)&domain_attr,
  .fabric_attr = (struct fi_fabric_attr *)&fabric_attr,
};
static const struct fi_info *const infos[] = {&info, NULL};

static int alter(struct fi_info *copy, const struct fi_info *hints) {
  (void)copy, (void)hints;
  return 0;
}

static void address(unsigned char *at, uint32_t number) {
  memset(at, 0, 16);
  memcpy(at, &number, sizeof number);
}

const struct personality personality = {
  .name = "opx",
#if FI_MAJOR_VERSION > 2 || (FI_MAJOR_VERSION == 2 && FI_MINOR_VERSION >= 6)
  /* As in opx_nic_alloc of fi_opx_init.c. */
  .adapter = "hfi1_0",
#endif
  .infos = infos,
  .alter = alter,
  .address_size = 16,
  .address = address,
  .endpoints = 1 << 20,
  .write_flags = ~0ULL,
  /* No limit: fi_opx_mr.c only enters memory into a map. */
  .regions = INT32_MAX,
  .full = FI_ENOMEM,
  .refused = FI_EACCES,
  .dead = FI_EIO,
};
