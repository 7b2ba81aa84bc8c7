/* Devices as programs see them: their list, attributes, ports and addresses. */
#include "nic.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef ibv_query_port
#undef ibv_get_device_list

struct ibv_device **ibv_get_device_list(int *count) {
  nic_lock();
  nic_find_devices();
  int n = 0;
  for (struct nic_device *device = nic_devices; device; device = device->next) {
    n++;
  }
  struct ibv_device **list = calloc(n + 1, sizeof *list);
  n = 0;
  for (struct nic_device *device = nic_devices; device; device = device->next) {
    list[n++] = &device->ibv;
  }
  nic_unlock();
  if (count) {
    *count = n;
  }
  return list;
}

void ibv_free_device_list(struct ibv_device **list) { free(list); }

const char *ibv_get_device_name(struct ibv_device *device) { return device->name; }

int ibv_get_device_index(struct ibv_device *device) {
  (void)device;
  return -1;
}

__be64 ibv_get_device_guid(struct ibv_device *device) {
  __be64 guid = 0;
  memcpy(&guid, device->name, strnlen(device->name, sizeof guid));
  return guid;
}

int ibv_fork_init(void) { return 0; }

enum ibv_fork_status ibv_is_fork_initialized(void) { return IBV_FORK_UNNEEDED; }

static int query_port(struct ibv_context *context, uint8_t number, struct ibv_port_attr *attr, size_t size) {
  struct nic_device *device = nic_device(context);
  if (number != NIC_PORT) {
    return EINVAL;
  }
  struct ibv_port_attr full = {.state = device->port_state,
    .max_mtu = IBV_MTU_4096,
    .active_mtu = device->is.mtu,
    .gid_tbl_len = NIC_ADDRESSES,
    .max_msg_sz = device->is.max_message,
    .pkey_tbl_len = 1,
    .max_vl_num = 1,
    .active_width = 2,
    .active_speed = 32,
    .phys_state = device->port_state == IBV_PORT_ACTIVE ? 5 : 3,
    .link_layer = IBV_LINK_LAYER_ETHERNET};
  memset(attr, 0, size);
  memcpy(attr, &full, size < sizeof full ? size : sizeof full);
  return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t number, struct _compat_ibv_port_attr *attr) {
  /* Programs of older headers have a struct that ends before port_cap_flags2. */
  return query_port(context, number, (struct ibv_port_attr *)attr, offsetof(struct ibv_port_attr, port_cap_flags2));
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr) {
  const struct nic_personality *is = &nic_device(context)->is;
  /* There is no word for answers in network order, so drivers say that there are no atomics: get_atomic_caps of Linux' mlx5_ib. */
  static const enum ibv_atomic_cap atomics[] = {IBV_ATOMIC_NONE, IBV_ATOMIC_HCA, IBV_ATOMIC_GLOB, IBV_ATOMIC_NONE};
  *attr = (struct ibv_device_attr){.node_guid = ibv_get_device_guid(context->device),
    .sys_image_guid = ibv_get_device_guid(context->device),
    .max_mr_size = 1ull << 46,
    .page_size_cap = ~4095ull,
    .vendor_id = is->vendor,
    .max_qp = is->max_qp,
    .max_qp_wr = is->max_qp_wr,
    .device_cap_flags = is->transport == NIC_IWARP ? 0 : IBV_DEVICE_RC_RNR_NAK_GEN,
    .max_sge = is->max_sge,
    .max_sge_rd = is->max_sge,
    .max_cq = 65536,
    .max_cqe = is->max_cqe,
    .max_mr = is->max_mr,
    .max_pd = 1024,
    .max_qp_rd_atom = is->max_reads,
    .max_res_rd_atom = is->max_reads * is->max_qp,
    .max_qp_init_rd_atom = is->max_reads,
    .atomic_cap = atomics[is->atomics],
    .max_srq = is->max_srq,
    .max_srq_wr = is->max_srq_wr,
    .max_srq_sge = is->max_sge,
    .max_pkeys = 1,
    .local_ca_ack_delay = 4,
    .phys_port_cnt = 1};
  strcpy(attr->fw_ver, "0.1.0");
  return 0;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey) {
  (void)context;
  if (port != NIC_PORT || index != 0) {
    errno = EINVAL;
    return -1;
  }
  *pkey = 0xffff;
  return 0;
}

int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey) {
  (void)context;
  return port == NIC_PORT && pkey == 0xffff ? 0 : -1;
}

