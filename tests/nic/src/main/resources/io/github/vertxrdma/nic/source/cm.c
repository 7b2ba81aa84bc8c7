/* librdmacm: addresses, requests and answers between ids; rdma_cm(7). Its messages are those of InfiniBand's communication manager (IBA 12). */
#define _GNU_SOURCE
#include "nic.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state { IDLE, BOUND, LISTENING, RESOLVED, ROUTED, REQUESTED, ANSWERING, CONFIRMING, ACCEPTED, CONNECTED, DISCONNECTED };

struct channel {
  struct rdma_event_channel ibv;
  struct nic_events events;
};

struct id {
  struct rdma_cm_id ibv;
  enum state state;
  uint32_t handle;
  /* The peer's id: 0 if there is none. */
  uint32_t peer;
  struct nic_device *device;
  char port_name[80];
  bool claimed, reuse;
  uint32_t own_qp, peer_qp, own_psn, peer_psn;
  int own_reads, peer_reads, retries, rnr_retries, timeout;
  bool peer_srq;
  int unacknowledged;
  struct id *next;
};

/* An event as it waits: the public one first. */
struct event {
  struct rdma_cm_event ibv;
  uint8_t data[256];
  struct id *counted;
};

static struct id *ids;
static uint32_t last_handle;

/* ---- bytes of private data, with the sizes of the messages; rdma_connect(3), rdma_accept(3), IBA 12.6 ---- */

enum { REQUEST_DATA = 56, ANSWER_DATA = 196, REJECT_DATA = 148, IWARP_DATA = 255 };

static int most(const struct id *id, int size) { return id->device && id->device->is.iwarp ? IWARP_DATA : size; }

static struct event *make(struct id *about, enum rdma_cm_event_type type, int status) {
  struct event *event = calloc(1, sizeof *event);
  event->ibv.id = &about->ibv;
  event->ibv.event = type;
  event->ibv.status = status;
  return event;
}

static void put(struct id *about, struct event *event) {
  event->counted = about;
  nic_events_add(&((struct channel *)about->ibv.channel)->events, about, event->ibv.event, event);
}

static void tell(struct id *about, enum rdma_cm_event_type type, int status) { put(about, make(about, type, status)); }

/* InfiniBand's messages have a fixed size, so what was sent comes with zeros behind it; iWARP's length is exact (RFC 5044, 7.1). */
static void carry(struct event *event, const struct id *to, const void *data, int length, int size) {
  if (length > 0) {
    memcpy(event->data, data, length);
  }
  event->ibv.param.conn.private_data = event->data;
  event->ibv.param.conn.private_data_len = to->device->is.iwarp ? length : size;
  if (event->ibv.param.conn.private_data_len == 0) {
    event->ibv.param.conn.private_data = NULL;
  }
}

static struct id *find(uint32_t handle) {
  struct id *id = ids;
  while (id && id->handle != handle) {
    id = id->next;
  }
  return handle ? id : NULL;
}

static struct id *peer_of(struct id *id) { return find(id->peer); }

static int fail(int error) {
  errno = error;
  return error ? -1 : 0;
}

/* ---- channels and events ---- */

struct rdma_event_channel *rdma_create_event_channel(void) {
  struct channel *channel = calloc(1, sizeof *channel);
  int error = nic_events_open(&channel->events);
  if (error) {
    free(channel);
    errno = error;
    return NULL;
  }
  channel->ibv.fd = channel->events.fd;
  nic_lock();
  nic_hold();
  nic_unlock();
  return &channel->ibv;
}

void rdma_destroy_event_channel(struct rdma_event_channel *ibv) {
  struct channel *channel = (struct channel *)ibv;
  nic_lock();
  nic_events_close(&channel->events);
  nic_unlock();
  nic_release();
  free(channel);
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event) {
  struct nic_event taken;
  if (!nic_events_take(&((struct channel *)channel)->events, &taken)) {
    return -1;
  }
  struct event *given = taken.body;
  nic_lock();
  given->counted->unacknowledged++;
  nic_unlock();
  *event = &given->ibv;
  return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *ibv) {
  struct event *event = (struct event *)ibv;
  nic_lock();
  event->counted->unacknowledged--;
  pthread_cond_broadcast(&nic_acknowledged);
  nic_unlock();
  free(event);
  return 0;
}

/* ---- addresses ---- */

