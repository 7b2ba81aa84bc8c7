/* The responder: executes a request at its target queue pair, or refuses it. */
#include "nic.h"

#include <endian.h>
#include <string.h>

/* Refuses a request: the responder's queue pair enters the error state and reports the reason to its own process; IBA 9.9.3, 11.6.3.2. */
static struct nic_outcome refuse(struct nic_qp *target, enum ibv_wc_status status) {
  nic_qp_event(target, status == IBV_WC_REM_ACCESS_ERR ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR);
  nic_set_state(target, IBV_QPS_ERR);
  return nic_failed(status);
}

/*
 * Moves the responder's queue pair to the error state because a receive cannot hold the message. The receive completes with an error; IBA
 * 9.9.3.
 */
static struct nic_outcome refuse_receive(struct nic_qp *target, uint64_t wr_id, enum ibv_wc_status here, enum ibv_wc_status there) {
  nic_complete_receive(target, wr_id, here, NULL, 0);
  nic_set_state(target, IBV_QPS_ERR);
  return nic_failed(there);
}

/*
 * Answers a request without a receive. On InfiniBand the request is repeated later (IBA 9.7.5.2.8), on iWARP the connection ends (RFC 5041,
 * 6.2).
 */
static struct nic_outcome not_ready(struct nic_qp *target) {
  if (nic_is_iwarp(target->device)) {
    nic_set_state(target, IBV_QPS_ERR);
    return nic_failed(IBV_WC_REM_OP_ERR);
  }
  struct nic_outcome outcome = {NIC_NOT_READY, IBV_WC_SUCCESS, target->attr.min_rnr_timer};
  return outcome;
}

/* Copies the bytes of a request. Returns false if the life of their memory ended meanwhile, and so the request. */
static bool bring(struct iovec *there, int count, uint64_t length, struct nic_bytes *from) {
  if (!from->link) {
    nic_copy(there, from->pieces, from->count);
    return true;
  }
  return nic_read_memory(from->link, there, count, from->pieces, from->count, length) && nic_lives_on(from->link, from->life, from->was);
}

struct nic_outcome nic_respond(struct nic_qp *target, const struct nic_send *request, struct nic_bytes *bytes, uint32_t source) {
  if (!target || (target->ibv.state != IBV_QPS_RTR && target->ibv.state != IBV_QPS_RTS)) {
    return nic_silent;
  }
  if (target->ibv.state == IBV_QPS_RTR && !target->established_told) {
    target->established_told = true;
    nic_qp_event(target, IBV_EVENT_COMM_EST);
  }
  struct iovec there[NIC_MAX_SGE];
  switch (request->opcode) {
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM: {
      struct nic_receive *taken = nic_take_receive(target);
      if (!taken) {
        return not_ready(target);
      }
      if (nic_length_of(taken->sge, taken->count) < request->length) {
        return refuse_receive(target, taken->wr_id, IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR);
      }
      if (!nic_resolve(target, taken->sge, taken->count, IBV_ACCESS_LOCAL_WRITE, there)) {
        return refuse_receive(target, taken->wr_id, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
      }
      if (!bring(there, taken->count, request->length, bytes)) {
        nic_receives_of(target)->tail--;
        return nic_silent;
      }
      nic_complete_receive(target, taken->wr_id, IBV_WC_SUCCESS, request, source);
      return nic_done;
    }
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM: {
      bool notifies = request->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
      if (notifies && nic_receives_of(target)->head == nic_receives_of(target)->tail) {
        return not_ready(target);
      }
      /* The key and address of an empty write are not checked: IBA 9.7.4.1.5. */
      if (request->length > 0) {
        there[0].iov_base = nic_remote(target, request->key, request->remote, request->length, IBV_ACCESS_REMOTE_WRITE);
        there[0].iov_len = request->length;
        if (!there[0].iov_base) {
          return refuse(target, IBV_WC_REM_ACCESS_ERR);
        }
        if (!bring(there, 1, request->length, bytes)) {
          return nic_silent;
        }
      }
      if (notifies) {
        nic_complete_receive(target, nic_take_receive(target)->wr_id, IBV_WC_SUCCESS, request, source);
      }
      return nic_done;
    }
    case IBV_WR_RDMA_READ: {
      struct iovec from = {nic_remote(target, request->key, request->remote, request->length, IBV_ACCESS_REMOTE_READ), request->length};
      if (request->length > 0 && !from.iov_base) {
        return refuse(target, IBV_WC_REM_ACCESS_ERR);
      }
      if (bytes->far) {
        bytes->found = from;
      } else {
        nic_copy(bytes->pieces, &from, 1);
      }
      return nic_done;
    }
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD: {
      /* Atomics need eight aligned bytes; other requests are invalid: IBA 9.4.5, 9.7.4.1.4. */
      if (request->remote & 7) {
        return refuse(target, IBV_WC_REM_INV_REQ_ERR);
      }
      uint64_t *word = (uint64_t *)nic_remote(target, request->key, request->remote, 8, IBV_ACCESS_REMOTE_ATOMIC);
      if (!word) {
        return refuse(target, IBV_WC_REM_ACCESS_ERR);
      }
      uint64_t old = request->compare_add;
      if (request->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        old = __atomic_fetch_add(word, request->compare_add, __ATOMIC_SEQ_CST);
      } else {
        __atomic_compare_exchange_n(word, &old, request->swap, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      }
      old = bytes->big_endian ? htobe64(old) : old;
      struct iovec from = {&old, sizeof old};
      nic_copy(bytes->pieces, &from, 1);
      return nic_done;
    }
    default:
      return refuse(target, IBV_WC_REM_INV_REQ_ERR);
  }
}
