/*
 * Messages between ids of one process or two, like those of InfiniBand's communication manager (IBA 12.6). Within a process a message is
 * delivered synchronously.
 */
#include "cm.h"

#include <errno.h>
#include <string.h>

enum type { REQUEST, REPLY, READY, REJECT, DISCONNECT };

struct message {
  enum type type;
  /* Handles of ids. A request has no target id: the listener at its destination receives it. */
  uint32_t from, to;
  uint32_t qp, psn;
  uint16_t lid;
  bool grh;
  union ibv_gid gid;
  struct ibv_ece ece;
  int own_reads, peer_reads, mtu, reason;
  uint8_t flow_control, retries, rnr_retries, srq;
  struct sockaddr_storage source, destination;
  char device[IBV_SYSFS_NAME_MAX];
  int length;
  uint8_t data[256];
};

static int most(const struct cm_id *id, int size) { return id->device && nic_is_iwarp(id->device) ? IWARP_DATA : size; }

static void hear(uint32_t process, const struct message *message);

/* Sends a message to a process. Returns false if the process does not exist. */
static bool say_to(uint32_t process, const struct message *message) {
  if (process == nic_process()) {
    hear(process, message);
    return true;
  }
  return process && nic_send_cm(process, message, sizeof *message);
}

static void say(const struct cm_id *from, enum type type) {
  struct message message = {.type = type, .from = from->handle, .to = from->peer};
  if (from->peer) {
    say_to(from->process, &message);
  }
}

static void reject(uint32_t process, uint32_t from, uint32_t to, int reason, const void *data, int length) {
  struct message message = {.type = REJECT, .from = from, .to = to, .reason = reason, .length = length};
  if (length) {
    memcpy(message.data, data, length);
  }
  say_to(process, &message);
}

/*
 * Writes the sender's parameters into a request or reply. The peer exchanges the two numbers of reads: the reads that one side answers are
 * those that the other may have in flight.
 */
static void introduce(struct message *message, const struct cm_id *from, const struct rdma_conn_param *param) {
  message->from = from->handle;
  message->to = from->peer;
  message->qp = from->own_qp;
  message->psn = from->own_psn;
  message->own_reads = from->own_reads;
  message->peer_reads = from->peer_reads;
  message->mtu = from->mtu;
  struct ibv_gid_entry gids[NIC_GIDS];
  if (nic_gids(from->device, from->ibv.port_num, gids) > 0) {
    message->gid = gids[0].gid;
  }
  message->lid = nic_lid(from->device, from->ibv.port_num);
  message->grh = from->device->is.grh_required;
  message->ece = from->own_ece;
  message->srq = from->ibv.qp ? from->ibv.qp->srq != NULL : param && param->srq;
  if (param) {
    message->flow_control = param->flow_control;
    message->retries = param->retry_count;
    message->rnr_retries = param->rnr_retry_count;
    message->length = param->private_data_len;
    memcpy(message->data, param->private_data, param->private_data_len);
  }
}

static void put(struct cm_event *event, const struct message *message) {
  event->ibv.param.conn.responder_resources = message->peer_reads;
  event->ibv.param.conn.initiator_depth = message->own_reads;
  event->ibv.param.conn.flow_control = message->flow_control;
  event->ibv.param.conn.retry_count = message->retries;
  event->ibv.param.conn.rnr_retry_count = message->rnr_retries;
  event->ibv.param.conn.srq = message->srq;
  event->ibv.param.conn.qp_num = message->qp;
}

/*
 * Returns the number of reads in flight: the wanted one. Without a parameter, or with RDMA_MAX_INIT_DEPTH, the offered one;
 * rdma_connect(3), rdma_accept(3).
 */
static int reads(const struct cm_id *id, const struct rdma_conn_param *param, int wanted, int offered) {
  int least = !param || wanted == RDMA_MAX_INIT_DEPTH ? offered : wanted;
  return least < id->device->is.max_reads ? least : id->device->is.max_reads;
}

