/* The objects of libibverbs and their calls, under rdma-core's names; each follows its manual page. */
#include "nic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port
#undef ibv_get_device_list

pthread_mutex_t nic_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t nic_acknowledged = PTHREAD_COND_INITIALIZER;

/* ---- events ---- */

int nic_events_open(struct nic_events *events) {
  events->first = events->last = NULL;
  events->fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
  return events->fd < 0 ? errno : 0;
}

void nic_events_close(struct nic_events *events) {
  for (struct nic_event *event = events->first, *next; event; event = next) {
    next = event->next;
    free(event->body);
    free(event);
  }
  events->first = events->last = NULL;
  if (events->fd >= 0) {
    close(events->fd);
  }
}

void nic_events_add(struct nic_events *events, void *about, int type, void *body) {
  if (events->fd < 0) {
    free(body);
    return;
  }
  struct nic_event *event = malloc(sizeof *event);
  *event = (struct nic_event){NULL, about, type, body};
  if (events->last) {
    events->last->next = event;
  } else {
    events->first = event;
  }
  events->last = event;
  eventfd_write(events->fd, 1);
}

/* Waits for an event as read(2) of the fd does: not at all where that is non-blocking. False with errno if there is none. */
bool nic_events_take(struct nic_events *events, struct nic_event *taken) {
  for (;;) {
    eventfd_t one;
    if (eventfd_read(events->fd, &one) != 0) {
      return false;
    }
    nic_lock();
    struct nic_event *event = events->first;
    if (event) {
      *taken = *event;
      events->first = event->next;
      if (!events->first) {
        events->last = NULL;
      }
    }
    nic_unlock();
    if (event) {
      free(event);
      return true;
    }
  }
}

/* Takes back what was not read of an object that goes away. */
void nic_events_forget(struct nic_events *events, void *about, void (*body)(void *)) {
  struct nic_event **at = &events->first;
  struct nic_event *last = NULL;
  int flags = events->fd < 0 ? 0 : fcntl(events->fd, F_GETFL);
  while (*at) {
    struct nic_event *event = *at;
    if (event->about == about) {
      *at = event->next;
      fcntl(events->fd, F_SETFL, flags | O_NONBLOCK);
      eventfd_t one;
      eventfd_read(events->fd, &one);
      fcntl(events->fd, F_SETFL, flags);
      if (body) {
        body(event->body);
      }
      free(event->body);
      free(event);
    } else {
      last = event;
      at = &event->next;
    }
  }
  events->last = last;
}

void nic_async(struct ibv_context *context, enum ibv_event_type type, void *element) {
  nic_events_add(&nic_context(context)->async, element, type, NULL);
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event) {
  struct nic_event taken;
  if (!nic_events_take(&nic_context(context)->async, &taken)) {
    return -1;
  }
  event->event_type = taken.type;
  switch (taken.type) {
    case IBV_EVENT_PORT_ACTIVE:
    case IBV_EVENT_PORT_ERR:
    case IBV_EVENT_LID_CHANGE:
    case IBV_EVENT_PKEY_CHANGE:
    case IBV_EVENT_GID_CHANGE:
    case IBV_EVENT_SM_CHANGE:
    case IBV_EVENT_CLIENT_REREGISTER:
    case IBV_EVENT_DEVICE_FATAL:
      event->element.port_num = NIC_PORT;
      break;
    default:
      event->element.qp = taken.about;
  }
  return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event) {
  nic_lock();
  switch (event->event_type) {
    case IBV_EVENT_CQ_ERR:
      event->element.cq->async_events_completed++;
      break;
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_SRQ_LIMIT_REACHED:
      event->element.srq->events_completed++;
      break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED:
      event->element.qp->events_completed++;
      break;
    default:
      break;
  }
  pthread_cond_broadcast(&nic_acknowledged);
  nic_unlock();
}