static bool is_any(const struct sockaddr *address) {
  static const struct in6_addr any = IN6ADDR_ANY_INIT;
  return address->sa_family == AF_INET ? ((struct sockaddr_in *)address)->sin_addr.s_addr == 0
                                       : memcmp(&((struct sockaddr_in6 *)address)->sin6_addr, &any, sizeof any) == 0;
}

static bool same_host(const struct sockaddr *a, const struct sockaddr *b) {
  return a->sa_family == b->sa_family &&
    (a->sa_family == AF_INET ? ((struct sockaddr_in *)a)->sin_addr.s_addr == ((struct sockaddr_in *)b)->sin_addr.s_addr
                             : memcmp(&((struct sockaddr_in6 *)a)->sin6_addr, &((struct sockaddr_in6 *)b)->sin6_addr, 16) == 0);
}

/* sin_port and sin6_port are at the same place. */
static __be16 *port(struct sockaddr *address) { return &((struct sockaddr_in *)address)->sin_port; }

static size_t size_of(const struct sockaddr *address) {
  return address->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

static bool is_local(const struct sockaddr *address) {
  struct sockaddr_storage all[NIC_ADDRESSES];
  unsigned int interfaces[NIC_ADDRESSES];
  int count = nic_addresses(all, interfaces, NIC_ADDRESSES);
  for (int i = 0; i < count; i++) {
    if (same_host(address, (struct sockaddr *)&all[i])) {
      return true;
    }
  }
  return false;
}

static bool first_local(int family, struct sockaddr *into) {
  struct sockaddr_storage all[NIC_ADDRESSES];
  unsigned int interfaces[NIC_ADDRESSES];
  int count = nic_addresses(all, interfaces, NIC_ADDRESSES);
  for (int i = 0; i < count; i++) {
    if (all[i].ss_family == family) {
      memcpy(into, &all[i], size_of((struct sockaddr *)&all[i]));
      return true;
    }
  }
  return false;
}

static void use_device(struct id *id, struct nic_device *device) {
  if (!device->cm_context) {
    device->cm_context = nic_open(device, false);
  }
  id->device = device;
  id->ibv.verbs = device->cm_context;
  id->ibv.port_num = NIC_PORT;
}

static void name_port(struct id *id) {
  const uint8_t *bytes = id->ibv.route.addr.src_addr.sa_family == AF_INET ? (uint8_t *)&id->ibv.route.addr.src_sin.sin_addr
                                                                          : (uint8_t *)&id->ibv.route.addr.src_sin6.sin6_addr;
  int count = id->ibv.route.addr.src_addr.sa_family == AF_INET ? 4 : 16, at = 0;
  for (int i = 0; i < count; i++) {
    at += snprintf(id->port_name + at, sizeof id->port_name - at, "%02x", bytes[i]);
  }
  snprintf(id->port_name + at, sizeof id->port_name - at, "-%u", ntohs(*port(&id->ibv.route.addr.src_addr)));
}

/* Takes the port, or a free one of the dynamic range (RFC 6335) for 0. */
static int claim(struct id *id) {
  bool chosen = *port(&id->ibv.route.addr.src_addr) == 0;
  static unsigned int next;
  int error = EADDRINUSE;
  if (next == 0) {
    next = nic_process() * 131;
  }
  for (int tries = 0; tries < (chosen ? 16384 : 1) && error; tries++) {
    if (chosen) {
      *port(&id->ibv.route.addr.src_addr) = htons(49152 + next++ % 16384);
    }
    name_port(id);
    error = nic_claim_port(id->port_name);
  }
  id->claimed = !error;
  return error;
}

static int bind_to(struct id *id, const struct sockaddr *address) {
  if (address->sa_family != AF_INET && address->sa_family != AF_INET6) {
    return EAFNOSUPPORT;
  }
  if (!is_any(address) && !is_local(address)) {
    return EADDRNOTAVAIL;
  }
  memcpy(&id->ibv.route.addr.src_storage, address, size_of(address));
  int error = claim(id);
  if (error) {
    return error;
  }
  if (!is_any(address)) {
    nic_find_devices();
    if (!nic_devices) {
      return ENODEV;
    }
    use_device(id, nic_devices);
  }
  id->state = BOUND;
  return 0;
}

/* ---- ids ---- */

static struct id *add(struct rdma_event_channel *channel, void *context, enum rdma_port_space space) {
  struct id *id = calloc(1, sizeof *id);
  id->ibv.channel = channel;
  id->ibv.context = context;
  id->ibv.ps = space;
  id->ibv.qp_type = IBV_QPT_RC;
  id->handle = ++last_handle;
  id->own_psn = last_handle * 2654435761u & 0xffffff;
  id->timeout = 18;
  id->next = ids;
  ids = id;
  return id;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **into, void *context, enum rdma_port_space space) {
  if (space != RDMA_PS_TCP) {
    return fail(EPROTONOSUPPORT);
  }
  nic_lock();
  *into = &add(channel, context, space)->ibv;
  nic_unlock();
  return 0;
}

static void disconnected(struct id *id) {
  if (id->state == CONNECTED || id->state == ACCEPTED || id->state == CONFIRMING) {
    id->state = DISCONNECTED;
    struct nic_qp *qp = id->device->is.iwarp ? nic_find_qp(id->own_qp) : NULL;
    if (qp) {
      nic_set_state(qp, IBV_QPS_ERR);
    }
    tell(id, RDMA_CM_EVENT_DISCONNECTED, 0);
  }
}

/* An iWARP connection ends with either of its queue pairs. */
static void broke(struct nic_qp *qp) {
  for (struct id *id = ids; id; id = id->next) {
    if (id->own_qp == qp->ibv.qp_num && id->state == CONNECTED) {
      struct id *peer = peer_of(id);
      disconnected(id);
      if (peer) {
        disconnected(peer);
      }
      return;
    }
  }
}

__attribute__((constructor)) static void listen_to_queue_pairs(void) { nic_broke = broke; }

/* Reasons of enum ib_cm_rej_reason and of iWARP's errno; IBA 12.6.7.2. */
enum { REJECT_TIMEOUT = 4, REJECT_NO_LISTENER = 8, REJECT_CONSUMER = 28 };

static void rejected(struct id *id, int reason, const void *data, int length) {
  if (!id || (id->state != REQUESTED && id->state != ANSWERING && id->state != ACCEPTED)) {
    return;
  }
  bool iwarp = id->device->is.iwarp;
  int status = !iwarp ? reason : reason == REJECT_TIMEOUT ? -ETIMEDOUT : -ECONNREFUSED;
  struct event *event = make(id, RDMA_CM_EVENT_REJECTED, status);
  if (iwarp && reason == REJECT_CONSUMER) {
    event->ibv.status = -ECONNRESET;
  }
  carry(event, id, data, length, reason == REJECT_CONSUMER ? REJECT_DATA : 0);
  id->state = ROUTED;
  id->peer = 0;
  put(id, event);
}

/* ---- faults, for tests ---- */

/* An event of rdma_get_cm_event(3) that takes the place of what a step would have led to, once. */
static struct {
  bool planned;
  enum rdma_cm_event_type event;
  int status;
} fault;

/*
 * The next connect ends with an event: ADDR_ERROR instead of its address, ROUTE_ERROR instead of its route, one of the others instead of its
 * answer. CONNECT_REQUEST stands for a request that is lost on its way.
 */
int nic_fail_connect(int event, int status) {
  nic_lock();
  fault.planned = true;
  fault.event = event;
  fault.status = status;
  nic_unlock();
  return 0;
}

/* Whether the fault is of this step of an id; then the id has been told. */
static bool fails(struct id *id, enum rdma_cm_event_type resolved) {
  bool here = fault.planned &&
    (fault.event == RDMA_CM_EVENT_ADDR_ERROR    ? resolved == RDMA_CM_EVENT_ADDR_RESOLVED
       : fault.event == RDMA_CM_EVENT_ROUTE_ERROR ? resolved == RDMA_CM_EVENT_ROUTE_RESOLVED
                                                  : resolved == RDMA_CM_EVENT_ESTABLISHED);
  if (here) {
    fault.planned = false;
    if (fault.event != RDMA_CM_EVENT_CONNECT_REQUEST) {
      tell(id, fault.event, fault.status);
    }
  }
  return here;
}

/* Raises an event where the connection of a queue pair is. */
int nic_raise_cm(uint32_t qp_number, int event) {
  int found = ENOENT;
  nic_lock();
  for (struct id *id = ids; id; id = id->next) {
    if (id->own_qp == qp_number && id->state == CONNECTED) {
      tell(id, event, 0);
      found = 0;
    }
  }
  nic_unlock();
  return found;
}

/* What an id says to its peer when it goes. */
static void leave(struct id *id) {
  struct id *peer = peer_of(id);
  switch (id->state) {
    case REQUESTED:
      rejected(peer, REJECT_TIMEOUT, NULL, 0);
      break;
    case ANSWERING:
      rejected(peer, REJECT_CONSUMER, NULL, 0);
      break;
    case CONFIRMING:
    case ACCEPTED:
    case CONNECTED:
      if (peer) {
        disconnected(peer);
      }
      break;
    default:
      break;
  }
  if (id->claimed) {
    nic_release_port(id->port_name);
  }
}

static void drop(struct id *id);

/* A request that nobody read goes with its listener. */
static void drop_unread(void *body) {
  struct event *event = body;
  if (event->ibv.event == RDMA_CM_EVENT_CONNECT_REQUEST) {
    drop((struct id *)event->ibv.id);
  }
}

static void drop(struct id *id) {
  struct id **at = &ids;
  leave(id);
  while (*at != id) {
    at = &(*at)->next;
  }
  *at = id->next;
  nic_events_forget(&((struct channel *)id->ibv.channel)->events, id, drop_unread);
  while (id->unacknowledged) {
    pthread_cond_wait(&nic_acknowledged, &nic_mutex);
  }
  free(id);
}

int rdma_destroy_id(struct rdma_cm_id *id) {
  nic_lock();
  drop((struct id *)id);
  nic_unlock();
  return 0;
}

static void move(struct nic_events *from, struct nic_events *to, void *about) {
  struct nic_events rest = {from->fd, NULL, NULL};
  struct nic_event *event = from->first, *next;
  from->first = from->last = NULL;
  for (; event; event = next) {
    struct nic_event **end = event->about == about ? NULL : rest.last ? &rest.last->next : &rest.first;
    next = event->next;
    event->next = NULL;
    if (end) {
      *end = event;
      rest.last = event;
    } else {
      nic_events_add(to, about, event->type, event->body);
      event->about = from;
      *(rest.last ? &rest.last->next : &rest.first) = event;
      rest.last = event;
      event->body = NULL;
    }
  }
  from->first = rest.first;
  from->last = rest.last;
  nic_events_forget(from, from, NULL);
}

int rdma_migrate_id(struct rdma_cm_id *ibv, struct rdma_event_channel *channel) {
  struct id *id = (struct id *)ibv;
  nic_lock();
  if (ibv->channel != channel) {
    move(&((struct channel *)ibv->channel)->events, &((struct channel *)channel)->events, id);
    ibv->channel = channel;
  }
  nic_unlock();
  return 0;
}

int rdma_set_option(struct rdma_cm_id *ibv, int level, int name, void *value, size_t length) {
  struct id *id = (struct id *)ibv;
  if (level != RDMA_OPTION_ID || length < 1) {
    return fail(ENOSYS);
  }
  nic_lock();
  if (name == RDMA_OPTION_ID_ACK_TIMEOUT) {
    id->timeout = *(uint8_t *)value & 31;
  }
  nic_unlock();
  return 0;
}

int rdma_bind_addr(struct rdma_cm_id *ibv, struct sockaddr *address) {
  struct id *id = (struct id *)ibv;
  nic_lock();
  int error = id->state != IDLE ? EINVAL : bind_to(id, address);
  nic_unlock();
  return fail(error);
}

int rdma_listen(struct rdma_cm_id *ibv, int backlog) {
  struct id *id = (struct id *)ibv;
  (void)backlog;
  nic_lock();
  int error = id->state == BOUND ? 0 : EINVAL;
  if (!error) {
    id->state = LISTENING;
  }
  nic_unlock();
  return fail(error);
}

int rdma_resolve_addr(struct rdma_cm_id *ibv, struct sockaddr *source, struct sockaddr *destination, int timeout) {
  struct id *id = (struct id *)ibv;
  struct sockaddr_storage chosen = {0};
  (void)timeout;
  nic_lock();
  int error = id->state != IDLE && id->state != BOUND ? EINVAL : 0;
  if (!error && id->state == IDLE) {
    if (!source && first_local(destination->sa_family, (struct sockaddr *)&chosen)) {
      source = (struct sockaddr *)&chosen;
    }
    error = source ? bind_to(id, source) : ENETUNREACH;
  }
  if (!error) {
    memcpy(&ibv->route.addr.dst_storage, destination, size_of(destination));
    if (fails(id, RDMA_CM_EVENT_ADDR_RESOLVED)) {
      id->state = BOUND;
    } else if (is_local(destination) && id->device) {
      id->state = RESOLVED;
      tell(id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
    } else {
      tell(id, RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
    }
  }
  nic_unlock();
  return fail(error);
}

int rdma_resolve_route(struct rdma_cm_id *ibv, int timeout) {
  struct id *id = (struct id *)ibv;
  (void)timeout;
  nic_lock();
  int error = id->state == RESOLVED ? 0 : EINVAL;
  if (!error && !fails(id, RDMA_CM_EVENT_ROUTE_RESOLVED)) {
    id->state = ROUTED;
    tell(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
  }
  nic_unlock();
  return fail(error);
}

/* ---- requests and answers ---- */

static struct id *listener(const struct id *from) {
  struct sockaddr *destination = (struct sockaddr *)&from->ibv.route.addr.dst_addr;
  for (struct id *id = ids; id; id = id->next) {
    struct sockaddr *address = &id->ibv.route.addr.src_addr;
    if (id->state == LISTENING && *port(address) == *port(destination) && (is_any(address) || same_host(address, destination))) {
      return id;
    }
  }
  return NULL;
}

static int clamp_reads(const struct id *id, int wanted) { return wanted < id->device->is.max_reads ? wanted : id->device->is.max_reads; }

static void take_param(struct id *id, const struct rdma_conn_param *param) {
  id->own_reads = clamp_reads(id, param ? param->responder_resources : 0);
  id->peer_reads = clamp_reads(id, param ? param->initiator_depth : 0);
  id->own_qp = id->ibv.qp ? id->ibv.qp->qp_num : param ? param->qp_num : 0;
}

/* A peer sees the other's view: what one answers the other may have in flight. */
static void give_param(struct event *event, const struct id *from, const struct rdma_conn_param *param) {
  event->ibv.param.conn.responder_resources = from->peer_reads;
  event->ibv.param.conn.initiator_depth = from->own_reads;
  if (param) {
    event->ibv.param.conn.flow_control = param->flow_control;
    event->ibv.param.conn.retry_count = param->retry_count;
    event->ibv.param.conn.rnr_retry_count = param->rnr_retry_count;
  }
  event->ibv.param.conn.srq = from->ibv.qp ? from->ibv.qp->srq != NULL : param && param->srq;
  event->ibv.param.conn.qp_num = from->own_qp;
}

static void request(struct id *from, struct id *to, const struct rdma_conn_param *param) {
  struct id *made = add(to->ibv.channel, to->ibv.context, to->ibv.ps);
  memcpy(&made->ibv.route.addr.src_storage, &from->ibv.route.addr.dst_storage, sizeof(struct sockaddr_storage));
  memcpy(&made->ibv.route.addr.dst_storage, &from->ibv.route.addr.src_storage, sizeof(struct sockaddr_storage));
  use_device(made, to->device ? to->device : from->device);
  made->state = ANSWERING;
  made->peer = from->handle;
  made->peer_qp = from->own_qp;
  made->peer_psn = from->own_psn;
  made->retries = param ? param->retry_count : 7;
  made->rnr_retries = param ? param->rnr_retry_count : 7;
  from->peer = made->handle;
  struct event *event = make(made, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
  event->ibv.listen_id = &to->ibv;
  give_param(event, from, param);
  carry(event, made, param ? param->private_data : NULL, param ? param->private_data_len : 0, REQUEST_DATA);
  /* Of the listener, so that it goes with it while nobody has read it. */
  event->counted = to;
  nic_events_add(&((struct channel *)to->ibv.channel)->events, to, RDMA_CM_EVENT_CONNECT_REQUEST, event);
}

int rdma_connect(struct rdma_cm_id *ibv, struct rdma_conn_param *param) {
  struct id *id = (struct id *)ibv;
  nic_lock();
  int error = id->state != ROUTED || (param && param->private_data_len > most(id, REQUEST_DATA)) ? EINVAL : 0;
  if (!error && !fails(id, RDMA_CM_EVENT_ESTABLISHED)) {
    take_param(id, param);
    id->retries = param ? param->retry_count : 7;
    id->rnr_retries = param ? param->rnr_retry_count : 7;
    id->state = REQUESTED;
    struct id *to = listener(id);
    if (to) {
      request(id, to, param);
    } else {
      rejected(id, REJECT_NO_LISTENER, NULL, 0);
    }
  }
  nic_unlock();
  return fail(error);
}

static void move_qp(struct id *id, enum ibv_qp_state state);

/* A queue pair of rdma_create_qp(3) is moved by this library, one of iWARP by the device. */
static void ready(struct id *id) {
  if (id->ibv.qp || id->device->is.iwarp) {
    move_qp(id, IBV_QPS_RTR);
    move_qp(id, IBV_QPS_RTS);
  }
}

static void confirmed(struct id *id) {
  if (id && id->state == ACCEPTED) {
    id->state = CONNECTED;
    tell(id, RDMA_CM_EVENT_ESTABLISHED, 0);
  }
}

int rdma_accept(struct rdma_cm_id *ibv, struct rdma_conn_param *param) {
  struct id *id = (struct id *)ibv;
  nic_lock();
  struct id *peer = peer_of(id);
  int error = id->state != ANSWERING || !peer || (param && param->private_data_len > most(id, ANSWER_DATA)) ? EINVAL : 0;
  if (!error) {
    take_param(id, param);
    peer->peer_qp = id->own_qp;
    peer->peer_psn = id->own_psn;
    id->state = ACCEPTED;
    ready(id);
    bool asks = !peer->ibv.qp && !peer->device->is.iwarp;
    struct event *event = make(peer, asks ? RDMA_CM_EVENT_CONNECT_RESPONSE : RDMA_CM_EVENT_ESTABLISHED, 0);
    give_param(event, id, param);
    carry(event, peer, param ? param->private_data : NULL, param ? param->private_data_len : 0, ANSWER_DATA);
    peer->state = asks ? CONFIRMING : CONNECTED;
    ready(peer);
    put(peer, event);
    if (!asks) {
      confirmed(id);
    }
  }
  nic_unlock();
  return fail(error);
}

int rdma_establish(struct rdma_cm_id *ibv) {
  struct id *id = (struct id *)ibv;
  nic_lock();
  int error = id->state == CONFIRMING ? 0 : EINVAL;
  if (!error) {
    id->state = CONNECTED;
    confirmed(peer_of(id));
  }
  nic_unlock();
  return fail(error);
}

/* A first message came before the confirmation: rdma_notify(3). */
int rdma_notify(struct rdma_cm_id *ibv, enum ibv_event_type event) {
  struct id *id = (struct id *)ibv;
  nic_lock();
  if (event == IBV_EVENT_COMM_EST) {
    confirmed(id);
  }
  nic_unlock();
  return 0;
}

int rdma_reject(struct rdma_cm_id *ibv, const void *data, uint8_t length) {
  struct id *id = (struct id *)ibv;
  nic_lock();
  int error = id->state != ANSWERING || length > most(id, REJECT_DATA) ? EINVAL : 0;
  if (!error) {
    struct id *peer = peer_of(id);
    id->state = DISCONNECTED;
    rejected(peer, REJECT_CONSUMER, data, length);
  }
  nic_unlock();
  return fail(error);
}

int rdma_disconnect(struct rdma_cm_id *ibv) {
  struct id *id = (struct id *)ibv;
  nic_lock();
  int error = 0;
  if (id->state == CONNECTED || id->state == ACCEPTED || id->state == CONFIRMING) {
    struct id *peer = peer_of(id);
    struct nic_qp *qp = ibv->qp || id->device->is.iwarp ? nic_find_qp(id->own_qp) : NULL;
    if (qp) {
      nic_set_state(qp, IBV_QPS_ERR);
    }
    if (peer) {
      disconnected(peer);
    }
    disconnected(id);
  } else if (id->state != DISCONNECTED) {
    error = EINVAL;
  }
  nic_unlock();
  return fail(error);
}

/* ---- attributes of queue pairs ---- */

static void address_vector(const struct id *id, struct ibv_qp_attr *attr) {
  const struct sockaddr *to = &id->ibv.route.addr.dst_addr;
  attr->ah_attr.is_global = 1;
  attr->ah_attr.port_num = NIC_PORT;
  attr->ah_attr.grh.hop_limit = 64;
  uint8_t *gid = attr->ah_attr.grh.dgid.raw;
  if (to->sa_family == AF_INET) {
    gid[10] = gid[11] = 0xff;
    memcpy(gid + 12, &((struct sockaddr_in *)to)->sin_addr, 4);
  } else {
    memcpy(gid, &((struct sockaddr_in6 *)to)->sin6_addr, 16);
  }
}

static int attributes(const struct id *id, struct ibv_qp_attr *attr, int *mask) {
  switch (attr->qp_state) {
    case IBV_QPS_INIT:
      attr->qp_access_flags = 0;
      attr->pkey_index = 0;
      attr->port_num = NIC_PORT;
      *mask = IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | (id->device->is.iwarp ? 0 : IBV_QP_PKEY_INDEX | IBV_QP_PORT);
      return 0;
    case IBV_QPS_RTR:
      address_vector(id, attr);
      attr->path_mtu = id->device->is.mtu;
      attr->dest_qp_num = id->peer_qp;
      attr->rq_psn = id->peer_psn;
      attr->max_dest_rd_atomic = id->own_reads;
      attr->min_rnr_timer = 0;
      *mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
      return 0;
    case IBV_QPS_RTS:
      attr->sq_psn = id->own_psn;
      attr->timeout = id->timeout;
      attr->retry_cnt = id->retries;
      attr->rnr_retry = id->rnr_retries;
      attr->max_rd_atomic = id->peer_reads;
      *mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
      return 0;
    default:
      return EINVAL;
  }
}

int rdma_init_qp_attr(struct rdma_cm_id *ibv, struct ibv_qp_attr *attr, int *mask) {
  struct id *id = (struct id *)ibv;
  nic_lock();
  int error = id->device ? attributes(id, attr, mask) : EINVAL;
  nic_unlock();
  return fail(error);
}

static void move_qp(struct id *id, enum ibv_qp_state state) {
  struct nic_qp *qp = nic_find_qp(id->own_qp);
  if (qp) {
    struct ibv_qp_attr attr = {.qp_state = state};
    int mask;
    attributes(id, &attr, &mask);
    qp->attr.dest_qp_num = state == IBV_QPS_RTR ? attr.dest_qp_num : qp->attr.dest_qp_num;
    if (state == IBV_QPS_RTR) {
      qp->attr.max_dest_rd_atomic = attr.max_dest_rd_atomic;
    } else {
      qp->attr.max_rd_atomic = attr.max_rd_atomic;
      qp->attr.timeout = attr.timeout;
      qp->attr.retry_cnt = qp->retries_left = attr.retry_cnt;
      qp->attr.rnr_retry = qp->rnr_left = attr.rnr_retry;
    }
    nic_set_state(qp, state);
  }
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *init) {
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = NIC_PORT};
  if (!pd || !id->verbs) {
    return fail(EINVAL);
  }
  attr.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  id->qp = ibv_create_qp(pd, init);
  return id->qp ? fail(ibv_modify_qp(id->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) : -1;
}

void rdma_destroy_qp(struct rdma_cm_id *id) {
  ibv_destroy_qp(id->qp);
  id->qp = NULL;
}

__be16 rdma_get_src_port(struct rdma_cm_id *id) { return *port(&id->route.addr.src_addr); }

__be16 rdma_get_dst_port(struct rdma_cm_id *id) { return *port(&id->route.addr.dst_addr); }

const char *rdma_event_str(enum rdma_cm_event_type type) {
  static const char *const words[] = {"RDMA_CM_EVENT_ADDR_RESOLVED", "RDMA_CM_EVENT_ADDR_ERROR", "RDMA_CM_EVENT_ROUTE_RESOLVED",
    "RDMA_CM_EVENT_ROUTE_ERROR", "RDMA_CM_EVENT_CONNECT_REQUEST", "RDMA_CM_EVENT_CONNECT_RESPONSE", "RDMA_CM_EVENT_CONNECT_ERROR",
    "RDMA_CM_EVENT_UNREACHABLE", "RDMA_CM_EVENT_REJECTED", "RDMA_CM_EVENT_ESTABLISHED", "RDMA_CM_EVENT_DISCONNECTED",
    "RDMA_CM_EVENT_DEVICE_REMOVAL", "RDMA_CM_EVENT_MULTICAST_JOIN", "RDMA_CM_EVENT_MULTICAST_ERROR", "RDMA_CM_EVENT_ADDR_CHANGE",
    "RDMA_CM_EVENT_TIMEWAIT_EXIT"};
  return type < sizeof words / sizeof *words ? words[type] : "unknown";
}
