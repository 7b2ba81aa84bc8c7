/* Ids of librdmacm; rdma_create_id(3). */
#include "cm.h"

#include <errno.h>
#include <stdlib.h>

struct cm_id *cm_ids;
static uint32_t last_handle;

int cm_fail(int error) {
  errno = error;
  return error ? -1 : 0;
}

struct cm_id *cm_add(struct rdma_event_channel *channel, void *context, enum rdma_port_space space) {
  struct cm_id *id = calloc(1, sizeof *id);
  id->ibv.channel = channel;
  id->ibv.context = context;
  id->ibv.ps = space;
  id->ibv.qp_type = IBV_QPT_RC;
  id->handle = ++last_handle;
  id->own_psn = last_handle * 2654435761u & 0xffffff;
  id->timeout = 18;
  id->next = cm_ids;
  cm_ids = id;
  return id;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **into, void *context, enum rdma_port_space space) {
  if (space != RDMA_PS_TCP) {
    return cm_fail(EPROTONOSUPPORT);
  }
  struct rdma_event_channel *own = channel ? NULL : rdma_create_event_channel();
  if (!channel && !own) {
    return -1;
  }
  nic_lock();
  struct cm_id *id = cm_add(channel ? channel : own, context, space);
  id->waits = !channel;
  *into = &id->ibv;
  nic_unlock();
  return 0;
}

static void drop(struct cm_id *id);

/* Closes an unread request with its listener. */
static void drop_unread(void *body) {
  struct cm_event *event = body;
  if (event->ibv.event == RDMA_CM_EVENT_CONNECT_REQUEST) {
    drop((struct cm_id *)event->ibv.id);
  }
}

static void drop(struct cm_id *id) {
  struct cm_id **at = &cm_ids;
  cm_leave(id);
  while (*at != id) {
    at = &(*at)->next;
  }
  *at = id->next;
  nic_events_forget(&((struct cm_channel *)id->ibv.channel)->events, id, drop_unread);
  while (id->unacknowledged) {
    pthread_cond_wait(&nic_acknowledged, &nic_mutex);
  }
  free(id);
}

int rdma_destroy_id(struct rdma_cm_id *id) {
  struct rdma_event_channel *own = ((struct cm_id *)id)->waits ? id->channel : NULL;
  nic_lock();
  drop((struct cm_id *)id);
  nic_unlock();
  if (own) {
    rdma_destroy_event_channel(own);
  }
  return 0;
}

/* Destroys an id with its queue pair; rdma_destroy_ep(3). */
void rdma_destroy_ep(struct rdma_cm_id *id) {
  if (id->qp) {
    rdma_destroy_qp(id);
  }
  rdma_destroy_id(id);
}

/* Sets the connection options (ECE) of queue pairs that the user creates; rdma_set_local_ece(3). */
int rdma_set_local_ece(struct rdma_cm_id *ibv, struct ibv_ece *ece) {
  if (ibv->qp || !ece || !ece->vendor_id || ece->comp_mask) {
    return cm_fail(EINVAL);
  }
  ((struct cm_id *)ibv)->own_ece = *ece;
  return 0;
}

/* Returns the connection options (ECE) in the request or the answer; rdma_get_remote_ece(3). */
int rdma_get_remote_ece(struct rdma_cm_id *ibv, struct ibv_ece *ece) {
  if (ibv->qp || !ece) {
    return cm_fail(EINVAL);
  }
  *ece = ((struct cm_id *)ibv)->peer_ece;
  return 0;
}

int rdma_set_option(struct rdma_cm_id *ibv, int level, int name, void *value, size_t length) {
  struct cm_id *id = (struct cm_id *)ibv;
  if (level != RDMA_OPTION_ID || length < 1) {
    return cm_fail(ENOSYS);
  }
  nic_lock();
  if (name == RDMA_OPTION_ID_ACK_TIMEOUT) {
    id->timeout = *(uint8_t *)value & 31;
  }
  nic_unlock();
  return 0;
}