/* The GIDs of RoCE v2 are addresses, those of IPv4 mapped into IPv6; IBA A17.4.5.1. iWARP has one of its own name. */
static int gids(struct nic_device *device, struct ibv_gid_entry *into) {
  memset(into, 0, NIC_ADDRESSES * sizeof *into);
  if (nic_is_iwarp(device)) {
    memcpy(into->gid.raw, "\2nic", 4);
    into->port_num = NIC_PORT;
    return 1;
  }
  struct sockaddr_storage addresses[NIC_ADDRESSES];
  unsigned int interfaces[NIC_ADDRESSES];
  int count = nic_addresses(addresses, interfaces, NIC_ADDRESSES);
  for (int i = 0; i < count; i++) {
    into[i].gid_index = i;
    into[i].port_num = NIC_PORT;
    into[i].gid_type = IBV_GID_TYPE_ROCE_V2;
    into[i].ndev_ifindex = interfaces[i];
    if (addresses[i].ss_family == AF_INET) {
      into[i].gid.raw[10] = into[i].gid.raw[11] = 0xff;
      memcpy(into[i].gid.raw + 12, (char *)&addresses[i] + 4, 4);
    } else {
      memcpy(into[i].gid.raw, (char *)&addresses[i] + 8, 16);
    }
  }
  return count;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t most, uint32_t flags, size_t entry_size) {
  struct ibv_gid_entry table[NIC_ADDRESSES];
  int count = gids(nic_device(context), table);
  if (flags || entry_size < sizeof *table) {
    return -EINVAL;
  }
  for (int i = 0; i < count && (size_t)i < most; i++) {
    memcpy((char *)entries + i * entry_size, &table[i], sizeof table[i]);
  }
  return (size_t)count < most ? count : (ssize_t)most;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
  size_t entry_size) {
  struct ibv_gid_entry table[NIC_ADDRESSES];
  int count = gids(nic_device(context), table);
  if (flags || entry_size < sizeof *entry || port != NIC_PORT || index >= (uint32_t)count) {
    return EINVAL;
  }
  *entry = table[index];
  return 0;
}

/* The numbers are of libibverbs' files for drivers: 1 is RoCE v2, 0 any other. Declared in no header that is installed. */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type) {
  struct ibv_gid_entry entry;
  int error = _ibv_query_gid_ex(context, port, index, &entry, 0, sizeof entry);
  *type = !error && entry.gid_type == IBV_GID_TYPE_ROCE_V2;
  errno = error;
  return error ? -1 : 0;
}

/* Reads a file of a device without its line end; returns its length, or -1 if it cannot be read. Declared in no header that is installed. */
int ibv_read_sysfs_file(const char *folder, const char *name, char *into, size_t size) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "re");
  if (!file) {
    return -1;
  }
  size_t length = fread(into, 1, size - 1, file);
  fclose(file);
  length -= length > 0 && into[length - 1] == '\n';
  into[length] = 0;
  return length;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid) {
  struct ibv_gid_entry table[NIC_ADDRESSES];
  int count = gids(nic_device(context), table);
  if (port != NIC_PORT || index < 0 || index >= NIC_ADDRESSES) {
    errno = EINVAL;
    return -1;
  }
  memset(gid, 0, sizeof *gid);
  if (index < count) {
    *gid = table[index].gid;
  }
  return 0;
}

struct ibv_context *nic_open(struct nic_device *device, bool async) {
  struct nic_context *context = calloc(1, sizeof *context);
  context->device = device;
  context->async.fd = -1;
  if (async && (errno = nic_events_open(&context->async)) != 0) {
    free(context);
    return NULL;
  }
  struct ibv_context *ibv = &context->verbs.context;
  context->verbs.sz = sizeof context->verbs;
  context->verbs.query_port = query_port;
  ibv->device = &device->ibv;
  ibv->abi_compat = __VERBS_ABI_IS_EXTENDED;
  ibv->cmd_fd = -1;
  ibv->async_fd = context->async.fd;
  ibv->num_comp_vectors = 1;
  pthread_mutex_init(&ibv->mutex, NULL);
  ibv->ops.poll_cq = nic_poll_cq;
  ibv->ops.req_notify_cq = nic_req_notify_cq;
  ibv->ops.post_send = nic_post_send;
  ibv->ops.post_recv = nic_post_recv;
  ibv->ops.post_srq_recv = nic_post_srq_recv;
  context->next = device->contexts;
  device->contexts = context;
  return ibv;
}

struct ibv_context *ibv_open_device(struct ibv_device *device) {
  nic_lock();
  struct ibv_context *context = nic_open((struct nic_device *)device, true);
  if (context) {
    nic_hold();
  }
  nic_unlock();
  return context;
}

int ibv_close_device(struct ibv_context *ibv) {
  struct nic_context *context = nic_context(ibv);
  nic_lock();
  struct nic_context **at = &context->device->contexts;
  while (*at != context) {
    at = &(*at)->next;
  }
  *at = context->next;
  nic_events_close(&context->async);
  nic_unlock();
  nic_release();
  free(context);
  return 0;
}
