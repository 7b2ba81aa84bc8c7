/* Selects the templates that fit hints, and adapts copies to the hints, by the rules of prov/util/src/util_attr.c. */
#include "fi.h"

/* Masks of ofi_mr.h and ofi_util.h. */
#define TARGET_MODES (FI_MR_RAW | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_RMA_EVENT)
#define PRIMARY \
  (FI_MSG | FI_RMA | FI_TAGGED | FI_ATOMIC | FI_MULTICAST | FI_READ | FI_WRITE | FI_SEND | FI_COLLECTIVE | FI_NAMED_RX_CTX | FI_HMEM \
    | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_RECV | FI_DIRECTED_RECV | DOMAIN_PRIMARY)
#define SECONDARY \
  (FI_TRIGGER | FI_FENCE | FI_RMA_PMEM | FI_MULTI_RECV | FI_SOURCE | FI_RMA_EVENT | FI_SOURCE_ERR | FI_SHARED_AV | DOMAIN_SECONDARY)
#if FI_MAJOR_VERSION > 1
#define DOMAIN_PRIMARY (FI_AV_USER_ID | FI_PEER)
#define OLD_CAPS 0
#define DOMAIN_SECONDARY (FI_LOCAL_COMM | FI_REMOTE_COMM)
#else
#define DOMAIN_PRIMARY (FI_LOCAL_COMM | FI_REMOTE_COMM | FI_VARIABLE_MSG)
#define OLD_CAPS FI_VARIABLE_MSG
#define DOMAIN_SECONDARY 0
#endif
#define MSG_DIRECTIONS (FI_SEND | FI_RECV)
#define RMA_DIRECTIONS (FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE)
#define TX_IGNORED \
  (FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_MULTI_RECV | FI_SOURCE | FI_SOURCE_ERR | FI_DIRECTED_RECV | FI_RMA_EVENT | OLD_CAPS)
#define RX_IGNORED (FI_READ | FI_WRITE | FI_SEND | FI_FENCE | FI_MULTICAST | FI_NAMED_RX_CTX)
#define OLD_MODES (MR_BASIC | MR_SCALABLE)

/* Like ofi_rma_target_allowed. */
static bool may_be_target(uint64_t caps) {
  if (!(caps & (FI_RMA | FI_ATOMIC))) {
    return false;
  }
  return !(caps & RMA_DIRECTIONS) || (caps & (FI_REMOTE_READ | FI_REMOTE_WRITE));
}

/* Like ofi_cap_mr_mode: the target modes are needed only for remote accesses. */
static int needed_modes(uint64_t caps, int modes) {
  if (!(caps & FI_HMEM)) {
    modes &= ~FI_MR_HMEM;
  }
  if (!may_be_target(caps)) {
    if (!(modes & (FI_MR_LOCAL | FI_MR_HMEM))) {
      return 0;
    }
    modes &= ~TARGET_MODES;
  }
  return modes & ~OLD_MODES;
}

/* Like ofi_check_mr_mode. Hints without a mode fit, but their answer permits no remote access; see granted_caps. */
static bool modes_fit(int offered, const struct fi_info *hints) {
  int granted = hints->domain_attr->mr_mode;
  if ((offered & FI_MR_LOCAL) && !((hints->mode & LOCAL_MR) || (granted & FI_MR_LOCAL))) {
    return false;
  }
  if (granted & MR_BASIC) {
    return !(granted & ~MR_BASIC) && (offered & MR_BASIC);
  }
  if (granted & MR_SCALABLE) {
    return !(granted & ~MR_SCALABLE) && (offered & MR_SCALABLE);
  }
  int needed = needed_modes(hints->caps, offered);
  return granted == 0 || (granted & needed) == needed;
}

static int level(int wanted, const int *order, int length) {
  for (int i = 0; i < length; i++) {
    if (order[i] == wanted) {
      return i;
    }
  }
  return -1;
}