/* ---- devices ---- */

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
  *attr = (struct ibv_device_attr){.node_guid = ibv_get_device_guid(context->device),
    .sys_image_guid = ibv_get_device_guid(context->device),
    .max_mr_size = 1ull << 46,
    .page_size_cap = ~4095ull,
    .vendor_id = is->vendor,
    .max_qp = is->max_qp,
    .max_qp_wr = is->max_qp_wr,
    .device_cap_flags = is->iwarp ? 0 : IBV_DEVICE_RC_RNR_NAK_GEN,
    .max_sge = is->max_sge,
    .max_sge_rd = is->max_sge,
    .max_cq = 65536,
    .max_cqe = is->max_cqe,
    .max_mr = is->max_mr,
    .max_pd = 1024,
    .max_qp_rd_atom = is->max_reads,
    .max_res_rd_atom = is->max_reads * is->max_qp,
    .max_qp_init_rd_atom = is->max_reads,
    .atomic_cap = is->atomics ? IBV_ATOMIC_HCA : IBV_ATOMIC_NONE,
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
  if (device->is.iwarp) {
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

/* ---- protection domains and memory regions ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
  struct ibv_pd *pd = calloc(1, sizeof *pd);
  pd->context = context;
  return pd;
}

/* handle counts what is in it: ibv_alloc_pd(3) has EBUSY while there is something. */
int ibv_dealloc_pd(struct ibv_pd *pd) {
  nic_lock();
  bool busy = pd->handle != 0;
  nic_unlock();
  if (busy) {
    return EBUSY;
  }
  free(pd);
  return 0;
}

static struct nic_mr **mrs;
static uint8_t *generations;
static uint32_t mr_room, mr_next;

struct nic_mr *nic_find_mr(uint32_t key) {
  uint32_t index = key >> NIC_KEY_BITS;
  return index < mr_room && mrs[index] && mrs[index]->ibv.lkey == key ? mrs[index] : NULL;
}

/* A key is an index with a generation, so that a key that was revoked names nothing for long. */
static bool assign_key(struct nic_mr *mr) {
  for (uint32_t tries = 0; tries < mr_room; tries++) {
    uint32_t index = mr_next++ % mr_room;
    if (!mrs[index]) {
      mrs[index] = mr;
      mr->ibv.lkey = mr->ibv.rkey = index << NIC_KEY_BITS | ++generations[index];
      return true;
    }
  }
  uint32_t room = mr_room ? 2 * mr_room : 1024;
  if (room > 1u << (32 - NIC_KEY_BITS)) {
    return false;
  }
  mrs = realloc(mrs, room * sizeof *mrs);
  generations = realloc(generations, room);
  memset(mrs + mr_room, 0, (room - mr_room) * sizeof *mrs);
  memset(generations + mr_room, 0, room - mr_room);
  mr_next = mr_room ? mr_room : 1;
  mr_room = room;
  return assign_key(mr);
}

/* Whether the pages could be pinned: all mapped, and writable if the device is to write. */
static int pinnable(char *address, size_t length, unsigned int access) {
  enum { PAGE = 4096, STEP = 65536 };
  unsigned char resident[STEP];
  char *first = (char *)((uintptr_t)address & ~(uintptr_t)(PAGE - 1));
  char *end = (char *)(((uintptr_t)address + length + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
  for (char *at = first; at < end; at += (size_t)STEP * PAGE) {
    size_t bytes = (size_t)(end - at) < (size_t)STEP * PAGE ? (size_t)(end - at) : (size_t)STEP * PAGE;
    if (mincore(at, bytes, resident) != 0) {
      return EFAULT;
    }
  }
#ifdef MADV_POPULATE_WRITE
  int advice = access & (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
  if ((madvise(first, PAGE, advice) != 0 || madvise(end - PAGE, PAGE, advice) != 0) && errno != EINVAL) {
    return EFAULT;
  }
#endif
  return 0;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned int access) {
  struct nic_device *device = nic_device(pd->context);
  /* Remote writes and atomics need local write: ibv_reg_mr(3). */
  if ((access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) && !(access & IBV_ACCESS_LOCAL_WRITE)) {
    errno = EINVAL;
    return NULL;
  }
  if ((errno = pinnable(address, length, access)) != 0) {
    return NULL;
  }
  struct nic_mr *mr = calloc(1, sizeof *mr);
  mr->ibv.context = pd->context;
  mr->ibv.pd = pd;
  mr->ibv.addr = address;
  mr->ibv.length = length;
  mr->access = access & 0xff;
  mr->iova = iova;
  nic_lock();
  bool fits = device->mrs < device->is.max_mr && !(device->is.memlock && device->pinned + length > device->is.memlock) && assign_key(mr);
  if (fits) {
    device->mrs++;
    device->pinned += length;
    pd->handle++;
  }
  nic_unlock();
  if (!fits) {
    free(mr);
    errno = ENOMEM;
    return NULL;
  }
  return &mr->ibv;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access) {
  return ibv_reg_mr_iova2(pd, address, length, (uintptr_t)address, access);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access) {
  return ibv_reg_mr_iova2(pd, address, length, iova, access);
}

int ibv_rereg_mr(struct ibv_mr *ibv, int flags, struct ibv_pd *pd, void *address, size_t length, int access) {
  struct nic_mr *mr = (struct nic_mr *)ibv;
  (void)address;
  (void)length;
  if (!nic_device(ibv->context)->is.rereg || (flags & IBV_REREG_MR_CHANGE_TRANSLATION)) {
    errno = EOPNOTSUPP;
    return IBV_REREG_MR_ERR_INPUT;
  }
  nic_lock();
  if (flags & IBV_REREG_MR_CHANGE_ACCESS) {
    mr->access = access;
  }
  if (flags & IBV_REREG_MR_CHANGE_PD) {
    ibv->pd->handle--;
    ibv->pd = pd;
    pd->handle++;
  }
  /* The keys change with it, as those of mlx5 do. */
  mrs[ibv->lkey >> NIC_KEY_BITS] = NULL;
  assign_key(mr);
  nic_unlock();
  return 0;
}

int ibv_dereg_mr(struct ibv_mr *ibv) {
  struct nic_mr *mr = (struct nic_mr *)ibv;
  nic_lock();
  mrs[ibv->lkey >> NIC_KEY_BITS] = NULL;
  nic_device(ibv->context)->mrs--;
  nic_device(ibv->context)->pinned -= ibv->length;
  ibv->pd->handle--;
  nic_unlock();
  free(mr);
  return 0;
}

/* ---- completion channels and queues ---- */

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) {
  struct nic_channel *channel = calloc(1, sizeof *channel);
  int error = nic_events_open(&channel->events);
  if (error) {
    free(channel);
    errno = error;
    return NULL;
  }
  channel->ibv.context = context;
  channel->ibv.fd = channel->events.fd;
  return &channel->ibv;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *ibv) {
  struct nic_channel *channel = (struct nic_channel *)ibv;
  if (ibv->refcnt) {
    return EBUSY;
  }
  nic_events_close(&channel->events);
  free(channel);
  return 0;
}

static int set_capacity(struct nic_cq *cq, int entries) {
  uint32_t size = 1;
  while (size < (uint32_t)entries) {
    size *= 2;
  }
  struct nic_cqe *ring = calloc(size, sizeof *ring);
  if (!ring) {
    return ENOMEM;
  }
  for (uint64_t at = cq->head; at != cq->tail; at++) {
    ring[at & (size - 1)] = cq->ring[at & cq->mask];
  }
  free(cq->ring);
  cq->ring = ring;
  cq->mask = size - 1;
  cq->capacity = entries;
  cq->ibv.cqe = entries;
  return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *user, struct ibv_comp_channel *channel, int vector) {
  struct nic_device *device = nic_device(context);
  if (entries < 1 || entries > device->is.max_cqe || vector < 0 || vector >= context->num_comp_vectors) {
    errno = EINVAL;
    return NULL;
  }
  struct nic_cq *cq = calloc(1, sizeof *cq);
  if (set_capacity(cq, entries) != 0) {
    free(cq);
    errno = ENOMEM;
    return NULL;
  }
  cq->ibv.context = context;
  cq->ibv.channel = channel;
  cq->ibv.cq_context = user;
  nic_lock();
  if (channel) {
    channel->refcnt++;
  }
  nic_unlock();
  return &cq->ibv;
}

int ibv_resize_cq(struct ibv_cq *ibv, int entries) {
  struct nic_cq *cq = (struct nic_cq *)ibv;
  nic_lock();
  int error = entries < 1 || entries > nic_device(ibv->context)->is.max_cqe || (uint64_t)entries < cq->tail - cq->head
    ? EINVAL : set_capacity(cq, entries);
  nic_unlock();
  return error;
}

/* Waits until every event that was read is acknowledged: ibv_ack_cq_events(3). */
int ibv_destroy_cq(struct ibv_cq *ibv) {
  struct nic_cq *cq = (struct nic_cq *)ibv;
  nic_lock();
  if (cq->users) {
    nic_unlock();
    return EBUSY;
  }
  if (ibv->channel) {
    struct nic_events *events = &((struct nic_channel *)ibv->channel)->events;
    for (struct nic_event *event = events->first; event; event = event->next) {
      cq->events_given -= event->about == cq;
    }
    nic_events_forget(events, cq, NULL);
    ibv->channel->refcnt--;
  }
  struct nic_events *async = &nic_context(ibv->context)->async;
  for (struct nic_event *event = async->first; event; event = event->next) {
    cq->async_given -= event->about == cq;
  }
  nic_events_forget(async, cq, NULL);
  while (ibv->comp_events_completed != cq->events_given || ibv->async_events_completed != cq->async_given) {
    pthread_cond_wait(&nic_acknowledged, &nic_mutex);
  }
  nic_unlock();
  free(cq->ring);
  free(cq);
  return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **user) {
  struct nic_event taken;
  if (!nic_events_take(&((struct nic_channel *)channel)->events, &taken)) {
    return -1;
  }
  *cq = taken.about;
  *user = (*cq)->cq_context;
  return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count) {
  nic_lock();
  cq->comp_events_completed += count;
  pthread_cond_broadcast(&nic_acknowledged);
  nic_unlock();
}

/* ---- shared receive queues ---- */

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init) {
  struct nic_device *device = nic_device(pd->context);
  const struct nic_personality *is = &device->is;
  if (is->max_srq == 0) {
    errno = EOPNOTSUPP;
    return NULL;
  }
  if (init->attr.max_wr < 1 || init->attr.max_wr > (uint32_t)is->max_srq_wr || init->attr.max_sge > (uint32_t)is->max_sge) {
    errno = EINVAL;
    return NULL;
  }
  struct nic_srq *srq = calloc(1, sizeof *srq);
  nic_lock();
  bool fits = device->srqs < is->max_srq;
  if (fits) {
    device->srqs++;
    pd->handle++;
  }
  nic_unlock();
  if (!fits || nic_receives_open(&srq->receives, init->attr.max_wr, init->attr.max_sge) != 0) {
    free(srq);
    errno = ENOMEM;
    return NULL;
  }
  srq->ibv.context = pd->context;
  srq->ibv.srq_context = init->srq_context;
  srq->ibv.pd = pd;
  return &srq->ibv;
}

int ibv_modify_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attr, int mask) {
  struct nic_srq *srq = (struct nic_srq *)ibv;
  if (mask & IBV_SRQ_MAX_WR) {
    return EOPNOTSUPP;
  }
  nic_lock();
  if (mask & IBV_SRQ_LIMIT) {
    srq->limit = attr->srq_limit;
  }
  nic_unlock();
  return 0;
}

int ibv_query_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attr) {
  struct nic_srq *srq = (struct nic_srq *)ibv;
  *attr = (struct ibv_srq_attr){srq->receives.capacity, srq->receives.elements, srq->limit};
  return 0;
}

int ibv_destroy_srq(struct ibv_srq *ibv) {
  struct nic_srq *srq = (struct nic_srq *)ibv;
  nic_lock();
  if (srq->users) {
    nic_unlock();
    return EBUSY;
  }
  struct nic_events *async = &nic_context(ibv->context)->async;
  for (struct nic_event *event = async->first; event; event = event->next) {
    srq->async_given -= event->about == srq;
  }
  nic_events_forget(async, srq, NULL);
  while (ibv->events_completed != srq->async_given) {
    pthread_cond_wait(&nic_acknowledged, &nic_mutex);
  }
  nic_device(ibv->context)->srqs--;
  ibv->pd->handle--;
  nic_unlock();
  free(srq->receives.ring);
  free(srq);
  return 0;
}

/* ---- queue pairs ---- */

static struct nic_qp *qps[NIC_QPS];
static uint32_t qp_next;

/* Numbers are of the host: the process above, the queue pair below, and none soon again. */
static bool assign_number(struct nic_qp *qp) {
  for (int tries = 0; tries < NIC_QPS; tries++) {
    uint32_t index = qp_next++ % NIC_QPS;
    if (!qps[index]) {
      qps[index] = qp;
      qp->ibv.qp_num = nic_process() << NIC_QP_BITS | index;
      return true;
    }
  }
  return false;
}

struct nic_qp *nic_find_qp(uint32_t number) {
  struct nic_qp *qp = qps[number % NIC_QPS];
  return qp && qp->ibv.qp_num == number ? qp : NULL;
}

static int refused(const struct nic_personality *is, const struct ibv_qp_init_attr *init) {
  const struct ibv_qp_cap *cap = &init->cap;
  if (init->qp_type != IBV_QPT_RC) {
    return EOPNOTSUPP;
  }
  return !init->send_cq || !init->recv_cq || cap->max_send_wr > (uint32_t)is->max_qp_wr || cap->max_recv_wr > (uint32_t)is->max_qp_wr ||
    cap->max_send_sge > (uint32_t)is->max_sge || cap->max_recv_sge > (uint32_t)is->max_sge || cap->max_inline_data > (uint32_t)is->max_inline
    ? EINVAL : 0;
}

static bool allocate(struct nic_qp *qp) {
  struct ibv_qp_cap *cap = &qp->init.cap;
  uint32_t slots = 1;
  while (slots < cap->max_send_wr) {
    slots *= 2;
  }
  size_t sge = cap->max_send_sge ? cap->max_send_sge : 1;
  qp->capacity = cap->max_send_wr;
  qp->mask = slots - 1;
  qp->sends = calloc(slots, sizeof *qp->sends);
  qp->elements = calloc(slots * sge, sizeof *qp->elements);
  qp->copies = malloc(slots * (size_t)cap->max_inline_data + 1);
  if (!qp->sends || !qp->elements || !qp->copies ||
      nic_receives_open(&qp->receives, qp->init.srq ? 0 : cap->max_recv_wr, cap->max_recv_sge) != 0) {
    return false;
  }
  for (uint32_t i = 0; i < slots; i++) {
    qp->sends[i].sge = qp->elements + i * sge;
    qp->sends[i].copy = qp->copies + (size_t)i * cap->max_inline_data;
  }
  return true;
}

static void free_qp(struct nic_qp *qp) {
  free(qp->sends);
  free(qp->elements);
  free(qp->copies);
  free(qp->receives.ring);
  free(qp);
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init) {
  struct nic_device *device = nic_device(pd->context);
  if ((errno = refused(&device->is, init)) != 0) {
    return NULL;
  }
  /* What is given is at least what was asked: ibv_create_qp(3). */
  if (device->is.max_inline && init->cap.max_inline_data < 64) {
    init->cap.max_inline_data = device->is.max_inline < 64 ? device->is.max_inline : 64;
  }
  struct nic_qp *qp = calloc(1, sizeof *qp);
  qp->device = device;
  qp->init = *init;
  bool made = allocate(qp);
  nic_lock();
  made = made && device->qps < device->is.max_qp && assign_number(qp);
  if (made) {
    struct nic_context *context = nic_context(pd->context);
    qp->next_of_context = context->qps;
    context->qps = qp;
    device->qps++;
    pd->handle++;
    ((struct nic_cq *)init->send_cq)->users++;
    ((struct nic_cq *)init->recv_cq)->users++;
    if (init->srq) {
      ((struct nic_srq *)init->srq)->users++;
    }
  }
  nic_unlock();
  if (!made) {
    free_qp(qp);
    errno = ENOMEM;
    return NULL;
  }
  qp->ibv.context = pd->context;
  qp->ibv.qp_context = init->qp_context;
  qp->ibv.pd = pd;
  qp->ibv.send_cq = init->send_cq;
  qp->ibv.recv_cq = init->recv_cq;
  qp->ibv.srq = init->srq;
  qp->ibv.qp_type = init->qp_type;
  qp->ibv.state = IBV_QPS_RESET;
  return &qp->ibv;
}

/* Attributes that a move needs, for reliable connections; ibv_modify_qp(3), IBA table 96. 0 where the move is not one. */
static int required(bool iwarp, enum ibv_qp_state from, enum ibv_qp_state to) {
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) {
    return IBV_QP_STATE;
  }
  if ((from == IBV_QPS_RESET || from == IBV_QPS_INIT) && to == IBV_QPS_INIT) {
    return iwarp || from == IBV_QPS_INIT ? IBV_QP_STATE : IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  }
  if (from == IBV_QPS_INIT && to == IBV_QPS_RTR) {
    return IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  }
  if (from == IBV_QPS_RTR && to == IBV_QPS_RTS) {
    return IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  }
  return from == IBV_QPS_RTS && to == IBV_QPS_RTS ? IBV_QP_STATE : 0;
}

