/* Event channels of librdmacm, and the events in them; rdma_get_cm_event(3). */
#include "cm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cm_event *cm_make(struct cm_id *about, enum rdma_cm_event_type type, int status) {
  struct cm_event *event = calloc(1, sizeof *event);
  event->ibv.id = &about->ibv;
  event->ibv.event = type;
  event->ibv.status = status;
  return event;
}

void cm_put(struct cm_id *about, struct cm_event *event) {
  event->counted = about;
  nic_events_add(&((struct cm_channel *)about->ibv.channel)->events, about, event->ibv.event, event);
}

void cm_tell(struct cm_id *about, enum rdma_cm_event_type type, int status) { cm_put(about, cm_make(about, type, status)); }

/*
 * Copies private data into an event. InfiniBand's messages have a fixed size, so zeros follow the data. iWARP's length is exact (RFC 5044,
 * 7.1).
 */
void cm_carry(struct cm_event *event, const struct cm_id *to, const void *data, int length, int size) {
  if (length > 0) {
    memcpy(event->data, data, length);
  }
  event->ibv.param.conn.private_data = event->data;
  event->ibv.param.conn.private_data_len = nic_is_iwarp(to->device) ? length : size;
  if (event->ibv.param.conn.private_data_len == 0) {
    event->ibv.param.conn.private_data = NULL;
  }
}

struct rdma_event_channel *rdma_create_event_channel(void) {
  struct cm_channel *channel = calloc(1, sizeof *channel);
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
  struct cm_channel *channel = (struct cm_channel *)ibv;
  nic_lock();
  nic_events_close(&channel->events);
  nic_unlock();
  nic_release();
  free(channel);
}

/* Counts an event that was read: rdma_destroy_id(3) waits for its rdma_ack_cm_event(3). */
static void count(void *body) {
  struct cm_event *event = body;
  event->counted->unacknowledged++;
  event->counted->unread -= event->ibv.event == RDMA_CM_EVENT_CONNECT_REQUEST;
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event) {
  struct nic_event taken;
  if (!nic_events_take(&((struct cm_channel *)channel)->events, &taken, count)) {
    return -1;
  }
  *event = &((struct cm_event *)taken.body)->ibv;
  return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *ibv) {
  struct cm_event *event = (struct cm_event *)ibv;
  nic_lock();
  event->counted->unacknowledged--;
  pthread_cond_broadcast(&nic_acknowledged);
  nic_unlock();
  free(event);
  return 0;
}

/* Ends a call that resolves. For an id without a channel of the user, waits for the event, and fails if the event's status is an error. */
int cm_wait(struct cm_id *id, int error) {
  struct rdma_cm_event *event;
  if (!error && id->waits) {
    if (rdma_get_cm_event(id->ibv.channel, &event) != 0) {
      return -1;
    }
    error = -event->status;
    rdma_ack_cm_event(event);
  }
  return cm_fail(error);
}

void cm_move_events(struct nic_events *from, struct nic_events *to, void *about) {
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
  struct cm_id *id = (struct cm_id *)ibv;
  struct rdma_event_channel *own = id->waits ? ibv->channel : NULL;
  int error = 0;
  nic_lock();
  if (ibv->channel != channel) {
    error = cm_migration_refused();
    if (!error) {
      cm_move_events(&((struct cm_channel *)ibv->channel)->events, &((struct cm_channel *)channel)->events, id);
      ibv->channel = channel;
      id->waits = false;
    }
  }
  nic_unlock();
  if (own && !error) {
    rdma_destroy_event_channel(own);
  }
  return cm_fail(error);
}

const char *rdma_event_str(enum rdma_cm_event_type type) {
  static const char *const words[] = {"RDMA_CM_EVENT_ADDR_RESOLVED", "RDMA_CM_EVENT_ADDR_ERROR", "RDMA_CM_EVENT_ROUTE_RESOLVED",
    "RDMA_CM_EVENT_ROUTE_ERROR", "RDMA_CM_EVENT_CONNECT_REQUEST", "RDMA_CM_EVENT_CONNECT_RESPONSE", "RDMA_CM_EVENT_CONNECT_ERROR",
    "RDMA_CM_EVENT_UNREACHABLE", "RDMA_CM_EVENT_REJECTED", "RDMA_CM_EVENT_ESTABLISHED", "RDMA_CM_EVENT_DISCONNECTED",
    "RDMA_CM_EVENT_DEVICE_REMOVAL", "RDMA_CM_EVENT_MULTICAST_JOIN", "RDMA_CM_EVENT_MULTICAST_ERROR", "RDMA_CM_EVENT_ADDR_CHANGE",
    "RDMA_CM_EVENT_TIMEWAIT_EXIT"};
  return type < sizeof words / sizeof *words ? words[type] : "unknown";
}