static void take_param(struct cm_id *id, const struct rdma_conn_param *param) {
  id->own_reads = reads(id, param, param ? param->responder_resources : 0, id->own_reads);
  id->peer_reads = reads(id, param, param ? param->initiator_depth : 0, id->peer_reads);
  id->own_qp = id->ibv.qp ? id->ibv.qp->qp_num : param ? param->qp_num : 0;
}

/* ---- received messages ---- */

static void take_port(struct cm_id *id, const struct message *message) {
  id->peer_lid = message->lid;
  id->peer_gid = message->gid;
  id->peer_grh = message->grh;
  id->peer_ece = message->ece;
}

static struct cm_id *listener(const struct sockaddr *destination) {
  for (struct cm_id *id = cm_ids; id; id = id->next) {
    struct sockaddr *address = &id->ibv.route.addr.src_addr;
    if (id->state == LISTENING && *cm_port(address) == *cm_port((struct sockaddr *)destination) &&
        (cm_is_any(address) || cm_same_host(address, destination))) {
      return id;
    }
  }
  return NULL;
}

/*
 * Returns the device for a request. A listener at the wildcard address has none; the device is then the one that the requester used, if
 * this process has it.
 */
static struct nic_device *device_for(const struct cm_id *to, const char *name) {
  nic_find_devices();
  struct nic_device *found = to->device ? to->device : nic_devices;
  for (struct nic_device *device = nic_devices; device && !to->device; device = device->next) {
    if (strcmp(device->ibv.name, name) == 0) {
      found = device;
    }
  }
  return found;
}