static void take(struct nic_qp *qp, const struct ibv_qp_attr *attr, int mask) {
  struct ibv_qp_attr *to = &qp->attr;
#define TAKE(bit, field) if (mask & (bit)) to->field = attr->field
  TAKE(IBV_QP_ACCESS_FLAGS, qp_access_flags);
  TAKE(IBV_QP_PKEY_INDEX, pkey_index);
  TAKE(IBV_QP_PORT, port_num);
  TAKE(IBV_QP_AV, ah_attr);
  TAKE(IBV_QP_PATH_MTU, path_mtu);
  TAKE(IBV_QP_TIMEOUT, timeout);
  TAKE(IBV_QP_RETRY_CNT, retry_cnt);
  TAKE(IBV_QP_RNR_RETRY, rnr_retry);
  TAKE(IBV_QP_RQ_PSN, rq_psn);
  TAKE(IBV_QP_SQ_PSN, sq_psn);
  TAKE(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
  TAKE(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
  TAKE(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
  TAKE(IBV_QP_DEST_QPN, dest_qp_num);
#undef TAKE
}

static int modify(struct nic_qp *qp, const struct ibv_qp_attr *attr, int mask) {
  const struct nic_personality *is = &qp->device->is;
  if (mask & IBV_QP_STATE) {
    int needed = required(is->iwarp, qp->ibv.state, attr->qp_state);
    if (!needed || (mask & needed) != needed) {
      return EINVAL;
    }
  }
  if (((mask & IBV_QP_MAX_QP_RD_ATOMIC) && attr->max_rd_atomic > is->max_reads) ||
      ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) && attr->max_dest_rd_atomic > is->max_reads) ||
      ((mask & IBV_QP_PORT) && attr->port_num != NIC_PORT) || ((mask & IBV_QP_PKEY_INDEX) && attr->pkey_index != 0) ||
      ((mask & IBV_QP_PATH_MTU) && (attr->path_mtu < IBV_MTU_256 || (int)attr->path_mtu > is->mtu))) {
    return EINVAL;
  }
  take(qp, attr, mask);
  if (mask & IBV_QP_STATE) {
    if (attr->qp_state == IBV_QPS_RESET) {
      nic_stop_waiting(qp);
      qp->head = qp->next = qp->freed = qp->receives.head = qp->receives.tail = 0;
      nic_cq_forget((struct nic_cq *)qp->ibv.send_cq, qp);
    }
    nic_set_state(qp, attr->qp_state);
    qp->retries_left = qp->attr.retry_cnt;
    qp->rnr_left = qp->attr.rnr_retry;
  }
  return 0;
}

int ibv_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask) {
  nic_lock();
  int error = modify((struct nic_qp *)ibv, attr, mask);
  nic_unlock();
  return error;
}

