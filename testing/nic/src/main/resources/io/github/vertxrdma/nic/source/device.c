/* Devices as programs see them: their list, attributes, ports and addresses. */
#include "nic.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef ibv_query_port
#undef ibv_get_device_list

static int device_lists;

struct ibv_device **ibv_get_device_list(int *count) {
  nic_lock();
  device_lists++;
  nic_find_devices();
  int n = 0;
  for (struct nic_device *device = nic_devices; device; device = device->next) {
    n += !device->failed;
  }
  struct ibv_device **list = calloc(n + 1, sizeof *list);
  n = 0;
  for (struct nic_device *device = nic_devices; device; device = device->next) {
    if (!device->failed) {
      list[n++] = &device->ibv;
    }
  }
  nic_unlock();
  if (count) {
    *count = n;
  }
  return list;
}

void ibv_free_device_list(struct ibv_device **list) {
  nic_lock();
  device_lists--;
  nic_unlock();
  free(list);
}

/* Returns the number of device lists that this process has not freed. */
int nic_device_lists(void) {
  nic_lock();
  int count = device_lists;
  nic_unlock();
  return count;
}

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
  const struct nic_personality *is = &device->is;
  if (nic_is_dead(context)) {
    return EIO;
  }
  if (number < 1 || number > is->ports) {
    return EINVAL;
  }
  bool infiniband = is->transport == NIC_IB, up = nic_port_is_up(device, number);
  /* Number of lanes and the rate of each, as enum ib_port_width and ib_port_speed of Linux. */
  static const struct {
    uint32_t gigabits;
    uint8_t width, speed;
  } speeds[] = {{10, 1, 4}, {25, 1, 32}, {50, 1, 64}, {100, 2, 32}, {200, 2, 64}, {400, 2, 128}};
  int rate = 0;
  while (rate < 5 && speeds[rate].gigabits < is->speed) {
    rate++;
  }
  struct ibv_port_attr full = {.state = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN,
    .max_mtu = IBV_MTU_4096,
    .active_mtu = device->is.mtu,
    .gid_tbl_len = NIC_GIDS,
    .max_msg_sz = device->is.max_message,
    .pkey_tbl_len = NIC_PKEYS,
    .lid = infiniband ? nic_lid(device, number) : 0,
    .sm_lid = infiniband,
    .max_vl_num = 1,
    .active_width = speeds[rate].width,
    .active_speed = speeds[rate].speed,
    .phys_state = up ? 5 : 3,
    .link_layer = infiniband ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET,
    /* IBV_QPF_GRH_REQUIRED; ibv_query_port(3). Drivers of RoCE set this flag too, because all RoCE packets have a GRH. */
    .flags = is->grh_required || is->transport == NIC_ROCE};
  memset(attr, 0, size);
  memcpy(attr, &full, size < sizeof full ? size : sizeof full);
  return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t number, struct _compat_ibv_port_attr *attr) {
  /* Programs that were compiled with older headers have a struct that ends before port_cap_flags2. */
  return query_port(context, number, (struct ibv_port_attr *)attr, offsetof(struct ibv_port_attr, port_cap_flags2));
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr) {
  const struct nic_personality *is = &nic_device(context)->is;
  /* There is no value for answers in network byte order, so drivers report no atomics: get_atomic_caps of Linux' mlx5_ib. */
  static const enum ibv_atomic_cap atomics[] = {IBV_ATOMIC_NONE, IBV_ATOMIC_HCA, IBV_ATOMIC_GLOB, IBV_ATOMIC_NONE};
  *attr = (struct ibv_device_attr){.node_guid = ibv_get_device_guid(context->device),
    .sys_image_guid = ibv_get_device_guid(context->device),
    .max_mr_size = 1ull << 46,
    .page_size_cap = ~4095ull,
    .vendor_id = is->vendor,
    .vendor_part_id = is->part,
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
    .max_pkeys = NIC_PKEYS,
    .local_ca_ack_delay = 4,
    .phys_port_cnt = is->ports};
  strcpy(attr->fw_ver, "0.1.0");
  return 0;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey) {
  const struct nic_personality *is = &nic_device(context)->is;
  if (port < 1 || port > is->ports || index < 0 || index >= NIC_PKEYS) {
    errno = EINVAL;
    return -1;
  }
  *pkey = htobe16(is->pkeys[index]);
  return 0;
}