static void requested(uint32_t process, const struct message *message) {
  struct cm_id *to = listener((const struct sockaddr *)&message->destination);
  struct nic_device *device = to ? device_for(to, message->device) : NULL;
  if (!device) {
    reject(process, 0, message->from, REJECT_NO_LISTENER, NULL, 0);
    return;
  }
  if (to->unread >= to->backlog) {
    return;
  }
  to->unread++;
  struct cm_id *made = cm_add(to->ibv.channel, to->ibv.context, to->ibv.ps);
  memcpy(&made->ibv.route.addr.src_storage, &message->destination, sizeof message->destination);
  memcpy(&made->ibv.route.addr.dst_storage, &message->source, sizeof message->source);
  cm_use_device(made, device);
  made->state = ANSWERING;
  made->peer = message->from;
  made->process = process;
  made->peer_qp = message->qp;
  made->peer_psn = message->psn;
  take_port(made, message);
  made->own_reads = message->peer_reads;
  made->peer_reads = message->own_reads;
  made->mtu = message->mtu;
  made->retries = message->retries;
  made->rnr_retries = message->rnr_retries;
  struct cm_event *event = cm_make(made, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
  event->ibv.listen_id = &to->ibv;
  put(event, message);
  cm_carry(event, made, message->data, message->length, REQUEST_DATA);
  /* The listener owns the event, so that an unread one is freed with the listener. */
  event->counted = to;
  nic_events_add(&((struct cm_channel *)to->ibv.channel)->events, to, RDMA_CM_EVENT_CONNECT_REQUEST, event);
}

static void confirmed(struct cm_id *id) {
  if (id && id->state == ACCEPTED) {
    id->state = CONNECTED;
    cm_tell(id, RDMA_CM_EVENT_ESTABLISHED, 0);
  }
}

static void replied(struct cm_id *id, const struct message *message) {
  if (id->state != REQUESTED) {
    return;
  }
  id->peer = message->from;
  id->peer_qp = message->qp;
  id->peer_psn = message->psn;
  take_port(id, message);
  bool asks = !id->ibv.qp && !nic_is_iwarp(id->device);
  struct cm_event *event = cm_make(id, asks ? RDMA_CM_EVENT_CONNECT_RESPONSE : RDMA_CM_EVENT_ESTABLISHED, 0);
  put(event, message);
  cm_carry(event, id, message->data, message->length, ANSWER_DATA);
  id->state = asks ? CONFIRMING : CONNECTED;
  cm_ready(id);
  cm_put(id, event);
  if (!asks) {
    say(id, READY);
  }
}

/* On iWARP the reason of a rejection is an errno of the TCP connection; RFC 5044, 7.1.3. */
static void rejected(struct cm_id *id, int reason, const void *data, int length) {
  if (id->state != REQUESTED && id->state != ANSWERING && id->state != ACCEPTED) {
    return;
  }
  int errors[] = {[REJECT_TIMEOUT] = -ETIMEDOUT, [REJECT_NO_LISTENER] = -ECONNREFUSED, [REJECT_CONSUMER] = -ECONNRESET};
  struct cm_event *event = cm_make(id, RDMA_CM_EVENT_REJECTED, nic_is_iwarp(id->device) ? errors[reason] : reason);
  cm_carry(event, id, data, length, reason == REJECT_CONSUMER ? REJECT_DATA : 0);
  id->state = ROUTED;
  id->peer = 0;
  cm_put(id, event);
}

static void disconnected(struct cm_id *id) {
  if (id->state == CONNECTED || id->state == ACCEPTED || id->state == CONFIRMING) {
    id->state = DISCONNECTED;
    struct nic_qp *qp = nic_is_iwarp(id->device) ? nic_find_qp(id->own_qp) : NULL;
    if (qp) {
      nic_set_state(qp, IBV_QPS_ERR);
    }
    cm_tell(id, RDMA_CM_EVENT_DISCONNECTED, 0);
  }
}

/* Returns the target id of a message. A peer that has received no answer yet knows only its own handle. */
static struct cm_id *addressed(uint32_t process, const struct message *message) {
  for (struct cm_id *id = cm_ids; id; id = id->next) {
    if (id->process == process && (message->to ? id->handle == message->to : id->peer == message->from)) {
      return id;
    }
  }
  return NULL;
}

static void hear(uint32_t process, const struct message *message) {
  if (message->type == REQUEST) {
    requested(process, message);
    return;
  }
  struct cm_id *id = addressed(process, message);
  /* An id that has received no answer yet accepts messages of the process that it connects to. */
  if (!id || (id->peer && id->peer != message->from)) {
    return;
  }
  switch (message->type) {
    case REPLY: replied(id, message); break;
    case READY: confirmed(id); break;
    case REJECT: rejected(id, message->reason, message->data, message->length); break;
    default: disconnected(id);
  }
}

static void heard(uint32_t process, const void *bytes, size_t length) {
  if (length == sizeof(struct message)) {
    hear(process, bytes);
  }
}

/* When a process ends, its kernel sends the remaining messages: ucma_close(), cm_destroy_id() of Linux. */
static void gone(uint32_t process) {
  for (struct cm_id *id = cm_ids; id; id = id->next) {
    if (id->process == process) {
      rejected(id, id->state == REQUESTED ? REJECT_CONSUMER : REJECT_TIMEOUT, NULL, 0);
      disconnected(id);
    }
  }
}

/* Ends an iWARP connection when either of its queue pairs breaks. */
static void broke(struct nic_qp *qp) {
  for (struct cm_id *id = cm_ids; id; id = id->next) {
    if (id->own_qp == qp->ibv.qp_num && id->state == CONNECTED) {
      disconnected(id);
      say(id, DISCONNECT);
      return;
    }
  }
}

__attribute__((constructor)) static void listen_to_device(void) {
  nic_broke = broke;
  nic_cm_heard = heard;
  nic_cm_gone = gone;
}

/* ---- sent messages ---- */

/* Sends the last message of an id before it is destroyed. */
void cm_leave(struct cm_id *id) {
  switch (id->state) {
    case REQUESTED:
      reject(id->process, id->handle, id->peer, REJECT_TIMEOUT, NULL, 0);
      break;
    case ANSWERING:
      reject(id->process, id->handle, id->peer, REJECT_CONSUMER, NULL, 0);
      break;
    case CONFIRMING:
    case ACCEPTED:
    case CONNECTED:
      say(id, DISCONNECT);
      break;
    default:
      break;
  }
  if (id->claimed) {
    nic_release_port(id->port_name);
  }
}

int rdma_connect(struct rdma_cm_id *ibv, struct rdma_conn_param *param) {
  struct cm_id *id = (struct cm_id *)ibv;
  nic_lock();
  int error = id->state != ROUTED || (param && param->private_data_len > most(id, REQUEST_DATA)) ? EINVAL : 0;
  if (!error && !cm_fails(id, RDMA_CM_EVENT_ESTABLISHED)) {
    struct message message = {.type = REQUEST, .retries = 7, .rnr_retries = 7};
    id->own_reads = id->peer_reads = id->device->is.max_reads;
    id->mtu = id->device->is.mtu;
    take_param(id, param);
    id->peer = 0;
    introduce(&message, id, param);
    id->retries = message.retries;
    id->rnr_retries = message.rnr_retries;
    memcpy(&message.source, &ibv->route.addr.src_storage, sizeof message.source);
    memcpy(&message.destination, &ibv->route.addr.dst_storage, sizeof message.destination);
    strcpy(message.device, id->device->ibv.name);
    id->state = REQUESTED;
    id->process = cm_owner(&ibv->route.addr.dst_addr);
    if (!say_to(id->process, &message)) {
      rejected(id, REJECT_NO_LISTENER, NULL, 0);
    }
  }
  nic_unlock();
  return cm_fail(error);
}

int rdma_accept(struct rdma_cm_id *ibv, struct rdma_conn_param *param) {
  struct cm_id *id = (struct cm_id *)ibv;
  nic_lock();
  int error = id->state != ANSWERING || (param && param->private_data_len > most(id, ANSWER_DATA)) ? EINVAL : 0;
  if (!error) {
    struct message message = {.type = REPLY};
    take_param(id, param);
    introduce(&message, id, param);
    id->state = ACCEPTED;
    cm_ready(id);
    say_to(id->process, &message);
  }
  nic_unlock();
  return cm_fail(error);
}

int rdma_establish(struct rdma_cm_id *ibv) {
  struct cm_id *id = (struct cm_id *)ibv;
  nic_lock();
  int error = id->state == CONFIRMING ? 0 : EINVAL;
  if (!error) {
    id->state = CONNECTED;
    say(id, READY);
  }
  nic_unlock();
  return cm_fail(error);
}

/* Handles a first message that arrived before the confirmation: rdma_notify(3). */
int rdma_notify(struct rdma_cm_id *ibv, enum ibv_event_type event) {
  nic_lock();
  if (event == IBV_EVENT_COMM_EST) {
    confirmed((struct cm_id *)ibv);
  }
  nic_unlock();
  return 0;
}

int rdma_reject(struct rdma_cm_id *ibv, const void *data, uint8_t length) {
  struct cm_id *id = (struct cm_id *)ibv;
  nic_lock();
  int error = id->state != ANSWERING || length > most(id, REJECT_DATA) ? EINVAL : 0;
  if (!error) {
    id->state = DISCONNECTED;
    reject(id->process, id->handle, id->peer, REJECT_CONSUMER, data, length);
  }
  nic_unlock();
  return cm_fail(error);
}

int rdma_disconnect(struct rdma_cm_id *ibv) {
  struct cm_id *id = (struct cm_id *)ibv;
  nic_lock();
  bool connected = id->state == CONNECTED || id->state == ACCEPTED || id->state == CONFIRMING;
  /* The queue pair is moved to the error state, even if the peer disconnected first: rdma_disconnect(3). */
  struct nic_qp *qp = (connected || id->state == DISCONNECTED) && (ibv->qp || nic_is_iwarp(id->device)) ? nic_find_qp(id->own_qp) : NULL;
  if (qp) {
    nic_set_state(qp, IBV_QPS_ERR);
  }
  if (connected) {
    say(id, DISCONNECT);
    disconnected(id);
  }
  nic_unlock();
  return cm_fail(connected || id->state == DISCONNECTED ? 0 : EINVAL);
}
