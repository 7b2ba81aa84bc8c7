/* Queue pairs: their numbers, attributes and states. */
#include "nic.h"

#include <errno.h>
#include <stdlib.h>

void (*nic_broke)(struct nic_qp *qp);

static struct nic_qp *qps[NIC_QPS];
static uint32_t qp_next;

/*
 * Assigns a number that is unique on the host: the process number in the upper bits, an index in the lower ones. Numbers are not reused
 * soon.
 */
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

struct nic_qp *nic_qp_at(uint32_t index) { return qps[index]; }

struct nic_qp *nic_find_qp(uint32_t number) {
  struct nic_qp *qp = qps[number % NIC_QPS];
  return qp && qp->ibv.qp_num == number ? qp : NULL;
}

static int refused(const struct nic_personality *is, const struct ibv_qp_init_attr *init) {
  const struct ibv_qp_cap *cap = &init->cap;
  /* EFA has reliable and unreliable datagrams but no connections: efa_create_qp of rdma-core. */
  if (init->qp_type != IBV_QPT_RC || is->transport == NIC_EFA) {
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
      nic_receives_open(&qp->receives, &qp->device->is, qp->init.srq ? 0 : cap->max_recv_wr, cap->max_recv_sge) != 0) {
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
  nic_control(NIC_CREATE_QP);
  if (nic_is_dead(pd->context)) {
    return NULL;
  }
  if ((errno = refused(&device->is, init)) != 0) {
    device->refused_qps++;
    return NULL;
  }
  /* A device may give a queue pair more than was requested: ibv_create_qp(3). */
  if (device->is.max_inline && init->cap.max_inline_data < 64) {
    init->cap.max_inline_data = device->is.max_inline < 64 ? device->is.max_inline : 64;
  }
  struct nic_qp *qp = calloc(1, sizeof *qp);
  qp->device = device;
  qp->init = *init;
  qp->enhancements = device->is.enhancements;
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

/*
 * Returns the attributes that a state change needs, for reliable connections; ibv_modify_qp(3), IBA table 96. Returns 0 if the change is
 * invalid.
 */
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
    int needed = required(is->transport == NIC_IWARP, qp->ibv.state, attr->qp_state);
    if (!needed || (mask & needed) != needed) {
      return EINVAL;
    }
  }
  if (((mask & IBV_QP_MAX_QP_RD_ATOMIC) && attr->max_rd_atomic > is->max_reads) ||
      ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) && attr->max_dest_rd_atomic > is->max_reads) ||
      ((mask & IBV_QP_PORT) && (attr->port_num < 1 || attr->port_num > is->ports)) ||
      ((mask & IBV_QP_PKEY_INDEX) && (attr->pkey_index >= NIC_PKEYS || !is->pkeys[attr->pkey_index])) ||
      ((mask & IBV_QP_PATH_MTU) && (attr->path_mtu < IBV_MTU_256 || (int)attr->path_mtu > is->mtu))) {
    return EINVAL;
  }
  int error = mask & IBV_QP_AV ? nic_check_path(qp, attr) : 0;
  if (error) {
    return error;
  }
  take(qp, attr, mask);
  qp->arrives_at = 0;
  if (mask & IBV_QP_STATE) {
    if (attr->qp_state == IBV_QPS_RESET) {
      nic_stop_waiting(qp);
      qp->head = qp->next = qp->sent = qp->expected = qp->freed = qp->receives.head = qp->receives.tail = 0;
      nic_cq_forget((struct nic_cq *)qp->ibv.send_cq, qp);
      nic_qp_ends(qp);
    }
    nic_set_state(qp, attr->qp_state);
    qp->retries_left = qp->attr.retry_cnt;
    qp->rnr_left = qp->attr.rnr_retry;
  }
  return 0;
}

int ibv_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask) {
  nic_control((mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_ERR ? NIC_FAIL_QP : NIC_MODIFY_QP);
  if (nic_is_dead(ibv->context)) {
    return EIO;
  }
  nic_lock();
  int error = modify((struct nic_qp *)ibv, attr, mask);
  nic_unlock();
  return error;
}

/* Returns the connection options (ECE) that a queue pair offers, or uses after ibv_set_ece(3) and the change to RTR. */
int ibv_query_ece(struct ibv_qp *ibv, struct ibv_ece *ece) {
  const struct nic_qp *qp = (struct nic_qp *)ibv;
  *ece = (struct ibv_ece){.vendor_id = qp->device->is.enhancements ? qp->device->is.vendor : 0, .options = qp->enhancements};
  return qp->device->is.enhancements ? 0 : EOPNOTSUPP;
}

/* Sets the peer's connection options (ECE) before the change to RTR. The queue pair uses those that both sides have. */
int ibv_set_ece(struct ibv_qp *ibv, struct ibv_ece *ece) {
  struct nic_qp *qp = (struct nic_qp *)ibv;
  if (!qp->device->is.enhancements) {
    return EOPNOTSUPP;
  }
  if (ece->comp_mask || ece->vendor_id != qp->device->is.vendor || (ibv->state != IBV_QPS_RESET && ibv->state != IBV_QPS_INIT)) {
    return EINVAL;
  }
  nic_lock();
  qp->enhancements &= ece->options;
  nic_unlock();
  return 0;
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
  nic_control(NIC_DESTROY_QP);
  nic_lock();
  nic_stop_waiting(qp);
  qps[ibv->qp_num % NIC_QPS] = NULL;
  nic_qp_ends(qp);
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

void nic_qp_event(struct nic_qp *qp, enum ibv_event_type type) {
  qp->async_given++;
  nic_async(qp->ibv.context, type, qp);
}

/* Sets the state. In ERR all posted requests are flushed, except receives of a shared queue; IBA 10.3.1.6, 10.2.9.4. */
void nic_set_state(struct nic_qp *qp, enum ibv_qp_state state) {
  bool broke = state == IBV_QPS_ERR && qp->ibv.state != IBV_QPS_ERR && qp->ibv.state != IBV_QPS_RESET;
  qp->ibv.state = state;
  qp->attr.qp_state = state;
  qp->lost = qp->lost && state != IBV_QPS_RTR;
  if (state == IBV_QPS_ERR) {
    nic_stop_waiting(qp);
    while (qp->next != qp->head) {
      nic_end(qp, IBV_WC_WR_FLUSH_ERR);
    }
    nic_flush_receives(qp);
    nic_qp_ends(qp);
    if (broke && qp->ibv.srq && !qp->device->is.last_receive_untold) {
      /*
       * The completions of used receives must precede the event, so that a program that then drains the completion queue finds them; IBA
       * 10.3.1.
       */
      nic_complete_late(0, qp);
      nic_qp_event(qp, IBV_EVENT_QP_LAST_WQE_REACHED);
    }
    if (broke && nic_is_iwarp(qp->device) && nic_broke) {
      nic_broke(qp);
    }
  }
}