int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey) {
  __be16 found;
  for (int index = 0; ibv_query_pkey(context, port, index, &found) == 0; index++) {
    if (found == pkey) {
      return index;
    }
  }
  return -1;
}

/* Returns the index of the first partition of which the port is a full member, otherwise 0; IBA 10.9.1. */
int nic_pkey_index(const struct nic_device *device) {
  for (int index = 0; index < NIC_PKEYS; index++) {
    if (device->is.pkeys[index] > 0x8000) {
      return index;
    }
  }
  return 0;
}

uint16_t nic_lid(const struct nic_device *device, int port) { return device->is.lid + port - 1; }

/* Returns whether this host's address belongs to a network interface of the device. */
bool nic_has_address(const struct nic_device *device, const struct sockaddr *address) {
  const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
  bool four = address->sa_family == AF_INET, link_local = !four && IN6_IS_ADDR_LINKLOCAL(six);
  if (device->failed) {
    return false;
  }
  switch (device->is.addresses) {
    case NIC_NO_ADDRESSES: return false;
    case NIC_IPV4: return four;
    case NIC_IPV6: return !four;
    case NIC_LINK_LOCAL: return link_local;
    default: return true;
  }
}

/* Writes a GID of the port itself, with the prefix of its subnet or the link-local one; IBA 4.1.1. */
static void own_gid(const struct nic_device *device, int port, uint64_t prefix, union ibv_gid *gid) {
  gid->global.subnet_prefix = htobe64(prefix);
  gid->global.interface_id = ibv_get_device_guid((struct ibv_device *)&device->ibv);
  gid->raw[15] ^= port;
}

static struct ibv_gid_entry *add_gid(struct ibv_gid_entry *into, int *count, int port, uint32_t type, unsigned int interface) {
  struct ibv_gid_entry *entry = &into[*count];
  memset(entry, 0, sizeof *entry);
  entry->gid_index = (*count)++;
  entry->port_num = port;
  entry->gid_type = type;
  entry->ndev_ifindex = interface;
  return entry;
}

/* Adds a GID of RoCE, which is an IP address. An IPv4 address is mapped into IPv6; IBA A17.4.5.1. */
static void add_address(struct ibv_gid_entry *into, int *count, int port, uint32_t type, const struct sockaddr_storage *address,
  unsigned int interface) {
  uint8_t *raw = add_gid(into, count, port, type, interface)->gid.raw;
  if (address->ss_family == AF_INET) {
    raw[10] = raw[11] = 0xff;
    memcpy(raw + 12, (char *)address + 4, 4);
  } else {
    memcpy(raw, (char *)address + 8, 16);
  }
}

static const uint64_t LINK_LOCAL_PREFIX = 0xfe80ull << 48;

/*
 * Writes the GID table of a port by index; empty entries are zero. iWARP has one GID with the device's name, InfiniBand one GID of the
 * port. With mixed_gids, a table of RoCE begins with default GIDs of both versions, as in Linux (ib_cache_gid_set_default_gid). It also has
 * entries of other network namespaces, whose interface has the index 0.
 */