/* Like ofi_thread_level. Models that libfabric 2 removed have the rank of 1.x. */
static int threading(int wanted) {
  static const int order[] = {FI_THREAD_SAFE, FI_THREAD_FID, FI_THREAD_ENDPOINT, FI_THREAD_COMPLETION, FI_THREAD_DOMAIN, FI_THREAD_UNSPEC};
  return level(wanted, order, 6);
}

static int progress(int wanted) {
  static const int order[] = {FI_PROGRESS_AUTO, FI_PROGRESS_MANUAL, FI_PROGRESS_UNSPEC};
  return level(wanted, order, 3);
}

static int resources(int wanted) {
  static const int order[] = {FI_RM_ENABLED, FI_RM_DISABLED, FI_RM_UNSPEC};
  return level(wanted, order, 3);
}

/* Like ofi_check_domain_attr. */
static bool domain_fits(const struct fi_domain_attr *offered, const struct fi_info *hints) {
  const struct fi_domain_attr *wanted = hints->domain_attr;
  return threading(wanted->threading) >= threading(offered->threading)
    && progress(wanted->control_progress) >= progress(offered->control_progress)
    && progress(wanted->data_progress) >= progress(offered->data_progress)
    && resources(wanted->resource_mgmt) >= resources(offered->resource_mgmt)
    && (!offered->av_type || !wanted->av_type || offered->av_type == wanted->av_type) && wanted->cq_data_size <= offered->cq_data_size
    && modes_fit(offered->mr_mode, hints) && wanted->cntr_cnt <= offered->cntr_cnt && wanted->mr_iov_limit <= offered->mr_iov_limit
    && !(wanted->caps & ~offered->caps) && (wanted->mode & offered->mode) == offered->mode && wanted->max_err_data <= offered->max_err_data
    && wanted->mr_cnt <= offered->mr_cnt && (!wanted->auth_key_size || wanted->auth_key_size == offered->auth_key_size);
}

/* Like ofi_check_ep_attr. */
static bool endpoint_fits(const struct fi_info *info, const struct fi_info *hints) {
  const struct fi_ep_attr *offered = info->ep_attr, *wanted = hints->ep_attr;
  if (wanted->type && wanted->type != offered->type) {
    return false;
  }
  if (wanted->protocol && wanted->protocol != offered->protocol) {
    return false;
  }
  if (wanted->protocol_version > offered->protocol_version || wanted->max_msg_size > offered->max_msg_size
    || wanted->tx_ctx_cnt > info->domain_attr->max_ep_tx_ctx || wanted->rx_ctx_cnt > info->domain_attr->max_ep_rx_ctx) {
    return false;
  }
  if (hints->caps & (FI_RMA | FI_ATOMIC)) {
    if (wanted->max_order_raw_size > offered->max_order_raw_size || wanted->max_order_war_size > offered->max_order_war_size
      || wanted->max_order_waw_size > offered->max_order_waw_size) {
      return false;
    }
  }
  return !wanted->auth_key_size || wanted->auth_key_size == offered->auth_key_size;
}

/* Like ofi_check_rx_attr. */
static bool receiver_fits(const struct fi_rx_attr *offered, const struct fi_rx_attr *wanted, uint64_t mode) {
  mode = wanted->mode ? wanted->mode : mode;
  return !(wanted->caps & ~RX_IGNORED & ~offered->caps) && (mode & offered->mode) == offered->mode
    && !(wanted->op_flags & ~offered->op_flags) && !(wanted->msg_order & ~offered->msg_order) && !wanted->comp_order
    && !wanted->total_buffered_recv && wanted->size <= offered->size && wanted->iov_limit <= offered->iov_limit;
}

