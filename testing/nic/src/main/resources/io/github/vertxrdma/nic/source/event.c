/* Queues of events with an fd, and the events of ibv_get_async_event(3). */
#include "nic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

pthread_mutex_t nic_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t nic_acknowledged = PTHREAD_COND_INITIALIZER;

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

/*
 * Takes an event. Blocks like read(2) of the fd, unless the fd is non-blocking. Returns false with errno if there is none. COUNT counts the
 * event's body under the lock, before another thread can destroy the event's object.
 */
bool nic_events_take(struct nic_events *events, struct nic_event *taken, void (*count)(void *body)) {
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
      if (count) {
        count(event->body);
      }
    }
    nic_unlock();
    if (event) {
      free(event);
      return true;
    }
  }
}

/* Removes unread events of an object before it is destroyed. */
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
  if (!nic_events_take(&nic_context(context)->async, &taken, NULL)) {
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
      event->element.port_num = (uintptr_t)taken.about;
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
