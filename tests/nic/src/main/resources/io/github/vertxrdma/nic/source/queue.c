/* Carries work requests out: from a send queue into the peer's memory or receive, and completions into completion queues. */
#include "nic.h"

#include <errno.h>
#include <string.h>
#include <stdlib.h>
#include <sys/uio.h>

/* How a responder answers; IBA 9.7.5.2. Errors of the requester's own are completion statuses at once. */
enum answer { DONE, SILENT, NOT_READY, FAILED };

struct outcome {
  enum answer answer;
  enum ibv_wc_status status;
  int rnr_timer;
};

static const struct outcome done = {DONE, IBV_WC_SUCCESS, 0};
static const struct outcome silent = {SILENT, IBV_WC_SUCCESS, 0};

static struct outcome failed(enum ibv_wc_status status) {
  struct outcome outcome = {FAILED, status, 0};
  return outcome;
}

static struct nic_qp *waiting;
void (*nic_broke)(struct nic_qp *qp);

/* ---- completion queues ---- */

static void notify(struct nic_cq *cq) {
  cq->armed = NIC_QUIET;
  if (cq->ibv.channel) {
    cq->events_given++;
    nic_events_add(&((struct nic_channel *)cq->ibv.channel)->events, cq, 0, NULL);
  }
}

/* Adds an entry; a full queue overruns, which loses it: ibv_create_cq(3), IBA 11.6.3.1. */
static void complete(struct nic_cq *cq, const struct ibv_wc *wc, struct nic_qp *sender, uint64_t freed, bool solicited) {
  if (cq->tail - cq->head == cq->capacity) {
    if (!cq->overrun) {
      cq->overrun = true;
      cq->async_given++;
      nic_async(cq->ibv.context, IBV_EVENT_CQ_ERR, cq);
    }
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

int nic_poll_cq(struct ibv_cq *ibv, int most, struct ibv_wc *wc) {
  struct nic_cq *cq = (struct nic_cq *)ibv;
  if (__atomic_load_n(&cq->tail, __ATOMIC_ACQUIRE) == __atomic_load_n(&cq->head, __ATOMIC_RELAXED)) {
    return 0;
  }
  nic_lock();
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
  /* A request for every completion is not narrowed by a later one for solicited ones: IBA 11.4.2.2. */
  if (cq->armed != NIC_NEXT) {
    cq->armed = solicited_only ? NIC_SOLICITED : NIC_NEXT;
  }
  nic_unlock();
  return 0;
}

/* A queue pair is destroyed: its entries stay, as those of software devices do, but free nothing; or they go, as mlx5's. */
void nic_cq_forget(struct nic_cq *cq, struct nic_qp *qp) {
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

/* ---- receives ---- */

int nic_receives_open(struct nic_receives *receives, uint32_t capacity, uint32_t elements) {
  receives->capacity = capacity;
  receives->elements = elements;
  receives->stride = sizeof(struct nic_receive) + elements * sizeof(struct ibv_sge);
  receives->ring = capacity ? calloc(capacity, receives->stride) : NULL;
  return capacity && !receives->ring ? ENOMEM : 0;
}

static struct nic_receive *receive(struct nic_receives *receives, uint64_t at) {
  return (struct nic_receive *)(receives->ring + at % receives->capacity * receives->stride);
}

static int add_receive(struct nic_receives *receives, const struct ibv_recv_wr *wr) {
  if (wr->num_sge < 0 || (uint32_t)wr->num_sge > receives->elements) {
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

static struct nic_receives *receives_of(struct nic_qp *qp) {
  return qp->ibv.srq ? &((struct nic_srq *)qp->ibv.srq)->receives : &qp->receives;
}

static void complete_receive(struct nic_qp *qp, uint64_t wr_id, enum ibv_wc_status status, const struct nic_send *from, uint32_t source) {
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
    /* Everything but wr_id, status, qp_num and vendor_err is undefined: ibv_poll_cq(3). */
    wc.vendor_err = 0x40 + status;
    wc.opcode = 0xff;
    wc.byte_len = 0xdeadbeef;
  }
  complete((struct nic_cq *)qp->ibv.recv_cq, &wc, NULL, 0, solicited);
}

int nic_post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  struct nic_qp *qp = (struct nic_qp *)ibv;
  int error = 0;
  nic_lock();
  for (; wr && !error; wr = wr->next) {
    /* Allowed in every state but RESET: IBA 10.3.1. */
    error = qp->ibv.srq || qp->ibv.state == IBV_QPS_RESET ? EINVAL : add_receive(&qp->receives, wr);
    if (error) {
      *bad = wr;
    } else if (qp->ibv.state == IBV_QPS_ERR) {
      qp->receives.tail++;
      complete_receive(qp, wr->wr_id, IBV_WC_WR_FLUSH_ERR, NULL, 0);
    }
  }
  nic_unlock();
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

/* ---- memory ---- */

/* Turns elements into addresses. The key must be of a living region of the same protection domain, with the rights; IBA 10.6.3. */
static bool resolve(const struct nic_qp *qp, const struct ibv_sge *sge, int count, unsigned int rights, struct iovec *to) {
  for (int i = 0; i < count; i++) {
    struct nic_mr *mr = nic_find_mr(sge[i].lkey);
    if (!mr || mr->ibv.pd != qp->ibv.pd || (mr->access & rights) != rights || sge[i].addr < mr->iova || sge[i].length > mr->ibv.length ||
        sge[i].addr - mr->iova > mr->ibv.length - sge[i].length) {
      return false;
    }
    to[i].iov_base = (char *)mr->ibv.addr + (sge[i].addr - mr->iova);
    to[i].iov_len = sge[i].length;
  }
  return true;
}

static uint64_t length_of(const struct ibv_sge *sge, int count) {
  uint64_t length = 0;
  for (int i = 0; i < count; i++) {
    length += sge[i].length;
  }
  return length;
}

/* Copies from some pieces into others, which have room. */
static void copy(struct iovec *to, const struct iovec *from, int count) {
  size_t at = 0;
  for (int i = 0; i < count; i++) {
    const char *source = from[i].iov_base;
    size_t left = from[i].iov_len;
    while (left > 0) {
      while (at == to->iov_len) {
        to++;
        at = 0;
      }
      size_t n = left < to->iov_len - at ? left : to->iov_len - at;
      memcpy((char *)to->iov_base + at, source, n);
      at += n;
      source += n;
      left -= n;
    }
  }
}

/* Finds what a peer's key allows; IBA 9.7.4.1.5, 10.6.3.4. */
static char *remote(const struct nic_qp *target, uint32_t key, uint64_t address, uint64_t length, unsigned int right) {
  struct nic_mr *mr = nic_find_mr(key);
  if (!mr || mr->ibv.pd != target->ibv.pd || !(mr->access & right) || !(target->attr.qp_access_flags & right) || address < mr->iova ||
      length > mr->ibv.length || address - mr->iova > mr->ibv.length - length) {
    return NULL;
  }
  return (char *)mr->ibv.addr + (address - mr->iova);
}

/* ---- the responder ---- */

static void qp_event(struct nic_qp *qp, enum ibv_event_type type) {
  qp->async_given++;
  nic_async(qp->ibv.context, type, qp);
}

/* The responder's queue pair ends with a request that it refuses, and says so to its own side; IBA 9.9.3, 11.6.3.2. */
static struct outcome refuse(struct nic_qp *target, enum ibv_wc_status status) {
  qp_event(target, status == IBV_WC_REM_ACCESS_ERR ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR);
  nic_set_state(target, IBV_QPS_ERR);
  return failed(status);
}

/* A receive that cannot take the message ends the responder's queue pair with it, in its completion; IBA 9.9.3. */
static struct outcome refuse_receive(struct nic_qp *target, uint64_t wr_id, enum ibv_wc_status here, enum ibv_wc_status there) {
  complete_receive(target, wr_id, here, NULL, 0);
  nic_set_state(target, IBV_QPS_ERR);
  return failed(there);
}

static struct nic_receive *take_receive(struct nic_qp *target) {
  struct nic_receives *receives = receives_of(target);
  if (receives->head == receives->tail) {
    return NULL;
  }
  struct nic_receive *taken = receive(receives, receives->tail++);
  struct nic_srq *srq = (struct nic_srq *)target->ibv.srq;
  if (srq && srq->limit && receives->head - receives->tail < srq->limit) {
    /* Told once, until it is armed again: ibv_modify_srq(3). */
    srq->limit = 0;
    srq->async_given++;
    nic_async(srq->ibv.context, IBV_EVENT_SRQ_LIMIT_REACHED, srq);
  }
  return taken;
}

/* A request without a receive: InfiniBand asks to try again later (IBA 9.7.5.2.8), iWARP has no such thing and ends (RFC 5041, 6.2). */
static struct outcome not_ready(struct nic_qp *target) {
  if (target->device->is.iwarp) {
    nic_set_state(target, IBV_QPS_ERR);
    return failed(IBV_WC_REM_OP_ERR);
  }
  struct outcome outcome = {NOT_READY, IBV_WC_SUCCESS, target->attr.min_rnr_timer};
  return outcome;
}

static struct outcome respond(struct nic_qp *target, const struct nic_send *request, struct iovec *local, int count, uint32_t source) {
  if (!target || (target->ibv.state != IBV_QPS_RTR && target->ibv.state != IBV_QPS_RTS)) {
    return silent;
  }
  if (target->ibv.state == IBV_QPS_RTR && !target->established_told) {
    target->established_told = true;
    qp_event(target, IBV_EVENT_COMM_EST);
  }
  struct iovec there[NIC_MAX_SGE];
  switch (request->opcode) {
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM: {
      struct nic_receive *taken = take_receive(target);
      if (!taken) {
        return not_ready(target);
      }
      if (length_of(taken->sge, taken->count) < request->length) {
        return refuse_receive(target, taken->wr_id, IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR);
      }
      if (!resolve(target, taken->sge, taken->count, IBV_ACCESS_LOCAL_WRITE, there)) {
        return refuse_receive(target, taken->wr_id, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
      }
      copy(there, local, count);
      complete_receive(target, taken->wr_id, IBV_WC_SUCCESS, request, source);
      return done;
    }
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM: {
      bool notifies = request->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
      if (notifies && receives_of(target)->head == receives_of(target)->tail) {
        return not_ready(target);
      }
      /* Nothing is checked of an empty write: IBA 9.7.4.1.5. */
      if (request->length > 0) {
        there[0].iov_base = remote(target, request->key, request->remote, request->length, IBV_ACCESS_REMOTE_WRITE);
        there[0].iov_len = request->length;
        if (!there[0].iov_base) {
          return refuse(target, IBV_WC_REM_ACCESS_ERR);
        }
        copy(there, local, count);
      }
      if (notifies) {
        complete_receive(target, take_receive(target)->wr_id, IBV_WC_SUCCESS, request, source);
      }
      return done;
    }
    case IBV_WR_RDMA_READ: {
      struct iovec from = {remote(target, request->key, request->remote, request->length, IBV_ACCESS_REMOTE_READ), request->length};
      if (request->length > 0 && !from.iov_base) {
        return refuse(target, IBV_WC_REM_ACCESS_ERR);
      }
      copy(local, &from, 1);
      return done;
    }
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD: {
      /* Eight bytes, aligned; a request that is not is invalid: IBA 9.4.5, 9.7.4.1.4. */
      if (request->remote & 7) {
        return refuse(target, IBV_WC_REM_INV_REQ_ERR);
      }
      uint64_t *word = (uint64_t *)remote(target, request->key, request->remote, 8, IBV_ACCESS_REMOTE_ATOMIC);
      if (!word) {
        return refuse(target, IBV_WC_REM_ACCESS_ERR);
      }
      uint64_t old = request->compare_add;
      if (request->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        old = __atomic_fetch_add(word, request->compare_add, __ATOMIC_SEQ_CST);
      } else {
        __atomic_compare_exchange_n(word, &old, request->swap, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      }
      struct iovec from = {&old, sizeof old};
      copy(local, &from, 1);
      return done;
    }
    default:
      return refuse(target, IBV_WC_REM_INV_REQ_ERR);
  }
}

/* ---- the requester ---- */

static enum ibv_wc_opcode completed_as(enum ibv_wr_opcode opcode) {
  switch (opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM: return IBV_WC_RDMA_WRITE;
    case IBV_WR_RDMA_READ: return IBV_WC_RDMA_READ;
    case IBV_WR_ATOMIC_CMP_AND_SWP: return IBV_WC_COMP_SWAP;
    case IBV_WR_ATOMIC_FETCH_AND_ADD: return IBV_WC_FETCH_ADD;
    default: return IBV_WC_SEND;
  }
}

static bool reads(enum ibv_wr_opcode opcode) {
  return opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* Ends the request at next; successes that nobody asked for are not told, errors always: ibv_post_send(3). */
static void end(struct nic_qp *qp, enum ibv_wc_status status) {
  struct nic_send *request = &qp->sends[qp->next++ & qp->mask];
  if (status == IBV_WC_SUCCESS && !(request->flags & IBV_SEND_SIGNALED)) {
    return;
  }
  struct ibv_wc wc = {.wr_id = request->wr_id, .status = status, .qp_num = qp->ibv.qp_num};
  if (status == IBV_WC_SUCCESS) {
    wc.opcode = completed_as(request->opcode);
    wc.byte_len = reads(request->opcode) ? request->length : 0;
  } else {
    wc.vendor_err = 0x80 + status;
    wc.opcode = 0xff;
    wc.byte_len = 0xdeadbeef;
  }
  complete((struct nic_cq *)qp->ibv.send_cq, &wc, qp, qp->next, false);
}

void nic_stop_waiting(struct nic_qp *qp) {
  qp->retry_at = 0;
  if (qp->listed) {
    qp->listed = false;
    struct nic_qp **at = &waiting;
    while (*at != qp) {
      at = &(*at)->next_waiting;
    }
    *at = qp->next_waiting;
  }
}

static void wait_until(struct nic_qp *qp, uint64_t when) {
  qp->retry_at = when;
  if (!qp->listed) {
    qp->listed = true;
    qp->next_waiting = waiting;
    waiting = qp;
  }
  nic_wake();
}

/* To ERR everything that is posted is flushed, receives of a shared queue excepted; IBA 10.3.1.6, 10.2.9.4. */
void nic_set_state(struct nic_qp *qp, enum ibv_qp_state state) {
  bool broke = state == IBV_QPS_ERR && qp->ibv.state != IBV_QPS_ERR && qp->ibv.state != IBV_QPS_RESET;
  qp->ibv.state = state;
  qp->attr.qp_state = state;
  if (state == IBV_QPS_ERR) {
    nic_stop_waiting(qp);
    while (qp->next != qp->head) {
      end(qp, IBV_WC_WR_FLUSH_ERR);
    }
    while (qp->receives.tail != qp->receives.head) {
      complete_receive(qp, receive(&qp->receives, qp->receives.tail++)->wr_id, IBV_WC_WR_FLUSH_ERR, NULL, 0);
    }
    if (broke && qp->ibv.srq && !qp->device->is.last_receive_untold) {
      qp_event(qp, IBV_EVENT_QP_LAST_WQE_REACHED);
    }
    if (broke && qp->device->is.iwarp && nic_broke) {
      nic_broke(qp);
    }
  }
}

static void break_off(struct nic_qp *qp, enum ibv_wc_status status) {
  end(qp, status);
  nic_set_state(qp, IBV_QPS_ERR);
}

/* iWARP carries the answer of a read as a write to the key of its sink; RFC 5040, 5.1.3. */
static unsigned int sink_rights(const struct nic_qp *qp, const struct nic_send *request) {
  return !reads(request->opcode) ? 0 : qp->device->is.iwarp ? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE : IBV_ACCESS_LOCAL_WRITE;
}

/* Tries the request at next. */
static struct outcome attempt(struct nic_qp *qp, struct nic_send *request) {
  struct iovec local[NIC_MAX_SGE];
  int count = request->count;
  if (request->flags & IBV_SEND_INLINE) {
    local[0].iov_base = request->copy;
    local[0].iov_len = request->length;
    count = 1;
  } else if (!resolve(qp, request->sge, count, sink_rights(qp, request), local)) {
    return failed(IBV_WC_LOC_PROT_ERR);
  }
  if (request->length > qp->device->is.max_message) {
    return failed(IBV_WC_LOC_LEN_ERR);
  }
  bool atomic = reads(request->opcode) && request->opcode != IBV_WR_RDMA_READ;
  if (atomic && request->length != 8) {
    return failed(IBV_WC_LOC_LEN_ERR);
  }
  /* A queue pair that may have no reads in flight cannot post any: IBA 11.4.1.1. */
  if (reads(request->opcode) && qp->attr.max_rd_atomic == 0) {
    return failed(IBV_WC_LOC_QP_OP_ERR);
  }
  if (qp->device->port_state != IBV_PORT_ACTIVE) {
    return silent;
  }
  return respond(nic_find_qp(qp->attr.dest_qp_num), request, local, count, qp->ibv.qp_num);
}

/* Local Ack Timeout, 4.096 us * 2^timeout; 0 is for ever: ibv_modify_qp(3). */
static uint64_t ack_timeout(const struct nic_qp *qp) {
  return qp->attr.timeout == 0 ? UINT64_MAX / 2 : (4096ull << qp->attr.timeout) / qp->device->is.hurry;
}

/* The RNR NAK timer field in units of 10 us; IBA 9.7.5.2.8, table 45; ibv_modify_qp(3). */
static uint64_t rnr_timer(int field) {
  static const uint32_t units[32] = {65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
    4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return units[field & 31] * 10000ull;
}

void nic_run(struct nic_qp *qp) {
  /* 1 is the first try, by the device's thread. */
  bool again = qp->retry_at > 1;
  while (qp->ibv.state == IBV_QPS_RTS && qp->next != qp->head) {
    struct outcome outcome = qp->fault && qp->next == qp->fault_at ? failed(qp->fault) : attempt(qp, &qp->sends[qp->next & qp->mask]);
    if (qp->ibv.state != IBV_QPS_RTS) {
      /* Its connection ended with the peer's queue pair, and the request was flushed. */
      return;
    }
    uint64_t now = outcome.answer == SILENT || outcome.answer == NOT_READY ? nic_now() : 0;
    bool over = again && now >= qp->retry_at;
    switch (outcome.answer) {
      case DONE:
        end(qp, IBV_WC_SUCCESS);
        nic_stop_waiting(qp);
        qp->retries_left = qp->attr.retry_cnt;
        qp->rnr_left = qp->attr.rnr_retry;
        break;
      case FAILED:
        break_off(qp, outcome.status);
        return;
      case SILENT:
        if (over && !qp->waits_for_receive && qp->retries_left-- == 0) {
          break_off(qp, IBV_WC_RETRY_EXC_ERR);
        } else if (!again || over) {
          qp->waits_for_receive = false;
          wait_until(qp, now + ack_timeout(qp));
        }
        return;
      case NOT_READY:
        /* 7 is for ever: ibv_modify_qp(3). */
        if (qp->attr.rnr_retry != 7 && qp->rnr_left-- == 0) {
          break_off(qp, IBV_WC_RNR_RETRY_EXC_ERR);
        } else {
          qp->waits_for_receive = true;
          wait_until(qp, now + rnr_timer(outcome.rnr_timer) / qp->device->is.hurry);
        }
        return;
    }
    again = false;
  }
  nic_stop_waiting(qp);
}

/* Tries again what waited long enough. Returns when the next is to be tried, 0 if none is. */
uint64_t nic_run_waiting(uint64_t now) {
  uint64_t first;
  struct nic_qp *due;
  do {
    first = 0;
    due = NULL;
    for (struct nic_qp *qp = waiting; qp; qp = qp->next_waiting) {
      if (qp->retry_at <= now) {
        due = qp;
      } else if (!first || qp->retry_at < first) {
        first = qp->retry_at;
      }
    }
    if (due) {
      nic_run(due);
      if (due->listed && due->retry_at <= now) {
        due->retry_at = now + 1;
      }
    }
  } while (due);
  return first;
}

/* The device fails the request that is so many after the one to be carried out next, with an ibv_wc_status of ibv_poll_cq(3). */
int nic_fail_request(uint32_t qp_number, int after, int status) {
  nic_lock();
  struct nic_qp *qp = nic_find_qp(qp_number);
  if (qp) {
    qp->fault_at = qp->next + after;
    qp->fault = status;
  }
  nic_unlock();
  return qp ? 0 : ENOENT;
}

/*
 * Raises an event of ibv_get_async_event(3) where a queue pair is, with what it stands for: queue pairs that an event of their own or of the
 * device ends are in error (IBA 11.6.3), and a port that is down carries nothing (IBA 14.2.5.6).
 */
int nic_raise(uint32_t qp_number, int event) {
  nic_lock();
  struct nic_qp *qp = nic_find_qp(qp_number);
  if (qp) {
    switch (event) {
      case IBV_EVENT_QP_FATAL:
      case IBV_EVENT_QP_REQ_ERR:
      case IBV_EVENT_QP_ACCESS_ERR:
      case IBV_EVENT_PATH_MIG_ERR:
        qp_event(qp, event);
        nic_set_state(qp, IBV_QPS_ERR);
        break;
      case IBV_EVENT_COMM_EST:
      case IBV_EVENT_SQ_DRAINED:
      case IBV_EVENT_PATH_MIG:
      case IBV_EVENT_QP_LAST_WQE_REACHED:
        qp_event(qp, event);
        break;
      case IBV_EVENT_PORT_ERR:
      case IBV_EVENT_PORT_ACTIVE:
        qp->device->port_state = event == IBV_EVENT_PORT_ERR ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
        nic_async(qp->ibv.context, event, qp->device);
        break;
      case IBV_EVENT_DEVICE_FATAL:
        nic_async(qp->ibv.context, event, qp->device);
        for (struct nic_qp *each = nic_context(qp->ibv.context)->qps; each; each = each->next_of_context) {
          nic_set_state(each, IBV_QPS_ERR);
        }
        break;
      default:
        nic_async(qp->ibv.context, event, qp->device);
    }
  }
  nic_unlock();
  return qp ? 0 : ENOENT;
}

static int check(const struct nic_qp *qp, const struct ibv_send_wr *wr, uint64_t *length) {
  const struct nic_personality *is = &qp->device->is;
  if (qp->ibv.state != IBV_QPS_RTS && qp->ibv.state != IBV_QPS_SQD && qp->ibv.state != IBV_QPS_ERR) {
    return EINVAL;
  }
  if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->init.cap.max_send_sge) {
    return EINVAL;
  }
  *length = length_of(wr->sg_list, wr->num_sge);
  if ((wr->send_flags & IBV_SEND_INLINE) && *length > qp->init.cap.max_inline_data) {
    return EINVAL;
  }
  switch (wr->opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_SEND:
      return 0;
    case IBV_WR_RDMA_READ:
      return (wr->send_flags & IBV_SEND_INLINE) ? EINVAL : 0;
    case IBV_WR_RDMA_WRITE_WITH_IMM:
    case IBV_WR_SEND_WITH_IMM:
      return is->iwarp ? EINVAL : 0;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
      return is->atomics && !(wr->send_flags & IBV_SEND_INLINE) ? 0 : EINVAL;
    default:
      return EINVAL;
  }
}

static void add_send(struct nic_qp *qp, const struct ibv_send_wr *wr, uint64_t length) {
  struct nic_send *to = &qp->sends[qp->head++ & qp->mask];
  to->wr_id = wr->wr_id;
  to->length = length;
  to->opcode = wr->opcode;
  to->flags = wr->send_flags | (qp->init.sq_sig_all ? IBV_SEND_SIGNALED : 0);
  to->immediate = wr->imm_data;
  to->count = wr->num_sge;
  if (reads(wr->opcode) && wr->opcode != IBV_WR_RDMA_READ) {
    to->remote = wr->wr.atomic.remote_addr;
    to->key = wr->wr.atomic.rkey;
    to->compare_add = wr->wr.atomic.compare_add;
    to->swap = wr->wr.atomic.swap;
  } else {
    to->remote = wr->wr.rdma.remote_addr;
    to->key = wr->wr.rdma.rkey;
  }
  if (wr->send_flags & IBV_SEND_INLINE) {
    /* The bytes are taken now, by address, whatever the key: ibv_post_send(3). */
    char *into = to->copy;
    for (int i = 0; i < wr->num_sge; i++) {
      memcpy(into, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
      into += wr->sg_list[i].length;
    }
  } else {
    memcpy(to->sge, wr->sg_list, wr->num_sge * sizeof(struct ibv_sge));
  }
}

int nic_post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  struct nic_qp *qp = (struct nic_qp *)ibv;
  int error = 0;
  nic_lock();
  for (; wr && !error; wr = wr->next) {
    uint64_t length;
    error = check(qp, wr, &length);
    if (!error && qp->head - qp->freed == qp->capacity) {
      error = ENOMEM;
    }
    if (error) {
      *bad = wr;
      break;
    }
    add_send(qp, wr, length);
    if (qp->ibv.state == IBV_QPS_ERR) {
      end(qp, IBV_WC_WR_FLUSH_ERR);
    }
  }
  /* A message after one that met silence arrives out of sequence, so the responder asks for that one at once: IBA 9.7.5.2.3. */
  if (qp->device->is.work_in_thread) {
    if (qp->next != qp->head && !qp->retry_at) {
      wait_until(qp, 1);
    }
  } else if (!qp->retry_at || !qp->waits_for_receive) {
    nic_run(qp);
  }
  nic_unlock();
  return error;
}