/* Like ofi_check_tx_attr. */
static bool sender_fits(const struct fi_tx_attr *offered, const struct fi_tx_attr *wanted, uint64_t mode) {
  mode = wanted->mode ? wanted->mode : mode;
  return !(wanted->caps & ~TX_IGNORED & ~offered->caps) && (mode & offered->mode) == offered->mode
    && !(wanted->op_flags & ~offered->op_flags) && !(wanted->msg_order & ~offered->msg_order) && !wanted->comp_order
    && wanted->inject_size <= offered->inject_size && wanted->size <= offered->size && wanted->iov_limit <= offered->iov_limit
    && wanted->rma_iov_limit <= offered->rma_iov_limit;
}

/* Like ofi_check_info. Returns 0 or -FI_ENODATA. */
int info_check(const struct fi_info *info, uint32_t version, const struct fi_info *hints) {
  if (!hints) {
    return 0;
  }
  if (FI_VERSION_LT(version, FI_VERSION(1, 5))) {
    return -FI_ENODATA;
  }
  const struct fi_fabric_attr *fabric = hints->fabric_attr;
  bool fits = !(hints->caps & ~info->caps) && (hints->mode & info->mode) == info->mode
    && (!hints->addr_format || hints->addr_format == info->addr_format)
    && (!fabric || !fabric->prov_name || strcasestr(fabric->prov_name, personality.name))
    && (!fabric || !fabric->name || !strcmp(fabric->name, info->fabric_attr->name))
    && (!hints->domain_attr || !hints->domain_attr->name || !strcmp(hints->domain_attr->name, info->domain_attr->name))
    && (!hints->domain_attr || domain_fits(info->domain_attr, hints)) && (!hints->ep_attr || endpoint_fits(info, hints))
    && (!hints->rx_attr || receiver_fits(info->rx_attr, hints->rx_attr, hints->mode))
    && (!hints->tx_attr || sender_fits(info->tx_attr, hints->tx_attr, hints->mode));
  return fits ? 0 : -FI_ENODATA;
}

/* Like ofi_get_caps. */
static uint64_t caps_of(uint64_t info, uint64_t hints, uint64_t attr) {
  uint64_t caps;
  if (!hints) {
    caps = (info & attr & PRIMARY) | (attr & SECONDARY);
  } else {
    caps = (hints & PRIMARY) | (attr & SECONDARY);
#if FI_MAJOR_VERSION > 1
    caps = (caps & ~FI_SOURCE) | (hints & FI_SOURCE);
#endif
  }
  if ((caps & (FI_MSG | FI_TAGGED)) && !(caps & MSG_DIRECTIONS)) {
    caps |= attr & MSG_DIRECTIONS;
  }
  if ((caps & (FI_RMA | FI_ATOMIC)) && !(caps & RMA_DIRECTIONS)) {
    caps |= attr & RMA_DIRECTIONS;
  }
  return caps;
}

/* Like ofi_get_info_caps: hints without all modes of a target get an answer without the remote rights. */
static uint64_t granted_caps(const struct fi_info *info, const struct fi_info *hints) {
  uint64_t caps = caps_of(info->caps, hints->caps, info->caps);
  int offered = info->domain_attr->mr_mode & TARGET_MODES;
  if (!may_be_target(caps) || !offered) {
    return caps;
  }
  int granted = hints->domain_attr ? hints->domain_attr->mr_mode : 0;
  if (hints->domain_attr && (granted == MR_BASIC || (granted & offered) == offered)) {
    return caps;
  }
  return caps & ~(FI_REMOTE_READ | FI_REMOTE_WRITE);
}

