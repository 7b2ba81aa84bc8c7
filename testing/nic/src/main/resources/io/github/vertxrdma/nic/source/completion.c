/* Completion channels and completion queues: their entries, notifications and overruns. */
#include "nic.h"

#include <errno.h>
#include <stdlib.h>

/* A delayed completion. */
struct late {
  struct late *next;
  struct nic_cq *cq;
  struct nic_cqe entry;
  bool solicited;
  uint64_t at;
};

/* Delayed completions in the order of their times. */
static struct late *first_late;

static void notify(struct nic_cq *cq) {
  cq->armed = NIC_QUIET;
  if (cq->ibv.channel) {
    cq->events_given++;
    nic_events_add(&((struct nic_channel *)cq->ibv.channel)->events, cq, 0, NULL);
  }
}

/* Marks a queue as overrun. It accepts no more entries; IBA 11.6.3.1. */
void nic_overrun(struct nic_cq *cq) {
  if (!cq->overrun) {
    cq->overrun = true;
    cq->async_given++;
    nic_async(cq->ibv.context, IBV_EVENT_CQ_ERR, cq);
  }
}

/* Adds an entry. A full queue overruns and loses the entry: ibv_create_cq(3). */
static void add(struct nic_cq *cq, const struct ibv_wc *wc, struct nic_qp *sender, uint64_t freed, bool solicited) {
  if (cq->tail - cq->head == cq->capacity) {
    nic_overrun(cq);
  }
  if (cq->overrun) {
    return;
  }
  struct nic_cqe *entry = &cq->ring[cq->tail & cq->mask];
  entry->wc = *wc;
  entry->sender = sender;
  entry->freed = freed;
  __atomic_store_n(&cq->tail, cq->tail + 1, __ATOMIC_RELEASE);
  /* A completion in error counts as solicited: ibv_req_notify_cq(3). */
  if (cq->armed == NIC_NEXT || (cq->armed == NIC_SOLICITED && (solicited || wc->status != IBV_WC_SUCCESS))) {
    notify(cq);
  }
}

/* Delays an entry. Completions of one work queue stay in order, those of different queues come in any order; IBA 10.8.3. */
static void add_late(struct nic_cq *cq, const struct ibv_wc *wc, struct nic_qp *sender, uint64_t freed, bool solicited) {
  struct late *late = malloc(sizeof *late);
  uint64_t at = nic_now() + nic_delay();
  for (struct late *each = first_late; each; each = each->next) {
    if (each->entry.wc.qp_num == wc->qp_num && !each->entry.sender == !sender && each->at > at) {
      at = each->at;
    }
  }
  *late = (struct late){.cq = cq, .entry = {*wc, sender, freed}, .solicited = solicited, .at = at};
  struct late **place = &first_late;
  while (*place && (*place)->at <= at) {
    place = &(*place)->next;
  }
  late->next = *place;
  *place = late;
  nic_wake(at);
}

void nic_complete(struct nic_cq *cq, const struct ibv_wc *wc, struct nic_qp *sender, uint64_t freed, bool solicited) {
  if (nic_delays || first_late) {
    add_late(cq, wc, sender, freed, solicited);
  } else {
    add(cq, wc, sender, freed, solicited);
  }
}

/* Adds delayed completions that are due, or all of a queue pair. Returns the time of the next one; 0 if there is none. */
uint64_t nic_complete_late(uint64_t now, const struct nic_qp *all_of) {
  uint64_t next = 0;
  for (struct late **place = &first_late; *place;) {
    struct late *late = *place;
    if (all_of ? late->entry.wc.qp_num == all_of->ibv.qp_num : late->at <= now) {
      *place = late->next;
      add(late->cq, &late->entry.wc, late->entry.sender, late->entry.freed, late->solicited);
      free(late);
    } else {
      next = next ? next : late->at;
      place = &late->next;
    }
  }
  return next;
}

int nic_poll_cq(struct ibv_cq *ibv, int most, struct ibv_wc *wc) {
  struct nic_cq *cq = (struct nic_cq *)ibv;
  if (cq->poll_fails) {
    return cq->poll_fails;
  }
  if (__atomic_load_n(&cq->tail, __ATOMIC_ACQUIRE) == __atomic_load_n(&cq->head, __ATOMIC_RELAXED)) {
    if (!nic_linked || nic_device(ibv->context)->is.work_in_thread) {
      return 0;
    }
    nic_polls++;
    if (!nic_rung()) {
      return 0;
    }
  }
  nic_lock();
  if (cq->head == cq->tail) {
    nic_hear();
  }
  int count = 0;
  while (count < most && cq->head != cq->tail) {
    struct nic_cqe *entry = &cq->ring[cq->head & cq->mask];
    wc[count++] = entry->wc;
    if (entry->sender && entry->sender->freed < entry->freed) {
      entry->sender->freed = entry->freed;
    }
    cq->head++;
  }
  nic_unlock();
  return count;
}

int nic_req_notify_cq(struct ibv_cq *ibv, int solicited_only) {
  struct nic_cq *cq = (struct nic_cq *)ibv;
  nic_lock();
  /* A later request for solicited completions does not narrow a request for every completion: IBA 11.4.2.2. */
  if (cq->armed != NIC_NEXT) {
    cq->armed = solicited_only ? NIC_SOLICITED : NIC_NEXT;
  }
  if (nic_linked && !nic_ask_to_be_woken()) {
    nic_hear();
  }
  nic_unlock();
  return 0;
}

/*
 * Called when a queue pair is destroyed. Its entries stay, as with software devices, but free no send queue entries. With receives_vanish
 * they are removed, as by mlx5.
 */
void nic_cq_forget(struct nic_cq *cq, struct nic_qp *qp) {
  nic_complete_late(0, qp);
  uint64_t to = cq->head;
  for (uint64_t from = cq->head; from != cq->tail; from++) {
    struct nic_cqe *entry = &cq->ring[from & cq->mask];
    if (entry->wc.qp_num == qp->ibv.qp_num) {
      if (qp->device->is.receives_vanish) {
        continue;
      }
      entry->sender = NULL;
    }
    if (to != from) {
      cq->ring[to & cq->mask] = *entry;
    }
    to++;
  }
  __atomic_store_n(&cq->tail, to, __ATOMIC_RELEASE);
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) {
  if (nic_is_dead(context)) {
    return NULL;
  }
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
  nic_control(NIC_CREATE_CQ);
  if (nic_is_dead(context)) {
    return NULL;
  }
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
    device->vectors_used |= 1u << vector;
  }
  nic_unlock();
  return &cq->ibv;
}

int ibv_resize_cq(struct ibv_cq *ibv, int entries) {
  struct nic_cq *cq = (struct nic_cq *)ibv;
  nic_control(NIC_RESIZE_CQ);
  nic_lock();
  const struct nic_personality *is = &nic_device(ibv->context)->is;
  int error = is->unresizable ? EOPNOTSUPP
    : entries < 1 || entries > is->max_cqe || (uint64_t)entries < cq->tail - cq->head ? EINVAL
    : set_capacity(cq, entries);
  nic_unlock();
  return error;
}

/* Waits until all events that were read are acknowledged: ibv_ack_cq_events(3). */
int ibv_destroy_cq(struct ibv_cq *ibv) {
  struct nic_cq *cq = (struct nic_cq *)ibv;
  nic_control(NIC_DESTROY_CQ);
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
  if (!nic_events_take(&((struct nic_channel *)channel)->events, &taken, NULL)) {
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