int ibv_query_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
  struct nic_qp *qp = (struct nic_qp *)ibv;
  (void)mask;
  nic_lock();
  *attr = qp->attr;
  attr->qp_state = attr->cur_qp_state = ibv->state;
  attr->cap = qp->init.cap;
  *init = qp->init;
  nic_unlock();
  return 0;
}

int ibv_destroy_qp(struct ibv_qp *ibv) {
  struct nic_qp *qp = (struct nic_qp *)ibv;
  struct nic_context *context = nic_context(ibv->context);
  nic_lock();
  nic_stop_waiting(qp);
  qps[ibv->qp_num % NIC_QPS] = NULL;
  nic_cq_forget((struct nic_cq *)ibv->send_cq, qp);
  if (ibv->recv_cq != ibv->send_cq) {
    nic_cq_forget((struct nic_cq *)ibv->recv_cq, qp);
  }
  struct nic_events *async = &context->async;
  for (struct nic_event *event = async->first; event; event = event->next) {
    qp->async_given -= event->about == qp;
  }
  nic_events_forget(async, qp, NULL);
  while (ibv->events_completed != qp->async_given) {
    pthread_cond_wait(&nic_acknowledged, &nic_mutex);
  }
  struct nic_qp **at = &context->qps;
  while (*at != qp) {
    at = &(*at)->next_of_context;
  }
  *at = qp->next_of_context;
  qp->device->qps--;
  ibv->pd->handle--;
  ((struct nic_cq *)ibv->send_cq)->users--;
  ((struct nic_cq *)ibv->recv_cq)->users--;
  if (ibv->srq) {
    ((struct nic_srq *)ibv->srq)->users--;
  }
  nic_unlock();
  free_qp(qp);
  return 0;
}