/* Like ofi_alter_info. */
void info_alter(struct fi_info *info, const struct fi_info *hints, uint32_t version) {
  (void)version;
  if (!hints) {
    info->domain_attr->mr_mode &= ~OLD_MODES;
    return;
  }
  info->caps = granted_caps(info, hints);
  info->handle = hints->handle;
  struct fi_domain_attr *domain = info->domain_attr;
  int granted = hints->domain_attr ? hints->domain_attr->mr_mode : 0;
  if (granted & OLD_MODES) {
    if (domain->mr_mode & FI_MR_LOCAL) {
      info->mode |= LOCAL_MR;
    }
    domain->mr_mode = granted;
  } else {
    domain->mr_mode &= ~OLD_MODES;
    if (hints->domain_attr && (granted & domain->mr_mode) != domain->mr_mode) {
      domain->mr_mode = needed_modes(info->caps, domain->mr_mode & granted);
    }
  }
  domain->caps = caps_of(info->caps, hints->domain_attr ? hints->domain_attr->caps : 0, domain->caps);
  if (hints->domain_attr) {
    domain->threading = hints->domain_attr->threading ? hints->domain_attr->threading : domain->threading;
    domain->av_type = hints->domain_attr->av_type ? hints->domain_attr->av_type : domain->av_type;
    domain->control_progress = hints->domain_attr->control_progress ? hints->domain_attr->control_progress : domain->control_progress;
    domain->data_progress = hints->domain_attr->data_progress ? hints->domain_attr->data_progress : domain->data_progress;
  }
  if (hints->ep_attr) {
    struct fi_ep_attr *ep = info->ep_attr;
    const struct fi_ep_attr *wanted = hints->ep_attr;
    if (info->caps & (FI_RMA | FI_ATOMIC)) {
      ep->max_order_raw_size = wanted->max_order_raw_size ? wanted->max_order_raw_size : ep->max_order_raw_size;
      ep->max_order_war_size = wanted->max_order_war_size ? wanted->max_order_war_size : ep->max_order_war_size;
      ep->max_order_waw_size = wanted->max_order_waw_size ? wanted->max_order_waw_size : ep->max_order_waw_size;
    }
    ep->tx_ctx_cnt = wanted->tx_ctx_cnt ? wanted->tx_ctx_cnt : ep->tx_ctx_cnt;
    ep->rx_ctx_cnt = wanted->rx_ctx_cnt ? wanted->rx_ctx_cnt : ep->rx_ctx_cnt;
  }
  struct fi_tx_attr *tx = info->tx_attr;
  tx->caps = caps_of(info->caps, hints->tx_attr ? hints->tx_attr->caps : 0, tx->caps);
  if (hints->tx_attr) {
    tx->op_flags = hints->tx_attr->op_flags;
    tx->inject_size = hints->tx_attr->inject_size ? hints->tx_attr->inject_size : tx->inject_size;
    tx->size = hints->tx_attr->size ? hints->tx_attr->size : tx->size;
    tx->iov_limit = hints->tx_attr->iov_limit ? hints->tx_attr->iov_limit : tx->iov_limit;
    tx->rma_iov_limit = hints->tx_attr->rma_iov_limit ? hints->tx_attr->rma_iov_limit : tx->rma_iov_limit;
  }
  struct fi_rx_attr *rx = info->rx_attr;
  rx->caps = caps_of(info->caps, hints->rx_attr ? hints->rx_attr->caps : 0, rx->caps);
  if (hints->rx_attr) {
    rx->op_flags = hints->rx_attr->op_flags;
    rx->size = hints->rx_attr->size ? hints->rx_attr->size : rx->size;
    rx->iov_limit = hints->rx_attr->iov_limit ? hints->rx_attr->iov_limit : rx->iov_limit;
  }
}

/* Returns the number of regions that the device registers, which a test may reduce. */
int regions_most(void) {
  const char *fewer = getenv("VERTX_RDMA_FI_REGIONS");
  return fewer ? atoi(fewer) : personality.regions;
}

/* Copies a struct and adds zeros, because a newer libfabric may read more members. */
static void *duplicate(const void *from, size_t size) {
  void *to = calloc(1, size + 256);
  if (from) {
    memcpy(to, from, size);
  }
  return to;
}

/* A struct fid_nic and the structs that it points to. */
struct adapter {
  struct fid_nic nic;
  struct fi_device_attr device;
  struct fi_bus_attr bus;
  struct fi_link_attr link;
};

