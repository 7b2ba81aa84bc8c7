/* The requester: executes the requests of a send queue in order, and repeats those without an answer or a receive. */
#include "nic.h"

#include <stdlib.h>

static struct nic_qp *waiting;

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

/* Ends the request at next. A successful unsignalled request has no completion, a failed one always has; ibv_post_send(3). */
void nic_end(struct nic_qp *qp, enum ibv_wc_status status) {
  struct nic_send *request = &qp->sends[qp->next++ & qp->mask];
  if (status == IBV_WC_SUCCESS && !(request->flags & IBV_SEND_SIGNALED)) {
    return;
  }
  struct ibv_wc wc = {.wr_id = request->wr_id, .status = status, .qp_num = qp->ibv.qp_num};
  if (status == IBV_WC_SUCCESS) {
    wc.opcode = completed_as(request->opcode);
    wc.byte_len = nic_reads(request->opcode) ? request->length : 0;
  } else {
    wc.vendor_err = 0x80 + status;
    wc.opcode = 0xff;
    wc.byte_len = 0xdeadbeef;
  }
  nic_complete((struct nic_cq *)qp->ibv.send_cq, &wc, qp, qp->next, false);
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

void nic_wait_until(struct nic_qp *qp, uint64_t when) {
  qp->retry_at = when;
  if (!qp->listed) {
    qp->listed = true;
    qp->next_waiting = waiting;
    waiting = qp;
  }
  nic_wake(when);
}

void nic_break_off(struct nic_qp *qp, enum ibv_wc_status status) {
  nic_end(qp, status);
  nic_set_state(qp, IBV_QPS_ERR);
}

/* Returns the rights that a request needs for local memory. iWARP answers a read with a write to the key of its sink; RFC 5040, 5.1.3. */
static unsigned int sink_rights(const struct nic_qp *qp, const struct nic_send *request) {
  return !nic_reads(request->opcode) ? 0 : nic_is_iwarp(qp->device) ? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE : IBV_ACCESS_LOCAL_WRITE;
}

/* Checks a request. Returns IBV_WC_SUCCESS with the addresses of its local bytes, or the status with which the request ends. */
enum ibv_wc_status nic_prepare(const struct nic_qp *qp, const struct nic_send *request, struct iovec *local, int *count) {
  *count = request->count;
  if (request->flags & IBV_SEND_INLINE) {
    local[0].iov_base = request->copy;
    local[0].iov_len = request->length;
    *count = 1;
  } else if (!nic_resolve(qp, request->sge, request->count, sink_rights(qp, request), local)) {
    return IBV_WC_LOC_PROT_ERR;
  }
  if (request->length > qp->device->is.max_message) {
    return IBV_WC_LOC_LEN_ERR;
  }
  bool atomic = nic_reads(request->opcode) && request->opcode != IBV_WR_RDMA_READ;
  if (atomic && request->length != 8) {
    return IBV_WC_LOC_LEN_ERR;
  }
  /* A queue pair with max_rd_atomic 0 cannot post reads: IBA 11.4.1.1. */
  return nic_reads(request->opcode) && qp->attr.max_rd_atomic == 0 ? IBV_WC_LOC_QP_OP_ERR : IBV_WC_SUCCESS;
}

static struct nic_outcome attempt(struct nic_qp *qp, struct nic_send *request) {
  struct iovec local[NIC_MAX_SGE];
  struct nic_bytes bytes = {.pieces = local, .big_endian = qp->device->is.atomics == NIC_ATOMICS_BIG_ENDIAN};
  enum ibv_wc_status status = nic_prepare(qp, request, local, &bytes.count);
  if (status) {
    return nic_failed(status);
  }
  if (!nic_is_up(qp)) {
    return nic_silent;
  }
  struct nic_qp *target = nic_find_qp(qp->attr.dest_qp_num);
  return target && (!nic_is_up(target) || !nic_finds(qp, target)) ? nic_silent : nic_respond(target, request, &bytes, qp->ibv.qp_num);
}

/* Returns the Local Ack Timeout in nanoseconds, 4.096 us * 2^timeout; 0 means no timeout: ibv_modify_qp(3). */
uint64_t nic_ack_timeout(const struct nic_qp *qp) { return qp->attr.timeout == 0 ? UINT64_MAX / 4 : 4096ull << qp->attr.timeout; }

/* Returns the time of an RNR NAK timer field in nanoseconds. The table has units of 10 us; IBA 9.7.5.2.8, table 45; ibv_modify_qp(3). */
static uint64_t rnr_timer(int field) {
  static const uint32_t units[32] = {65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
    4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return units[field & 31] * 10000ull;
}

void nic_wait_for_receive(struct nic_qp *qp, int timer) {
  /* 7 means unlimited: ibv_modify_qp(3). */
  if (qp->attr.rnr_retry != 7 && qp->rnr_left-- == 0) {
    nic_break_off(qp, IBV_WC_RNR_RETRY_EXC_ERR);
  } else {
    qp->waits_for_receive = true;
    nic_wait_until(qp, nic_now() + rnr_timer(timer) / qp->device->is.hurry);
  }
}

void nic_run(struct nic_qp *qp) {
  if (nic_is_far(qp)) {
    nic_run_far(qp);
    return;
  }
  /* The value 1 stands for the first attempt, by the device's thread. */
  bool again = qp->retry_at > 1;
  while (qp->ibv.state == IBV_QPS_RTS && qp->next != qp->head) {
    enum ibv_wc_status fault = nic_fault(qp, qp->next);
    struct nic_outcome outcome = fault ? nic_failed(fault) : attempt(qp, &qp->sends[qp->next & qp->mask]);
    if (qp->ibv.state != IBV_QPS_RTS) {
      /* The peer's queue pair ended the connection, and the request was flushed. */
      return;
    }
    uint64_t now = outcome.answer == NIC_SILENT ? nic_now() : 0;
    bool over = again && now >= qp->retry_at;
    switch (outcome.answer) {
      case NIC_DONE:
        nic_end(qp, IBV_WC_SUCCESS);
        nic_stop_waiting(qp);
        qp->retries_left = qp->attr.retry_cnt;
        qp->rnr_left = qp->attr.rnr_retry;
        break;
      case NIC_FAILED:
        nic_break_off(qp, outcome.status);
        return;
      case NIC_SILENT:
        if (over && !qp->waits_for_receive && qp->retries_left-- == 0) {
          nic_break_off(qp, IBV_WC_RETRY_EXC_ERR);
        } else if (!again || over) {
          qp->waits_for_receive = false;
          nic_wait_until(qp, now + nic_ack_timeout(qp) / qp->device->is.hurry);
        }
        return;
      case NIC_NOT_READY:
        nic_wait_for_receive(qp, outcome.rnr_timer);
        return;
    }
    again = false;
  }
  nic_stop_waiting(qp);
}

/* Repeats requests that have waited long enough. Returns the time of the next one; 0 if there is none. */
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