/* ---- words ---- */

const char *ibv_wc_status_str(enum ibv_wc_status status) {
  static const char *const words[] = {"success", "local length error", "local QP operation error", "local EE context operation error",
    "local protection error", "Work Request Flushed Error", "memory management operation error", "bad response error", "local access error",
    "remote invalid request error", "remote access error", "remote operation error", "transport retry counter exceeded",
    "RNR retry counter exceeded", "local RDD violation error", "remote invalid RD request", "aborted error", "invalid EE context number",
    "invalid EE context state", "fatal error", "response timeout error", "general error", "TM error", "TM software rendezvous"};
  return status < sizeof words / sizeof *words ? words[status] : "unknown";
}

const char *ibv_node_type_str(enum ibv_node_type type) { return type == IBV_NODE_RNIC ? "iWARP NIC" : "InfiniBand channel adapter"; }

const char *ibv_port_state_str(enum ibv_port_state state) {
  static const char *const words[] = {"no state change (NOP)", "down", "init", "armed", "active", "active defer"};
  return state < sizeof words / sizeof *words ? words[state] : "unknown";
}

const char *ibv_event_type_str(enum ibv_event_type type) {
  static const char *const words[] = {"CQ error", "local work queue catastrophic error", "invalid request local work queue error",
    "local access violation work queue error", "communication established", "send queue drained", "path migrated",
    "path migration request error", "local catastrophic error", "port active", "port error", "LID change", "P_Key change", "SM change",
    "SRQ catastrophic error", "SRQ limit reached", "last WQE reached", "client reregistration", "GID table change", "WQ fatal"};
  return type < sizeof words / sizeof *words ? words[type] : "unknown";
}