static struct fid_nic *adapter_open(void);

/* Called by fi_freeinfo(3) to free a fid_nic. */
static int adapter_close(struct fid *fid) {
  struct adapter *adapter = CONTAINER(fid, struct adapter, nic.fid);
  free(adapter->device.name);
  free(adapter);
  return 0;
}

/* Called by fi_dupinfo(3) to copy a fid_nic. */
static int adapter_control(struct fid *fid, int command, void *copy) {
  (void)fid;
  if (command != FI_DUP) {
    return -FI_ENOSYS;
  }
  *(struct fid_nic **)copy = adapter_open();
  return 0;
}

static struct fi_ops adapter_ops = {.size = sizeof(struct fi_ops), .close = adapter_close, .control = adapter_control};

/* Returns a fid_nic; NULL if the provider has none. */
static struct fid_nic *adapter_open(void) {
  if (!personality.adapter) {
    return NULL;
  }
  struct adapter *adapter = duplicate(NULL, sizeof *adapter);
  adapter->device.name = strdup(personality.adapter);
  adapter->nic = (struct fid_nic){
    .fid = {.fclass = FI_CLASS_NIC, .ops = &adapter_ops},
    .device_attr = &adapter->device,
    .bus_attr = &adapter->bus,
    .link_attr = &adapter->link,
  };
  return &adapter->nic;
}

/* Copies an fi_info so that fi_freeinfo(3) can free the copy. */
struct fi_info *info_copy(const struct fi_info *info) {
  struct fi_info *copy = duplicate(info, sizeof *info);
  copy->next = NULL;
  copy->tx_attr = duplicate(info->tx_attr, sizeof *info->tx_attr);
  copy->rx_attr = duplicate(info->rx_attr, sizeof *info->rx_attr);
  copy->ep_attr = duplicate(info->ep_attr, sizeof *info->ep_attr);
  copy->domain_attr = duplicate(info->domain_attr, sizeof *info->domain_attr);
  copy->fabric_attr = duplicate(info->fabric_attr, sizeof *info->fabric_attr);
  copy->domain_attr->name = strdup(info->domain_attr->name);
  copy->fabric_attr->name = strdup(info->fabric_attr->name);
  copy->src_addr = calloc(1, FI_STANDIN_ADDRESS);
  copy->src_addrlen = personality.address_size;
  personality.address(copy->src_addr, 0);
  copy->nic = adapter_open();
  return copy;
}

static void info_free(struct fi_info *info) {
  free(info->tx_attr);
  free(info->rx_attr);
  free(info->ep_attr);
  free(info->domain_attr->name);
  free(info->domain_attr);
  free(info->fabric_attr->name);
  free(info->fabric_attr);
  free(info->src_addr);
  if (info->nic) {
    adapter_close(&info->nic->fid);
  }
  free(info);
}

int info_get(uint32_t version, const char *node, const char *service, uint64_t flags, const struct fi_info *hints, struct fi_info **info) {
  (void)service;
  /* A node must be the address of an adapter, not an IP address: efa_user_info.c, cxip_info.c. */
  if (node && (flags & FI_SOURCE)) {
    return -FI_ENODATA;
  }
  struct fi_info **last = info;
  *last = NULL;
  for (const struct fi_info *const *offered = personality.infos; *offered; offered++) {
    if (info_check(*offered, version, hints)) {
      continue;
    }
    struct fi_info *copy = info_copy(*offered);
    if (personality.alter(copy, hints)) {
      info_free(copy);
      continue;
    }
    info_alter(copy, hints, version);
    if (hints && hints->dest_addr) {
      copy->dest_addr = duplicate(hints->dest_addr, hints->dest_addrlen);
      copy->dest_addrlen = hints->dest_addrlen;
    }
    *last = copy;
    last = &copy->next;
    if (hints && personality.first_only) {
      break;
    }
  }
  return *info ? 0 : -FI_ENODATA;
}
