/* Receives of a queue pair or of a shared receive queue. */
#include "nic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int nic_receives_open(struct nic_receives *receives, const struct nic_personality *is, uint32_t capacity, uint32_t elements) {
  receives->capacity = capacity;
  receives->least = is->min_receive_sge;
  receives->elements = elements;
  receives->stride = sizeof(struct nic_receive) + elements * sizeof(struct ibv_sge);
  receives->ring = capacity ? calloc(capacity, receives->stride) : NULL;
  return capacity && !receives->ring ? ENOMEM : 0;
}

static struct nic_receive *receive(struct nic_receives *receives, uint64_t at) {
  return (struct nic_receive *)(receives->ring + at % receives->capacity * receives->stride);
}

static int add_receive(struct nic_receives *receives, const struct ibv_recv_wr *wr) {
  if (wr->num_sge < 0 || (uint32_t)wr->num_sge < receives->least || (uint32_t)wr->num_sge > receives->elements) {
    return EINVAL;
  }
  if (receives->head - receives->tail == receives->capacity) {
    return ENOMEM;
  }
  struct nic_receive *to = receive(receives, receives->head++);
  to->wr_id = wr->wr_id;
  to->count = wr->num_sge;
  memcpy(to->sge, wr->sg_list, wr->num_sge * sizeof(struct ibv_sge));
  return 0;
}

struct nic_receives *nic_receives_of(struct nic_qp *qp) {
  return qp->ibv.srq ? &((struct nic_srq *)qp->ibv.srq)->receives : &qp->receives;
}

void nic_complete_receive(struct nic_qp *qp, uint64_t wr_id, enum ibv_wc_status status, const struct nic_send *from, uint32_t source) {
  struct ibv_wc wc = {.wr_id = wr_id, .status = status, .qp_num = qp->ibv.qp_num};
  bool solicited = false;
  if (status == IBV_WC_SUCCESS) {
    bool write = from->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
    wc.opcode = write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
    wc.byte_len = from->length;
    wc.src_qp = source;
    if (write || from->opcode == IBV_WR_SEND_WITH_IMM) {
      wc.wc_flags |= IBV_WC_WITH_IMM;
      wc.imm_data = from->immediate;
    }
    solicited = (from->flags & IBV_SEND_SOLICITED) != 0;
  } else {
    /* All fields but wr_id, status, qp_num and vendor_err are undefined: ibv_poll_cq(3). */
    wc.vendor_err = 0x40 + status;
    wc.opcode = 0xff;
    wc.byte_len = 0xdeadbeef;
  }
  nic_complete((struct nic_cq *)qp->ibv.recv_cq, &wc, NULL, 0, solicited);
}

void nic_flush_receives(struct nic_qp *qp) {
  while (qp->receives.tail != qp->receives.head) {
    nic_complete_receive(qp, receive(&qp->receives, qp->receives.tail++)->wr_id, IBV_WC_WR_FLUSH_ERR, NULL, 0);
  }
}

int nic_post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  struct nic_qp *qp = (struct nic_qp *)ibv;
  int error = 0;
  struct nic_td *td = nic_enter(ibv);
  nic_lock();
  for (; wr && !error; wr = wr->next) {
    /* Receives can be posted in every state except RESET: IBA 10.3.1. */
    error = qp->ibv.srq || qp->ibv.state == IBV_QPS_RESET ? EINVAL : add_receive(&qp->receives, wr);
    if (error) {
      *bad = wr;
    } else if (qp->ibv.state == IBV_QPS_ERR) {
      qp->receives.tail++;
      nic_complete_receive(qp, wr->wr_id, IBV_WC_WR_FLUSH_ERR, NULL, 0);
    }
  }
  nic_unlock();
  nic_exit(td);
  return error;
}

int nic_post_srq_recv(struct ibv_srq *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  struct nic_srq *srq = (struct nic_srq *)ibv;
  int error = 0;
  nic_lock();
  for (; wr && !error; wr = wr->next) {
    error = add_receive(&srq->receives, wr);
    if (error) {
      *bad = wr;
    }
  }
  nic_unlock();
  return error;
}

struct nic_receive *nic_take_receive(struct nic_qp *target) {
  struct nic_receives *receives = nic_receives_of(target);
  if (receives->head == receives->tail) {
    return NULL;
  }
  struct nic_receive *taken = receive(receives, receives->tail++);
  struct nic_srq *srq = (struct nic_srq *)target->ibv.srq;
  if (srq && srq->limit && receives->head - receives->tail < srq->limit) {
    /* The event is reported once, until the limit is set again: ibv_modify_srq(3). */
    srq->limit = 0;
    srq->async_given++;
    nic_async(srq->ibv.context, IBV_EVENT_SRQ_LIMIT_REACHED, srq);
  }
  return taken;
}

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
  if (!fits || nic_receives_open(&srq->receives, is, init->attr.max_wr, init->attr.max_sge) != 0) {
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
