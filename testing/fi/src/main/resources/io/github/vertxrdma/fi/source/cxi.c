/* Provider that behaves like that of Slingshot adapters: cxip_info.c, cxip.h and fi_cxi(7). */
#include "fi.h"

#define DOMAIN_CAPS (FI_LOCAL_COMM | FI_REMOTE_COMM)
#define CAPS \
  (FI_RMA | FI_ATOMIC | FI_TAGGED | FI_RECV | FI_SEND | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_DIRECTED_RECV | FI_MSG \
    | FI_NAMED_RX_CTX | FI_SOURCE | FI_SOURCE_ERR | FI_LOCAL_COMM | FI_REMOTE_COMM | FI_RMA_EVENT | FI_MULTI_RECV | FI_FENCE | FI_TRIGGER)
#define TX_IGNORED (FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_MULTI_RECV | FI_SOURCE | FI_SOURCE_ERR | FI_DIRECTED_RECV | FI_RMA_EVENT)
#define RX_IGNORED (FI_READ | FI_WRITE | FI_SEND | FI_FENCE | FI_TRIGGER)
#define ORDER \
  (FI_ORDER_SAS | FI_ORDER_WAW | FI_ORDER_RMA_WAW | FI_ORDER_RMA_RAR | FI_ORDER_ATOMIC_WAW | FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_RAW \
    | FI_ORDER_ATOMIC_RAR)
#define COMPLETES (FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE)
/* Default depths of an endpoint's queues: CXIP_DEFAULT_TX_SIZE, CXIP_DEFAULT_RX_SIZE. */
#define DEFAULT_DEPTH 1024
/* CXIP_MAX_RX_SIZE. */
#define MOST_RECEIVES 15360
#define ANY_PID 511

static const struct fi_tx_attr tx_attr = {
  .caps = CAPS & ~TX_IGNORED,
  .op_flags = FI_INJECT | FI_COMPLETION | COMPLETES | FI_REMOTE_CQ_DATA | FI_MORE | FI_FENCE,
  .msg_order = ORDER,
  .inject_size = 192,
  .size = 16384,
  .iov_limit = 1,
  .rma_iov_limit = 1,
};
static const struct fi_rx_attr rx_attr = {
  .caps = CAPS & ~RX_IGNORED,
  .op_flags = FI_COMPLETION | FI_MULTI_RECV | FI_MORE,
  .msg_order = ORDER,
  .size = MOST_RECEIVES,
  .iov_limit = 1,
};
static const struct fi_ep_attr ep_attr = {
  .type = FI_EP_RDM,
  .protocol = FI_PROTO_CXI,
  .protocol_version = 1,
  .max_msg_size = (1ULL << 32) - 1,
  .max_order_waw_size = SIZE_MAX,
  .mem_tag_format = FI_TAG_GENERIC >> 16,
};

#define DOMAIN(modes, key) \
  {.name = "cxi0", .threading = FI_THREAD_SAFE, .control_progress = FI_PROGRESS_MANUAL, .data_progress = FI_PROGRESS_MANUAL, \
    .resource_mgmt = FI_RM_ENABLED, .mr_mode = modes, .mr_key_size = key, .cq_data_size = 8, .cq_cnt = 32, .ep_cnt = 128, .tx_ctx_cnt = 1, \
    .rx_ctx_cnt = 1, .max_ep_tx_ctx = 1, .max_ep_rx_ctx = 1, .cntr_cnt = 16, .mr_iov_limit = 1, .mr_cnt = 100, .caps = DOMAIN_CAPS}
static const struct fi_domain_attr provider_keys = DOMAIN(FI_MR_PROV_KEY | FI_MR_ALLOCATED | FI_MR_ENDPOINT, 8);
static const struct fi_domain_attr client_keys = DOMAIN(FI_MR_ALLOCATED | FI_MR_ENDPOINT, 4);
static const struct fi_fabric_attr fabric_attr = {.name = "cxi"};

#define INFO(domain) \
  {.caps = CAPS, .addr_format = FI_ADDR_CXI, .tx_attr = (struct fi_tx_attr *)&tx_attr, .rx_attr = (struct fi_rx_attr *)&rx_attr, \
    .ep_attr = (struct fi_ep_attr *)&ep_attr, .domain_attr = (struct fi_domain_attr *)&domain, \
    .fabric_attr = (struct fi_fabric_attr *)&fabric_attr}
static const struct fi_info with_provider_keys = INFO(provider_keys);
static const struct fi_info with_client_keys = INFO(client_keys);
static const struct fi_info *const infos[] = {&with_provider_keys, &with_client_keys, NULL};

/* Like cxip_env_init: ignores a size that is out of range. */
static size_t default_receives(void) {
  const char *given = getenv("FI_CXI_DEFAULT_RX_SIZE");
  size_t size = given ? strtoul(given, NULL, 10) : DEFAULT_DEPTH;
  return size < 16 || size > MOST_RECEIVES ? DEFAULT_DEPTH : size;
}

/* Like cxip_getinfo. */
static int alter(struct fi_info *copy, const struct fi_info *hints) {
  if (!hints) {
    return 0;
  }
  /* Hints for remote access without a registration mode get no answer. */
  if (hints->caps & (FI_RMA | FI_ATOMIC) && hints->domain_attr && !hints->domain_attr->mr_mode) {
    return -FI_ENODATA;
  }
  if (!hints->tx_attr || !hints->tx_attr->size) {
    copy->tx_attr->size = DEFAULT_DEPTH;
  }
  if (!hints->rx_attr || !hints->rx_attr->size) {
    copy->rx_attr->size = default_receives();
  }
  if (hints->tx_attr) {
    copy->tx_attr->msg_order = hints->tx_attr->msg_order;
  }
  if (hints->caps) {
    uint64_t unasked = (FI_RMA_EVENT | FI_SOURCE | FI_SOURCE_ERR | FI_FENCE) & ~hints->caps;
    copy->caps &= ~unasked;
    copy->rx_attr->caps &= ~unasked;
    copy->tx_attr->caps &= ~unasked;
  }
  return 0;
}

/* Writes an address like struct cxip_addr: 9 bits of PID, 20 bits of the adapter, VNI. There are 511 PIDs. */
static void address(unsigned char *at, uint32_t number) {
  uint32_t word = (number ? number : ANY_PID) | 0x1234U << 9;
  memset(at, 0, 8);
  memcpy(at, &word, sizeof word);
  at[4] = 1;
}

static uint32_t number(const unsigned char *address) {
  uint32_t word;
  memcpy(&word, address, sizeof word);
  return (word & 511) == ANY_PID ? 0 : word & 511;
}

const struct personality personality = {
  .name = "cxi",
  /* As in cxip_nic_alloc of cxip_nic.c. */
  .adapter = "cxi0",
  .infos = infos,
  .alter = alter,
  .address_size = 8,
  .address = address,
  .number = number,
  .endpoints = ANY_PID,
  .first_only = true,
  .write_flags = FI_INJECT | FI_COMPLETION | FI_MORE | FI_FENCE | COMPLETES,
  .waits = true,
  .maps = true,
  .numbered_keys = true,
  /* Number of standard regions. mr_cnt is the number of optimized ones: fi_cxi(7), Optimized MRs; cxip_regattr in cxip_mr.c. */
  .regions = 1 << 16,
  /* LES_PER_EP_MAX. */
  .list_entries = 1 << 14,
  .full = FI_ENOSPC,
  .refused = FI_EIO,
  .dead = FI_EIO,
};