int nic_gids(const struct nic_device *device, int port, struct ibv_gid_entry *into) {
  const struct nic_personality *is = &device->is;
  int count = 0;
  if (nic_is_iwarp(device)) {
    memcpy(add_gid(into, &count, port, IBV_GID_TYPE_IB, 0)->gid.raw, "\2nic", 4);
    return count;
  }
  if (is->transport == NIC_IB) {
    own_gid(device, port, is->prefix, &add_gid(into, &count, port, IBV_GID_TYPE_IB, 0)->gid);
    return count;
  }
  if (is->mixed_gids) {
    struct sockaddr_in foreign = {.sin_family = AF_INET, .sin_addr.s_addr = htobe32(0xc6336401 + port)};
    struct sockaddr_storage other = {0};
    memcpy(&other, &foreign, sizeof foreign);
    own_gid(device, port, LINK_LOCAL_PREFIX, &add_gid(into, &count, port, IBV_GID_TYPE_ROCE_V1, 1)->gid);
    own_gid(device, port, LINK_LOCAL_PREFIX, &add_gid(into, &count, port, IBV_GID_TYPE_ROCE_V2, 1)->gid);
    add_gid(into, &count, port, IBV_GID_TYPE_ROCE_V1, 0);
    add_address(into, &count, port, IBV_GID_TYPE_ROCE_V1, &other, 0);
    add_address(into, &count, port, IBV_GID_TYPE_ROCE_V2, &other, 0);
  }
  struct sockaddr_storage addresses[NIC_ADDRESSES];
  unsigned int interfaces[NIC_ADDRESSES];
  int found = port == (int)is->address_port ? nic_addresses(addresses, interfaces, NIC_ADDRESSES) : 0;
  for (int i = 0; i < found; i++) {
    if (nic_has_address(device, (struct sockaddr *)&addresses[i])) {
      if (is->mixed_gids) {
        add_address(into, &count, port, IBV_GID_TYPE_ROCE_V1, &addresses[i], interfaces[i]);
      }
      add_address(into, &count, port, IBV_GID_TYPE_ROCE_V2, &addresses[i], interfaces[i]);
    }
  }
  return count;
}

/* Omits empty entries, as rdma_query_gid_table of Linux does. */
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t most, uint32_t flags, size_t entry_size) {
  static const union ibv_gid empty;
  struct ibv_gid_entry table[NIC_GIDS];
  struct nic_device *device = nic_device(context);
  size_t given = 0;
  if (flags || entry_size < sizeof *table) {
    return -EINVAL;
  }
  for (uint32_t port = 1; port <= device->is.ports; port++) {
    int count = nic_gids(device, port, table);
    for (int i = 0; i < count && given < most; i++) {
      if (memcmp(&table[i].gid, &empty, sizeof empty) != 0) {
        memcpy((char *)entries + given++ * entry_size, &table[i], sizeof table[i]);
      }
    }
  }
  return given;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
  size_t entry_size) {
  struct ibv_gid_entry table[NIC_GIDS];
  if (flags || entry_size < sizeof *entry || port < 1 || port > nic_device(context)->is.ports ||
      index >= (uint32_t)nic_gids(nic_device(context), port, table)) {
    return EINVAL;
  }
  *entry = table[index];
  return 0;
}

/* Returns the GID type of libibverbs' private header for drivers: 1 for RoCE v2, otherwise 0. */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type) {
  struct ibv_gid_entry entry;
  int error = _ibv_query_gid_ex(context, port, index, &entry, 0, sizeof entry);
  *type = !error && entry.gid_type == IBV_GID_TYPE_ROCE_V2;
  errno = error;
  return error ? -1 : 0;
}

/* Reads a file of a device without the line end. Returns the length, or -1 if the file cannot be read. */
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
  struct ibv_gid_entry entry;
  if (port < 1 || port > nic_device(context)->is.ports || index < 0 || index >= NIC_GIDS) {
    errno = EINVAL;
    return -1;
  }
  memset(gid, 0, sizeof *gid);
  if (_ibv_query_gid_ex(context, port, index, &entry, 0, sizeof entry) == 0) {
    *gid = entry.gid;
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
  context->verbs.alloc_td = nic_alloc_td;
  context->verbs.dealloc_td = nic_dealloc_td;
  context->verbs.alloc_parent_domain = nic_alloc_parent_domain;
  ibv->device = &device->ibv;
  ibv->abi_compat = __VERBS_ABI_IS_EXTENDED;
  ibv->cmd_fd = -1;
  ibv->async_fd = context->async.fd;
  ibv->num_comp_vectors = device->is.vectors;
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
  struct ibv_context *context = NULL;
  if (((struct nic_device *)device)->failed) {
    errno = ENODEV;
  } else {
    context = nic_open((struct nic_device *)device, true);
  }
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
