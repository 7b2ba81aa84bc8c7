/* Posts of work requests: ibv_post_send(3). */
#include "nic.h"

#include <errno.h>
#include <string.h>

static int check(const struct nic_qp *qp, const struct ibv_send_wr *wr, uint64_t *length) {
  const struct nic_personality *is = &qp->device->is;
  if (qp->ibv.state != IBV_QPS_RTS && qp->ibv.state != IBV_QPS_SQD && qp->ibv.state != IBV_QPS_ERR) {
    return EINVAL;
  }
  if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->init.cap.max_send_sge) {
    return EINVAL;
  }
  if (is->needs_element &&
      (wr->opcode == IBV_WR_RDMA_READ || (wr->opcode == IBV_WR_RDMA_WRITE && wr->next && wr->next->opcode == IBV_WR_SEND))) {
    /* erdma_verbs.c and cxgb4/qp.c of rdma-core: reads, and a write before a send, whatever the number of elements is. */
    struct ibv_sge first = *(volatile struct ibv_sge *)wr->sg_list;
    (void)first;
  }
  *length = nic_length_of(wr->sg_list, wr->num_sge);
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
      return is->transport == NIC_IWARP ? EINVAL : 0;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
      return is->atomics != NIC_NO_ATOMICS && !(wr->send_flags & IBV_SEND_INLINE) ? 0 : EINVAL;
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
  if (nic_reads(wr->opcode) && wr->opcode != IBV_WR_RDMA_READ) {
    to->remote = wr->wr.atomic.remote_addr;
    to->key = wr->wr.atomic.rkey;
    to->compare_add = wr->wr.atomic.compare_add;
    to->swap = wr->wr.atomic.swap;
  } else {
    to->remote = wr->wr.rdma.remote_addr;
    to->key = wr->wr.rdma.rkey;
  }
  if (wr->send_flags & IBV_SEND_INLINE) {
    /* Inline bytes are copied during the post, by address and without a key: ibv_post_send(3). */
    char *into = to->copy;
    for (int i = 0; i < wr->num_sge; i++) {
      memcpy(into, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
      into += wr->sg_list[i].length;
    }
  } else {
    memcpy(to->sge, wr->sg_list, wr->num_sge * sizeof(struct ibv_sge));
    /* irdma_uk_rdma_write and irdma_uk_rdma_read of rdma-core use the first element even if the number of elements is 0. */
    if (qp->device->is.takes_element_0 && wr->num_sge == 0 && wr->sg_list &&
        (wr->opcode == IBV_WR_RDMA_WRITE || wr->opcode == IBV_WR_RDMA_READ)) {
      to->sge[0] = wr->sg_list[0];
      to->count = 1;
      to->length = to->sge[0].length;
    }
  }
}

int nic_post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  struct nic_qp *qp = (struct nic_qp *)ibv;
  int error = 0;
  bool doorbell_fails = false;
  struct nic_td *td = nic_enter(ibv);
  nic_lock();
  for (; wr && !error; wr = wr->next) {
    uint64_t length;
    error = check(qp, wr, &length);
    if (!error && qp->head - qp->freed == qp->capacity) {
      error = ENOMEM;
    }
    if (!error && qp->refused_posts) {
      qp->refused_posts--;
      /* siw has queued the request when its doorbell, a write(2), fails: siw_post_send() in siw.c of rdma-core. */
      doorbell_fails = qp->refused_with == -1;
      error = doorbell_fails ? 0 : qp->refused_with;
    }
    if (error) {
      *bad = wr;
      break;
    }
    add_send(qp, wr, length);
    if (qp->ibv.state == IBV_QPS_ERR) {
      nic_end(qp, IBV_WC_WR_FLUSH_ERR);
    }
  }
  if (doorbell_fails) {
    *bad = wr;
    nic_unlock();
    nic_exit(td);
    return -1;
  }
  /*
   * If an earlier message is unanswered, this one arrives out of sequence, so the responder immediately requests the first again: IBA
   * 9.7.5.2.3.
   */
  if (qp->device->is.work_in_thread) {
    if (qp->next != qp->head && (!qp->retry_at || (nic_is_far(qp) && qp->sent != qp->next))) {
      nic_wait_until(qp, 1);
    }
  } else if (!qp->retry_at || !qp->waits_for_receive) {
    nic_run(qp);
  }
  nic_unlock();
  nic_exit(td);
  return error;
}
