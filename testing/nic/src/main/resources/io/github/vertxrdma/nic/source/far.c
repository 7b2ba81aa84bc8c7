/*
 * Requests between queue pairs of different processes. They are numbered, executed in order and answered one by one, like packets by their
 * sequence numbers (IBA 9.7). Short messages contain the bytes. Other bytes are read from the memory of the other process by
 * process_vm_readv(2), if a first attempt has shown that this is allowed. Each queue pair and each key has a life, a word that changes when
 * it ends. The life is read after the bytes, so that bytes of reused memory are not accepted.
 */
#define _GNU_SOURCE
#include "nic.h"

#include <endian.h>
#include <string.h>
#include <sys/uio.h>

enum { SHORT = 8192 };

static uint32_t *life_of_key(uint32_t key) { return &nic_lives.keys[(key >> NIC_KEY_BITS) % NIC_KEY_LIVES]; }

static uint32_t *life_of_qp(uint32_t number) { return &nic_lives.qps[number % NIC_QPS]; }

void nic_key_ends(uint32_t key) { __atomic_add_fetch(life_of_key(key), 1, __ATOMIC_SEQ_CST); }

void nic_qp_ends(struct nic_qp *qp) {
  qp->sent = qp->next;
  __atomic_add_fetch(life_of_qp(qp->ibv.qp_num), 1, __ATOMIC_SEQ_CST);
}

/* ---- memory of other processes ---- */

bool nic_read_memory(const struct nic_link *link, struct iovec *to, int to_count, struct iovec *from, int from_count, uint64_t length) {
  while (length > 0) {
    ssize_t n = process_vm_readv(link->pid, to, to_count, from, from_count, 0);
    if (n <= 0) {
      return false;
    }
    length -= n;
    for (ssize_t left = n; left > 0; to_count -= left > 0, to += left > 0) {
      size_t step = (size_t)left < to->iov_len ? (size_t)left : to->iov_len;
      to->iov_base = (char *)to->iov_base + step;
      to->iov_len -= step;
      left -= step;
    }
    for (ssize_t left = n; left > 0; from_count -= left > 0, from += left > 0) {
      size_t step = (size_t)left < from->iov_len ? (size_t)left : from->iov_len;
      from->iov_base = (char *)from->iov_base + step;
      from->iov_len -= step;
      left -= step;
    }
  }
  return true;
}

bool nic_lives_on(const struct nic_link *link, const uint32_t *here, uint32_t life) {
  uint32_t now;
  /* Address of the same word in the other process, which has loaded this library at another address. */
  char *there = (char *)link->lives + ((char *)here - (char *)&nic_lives);
  struct iovec to = {&now, sizeof now}, from = {there, sizeof now};
  return nic_read_memory(link, &to, 1, &from, 1, sizeof now) && now == life;
}

/* ---- the requester ---- */

static bool transmit(struct nic_qp *qp, const struct nic_send *request, struct iovec *local, int count) {
  uint32_t process = qp->attr.dest_qp_num >> NIC_QP_BITS;
  struct nic_link *link = qp->lost || !nic_is_up(qp) ? NULL : nic_link_to(process);
  if (!link) {
    return false;
  }
  struct nic_message message = {.kind = NIC_REQUEST, .to = qp->attr.dest_qp_num, .from = qp->ibv.qp_num, .sequence = qp->sent,
    .request = {.remote = request->remote, .length = request->length, .compare_add = request->compare_add, .swap = request->swap,
      .key = request->key, .flags = request->flags, .immediate = request->immediate, .opcode = request->opcode}};
  if (nic_reads(request->opcode)) {
    count = 0;
  } else if (request->length > SHORT && link->reads_us) {
    message.request.pieces = count;
    message.request.life = *life_of_qp(qp->ibv.qp_num);
    struct iovec pieces = {local, count * sizeof *local};
    nic_send(link, &message, &pieces, 1);
    return true;
  }
  nic_send(link, &message, local, count);
  return true;
}

void nic_run_far(struct nic_qp *qp) {
  uint64_t now = qp->retry_at > 1 ? nic_now() : 0;
  bool over = now && now >= qp->retry_at, fresh = qp->retry_at <= 1;
  if (qp->sent != qp->next) {
    /*
     * The other process lives but does not answer, so the requested timeout applies. If the process is stopped, the timeout does not count,
     * because an adapter would still acknowledge.
     */
    if (over && !nic_is_stopped(qp->attr.dest_qp_num >> NIC_QP_BITS) && qp->retries_left-- == 0) {
      nic_break_off(qp, IBV_WC_RETRY_EXC_ERR);
      return;
    }
    fresh |= over;
  } else if (now) {
    if (!over) {
      return;
    }
    if (!qp->waits_for_receive && qp->retries_left-- == 0) {
      nic_break_off(qp, IBV_WC_RETRY_EXC_ERR);
      return;
    }
    fresh = true;
  }
  qp->waits_for_receive = false;
  while (qp->ibv.state == IBV_QPS_RTS && qp->sent != qp->head && qp->sent - qp->next < NIC_WINDOW) {
    struct iovec local[NIC_MAX_SGE];
    int count;
    struct nic_send *request = &qp->sends[qp->sent & qp->mask];
    enum ibv_wc_status status = nic_fault(qp, qp->sent);
    if (!status) {
      status = nic_prepare(qp, request, local, &count);
    }
    /* Requests end in order; IBA 10.8.3. */
    if (status && qp->sent == qp->next) {
      nic_break_off(qp, status);
      return;
    }
    if (status) {
      break;
    }
    if (!transmit(qp, request, local, count)) {
      if (qp->sent == qp->next) {
        nic_wait_until(qp, nic_now() + nic_ack_timeout(qp) / qp->device->is.hurry);
        return;
      }
      break;
    }
    qp->sent++;
  }
  if (qp->next == qp->head) {
    nic_stop_waiting(qp);
  } else if (fresh) {
    nic_wait_until(qp, nic_now() + nic_ack_timeout(qp));
  }
}

/* Stores the result of a read or an atomic. Returns DONE on success, SILENT if the memory's life ended while it was read. */
static struct nic_outcome place(struct nic_qp *qp, const struct nic_send *request, struct nic_link *link, const struct nic_message *answer,
  char *payload) {
  struct iovec local[NIC_MAX_SGE];
  int count;
  enum ibv_wc_status status = nic_prepare(qp, request, local, &count);
  if (status) {
    return nic_failed(status);
  }
  if (request->opcode != IBV_WR_RDMA_READ && qp->device->is.atomics == NIC_ATOMICS_BIG_ENDIAN) {
    uint64_t old;
    memcpy(&old, payload, sizeof old);
    old = htobe64(old);
    memcpy(payload, &old, sizeof old);
  }
  if (answer->bytes || request->length == 0) {
    struct iovec from = {payload, request->length};
    nic_copy(local, &from, 1);
    return nic_done;
  }
  struct iovec from = {(void *)(uintptr_t)answer->answer.address, request->length};
  return nic_read_memory(link, local, count, &from, 1, request->length) &&
      nic_lives_on(link, life_of_key(request->key), answer->answer.life) ? nic_done : nic_silent;
}

void nic_hear_answer(struct nic_link *link, const struct nic_message *message, char *payload) {
  struct nic_qp *qp = nic_find_qp(message->to);
  if (!qp || qp->ibv.state != IBV_QPS_RTS || qp->attr.dest_qp_num != message->from || message->sequence != qp->next || qp->sent == qp->next) {
    return;
  }
  struct nic_send *request = &qp->sends[qp->next & qp->mask];
  struct nic_outcome outcome = {message->answer.answer, message->answer.status, message->answer.rnr_timer};
  if (outcome.answer == NIC_DONE && nic_reads(request->opcode)) {
    outcome = place(qp, request, link, message, payload);
  }
  switch (outcome.answer) {
    case NIC_DONE:
      nic_end(qp, IBV_WC_SUCCESS);
      qp->retries_left = qp->attr.retry_cnt;
      qp->rnr_left = qp->attr.rnr_retry;
      qp->retry_at = qp->listed;
      nic_run_far(qp);
      break;
    case NIC_FAILED:
      nic_break_off(qp, outcome.status);
      break;
    case NIC_SILENT:
      qp->sent = qp->next;
      nic_wait_until(qp, nic_now() + nic_ack_timeout(qp) / qp->device->is.hurry);
      break;
    case NIC_NOT_READY:
      qp->sent = qp->next;
      nic_wait_for_receive(qp, outcome.rnr_timer);
      break;
  }
}

/* Ends requests to an ended process. They get no answer, not even from a later process with the same number. */
void nic_gone(uint32_t process) {
  for (uint32_t index = 0; index < NIC_QPS; index++) {
    struct nic_qp *qp = nic_qp_at(index);
    if (qp && qp->attr.dest_qp_num >> NIC_QP_BITS == process) {
      qp->lost = true;
      qp->sent = qp->next;
      if (qp->ibv.state == IBV_QPS_RTS && qp->next != qp->head) {
        qp->waits_for_receive = false;
        nic_wait_until(qp, nic_now() + nic_ack_timeout(qp) / qp->device->is.hurry);
      }
    }
  }
}

/* ---- the responder ---- */

static void answer(const struct nic_link *link, const struct nic_message *request, struct nic_outcome outcome, struct iovec *found) {
  struct nic_link *back = nic_link_to(link->process);
  struct nic_message message = {.kind = NIC_ANSWER, .to = request->from, .from = request->to, .sequence = request->sequence,
    .answer = {.answer = outcome.answer, .status = outcome.status, .rnr_timer = outcome.rnr_timer}};
  if (!back) {
    return;
  }
  if (found && found->iov_len > SHORT && back->reads_us) {
    message.answer.address = (uintptr_t)found->iov_base;
    message.answer.life = *life_of_key(request->request.key);
    found = NULL;
  }
  nic_send(back, &message, found, found != NULL);
}

void nic_hear_request(struct nic_link *link, const struct nic_message *message, char *payload) {
  struct nic_qp *target = nic_find_qp(message->to);
  bool here = target && (target->ibv.state == IBV_QPS_RTR || target->ibv.state == IBV_QPS_RTS) && nic_is_up(target);
  if (!here) {
    answer(link, message, nic_silent, NULL);
    return;
  }
  bool repeated = message->sequence < target->expected;
  bool read = message->request.opcode == IBV_WR_RDMA_READ;
  if (message->sequence > target->expected) {
    /* An earlier request was not executed, and its requester was notified of that. */
    return;
  }
  struct nic_send request = {.remote = message->request.remote, .length = message->request.length, .compare_add = message->request.compare_add,
    .swap = message->request.swap, .key = message->request.key, .flags = message->request.flags, .immediate = message->request.immediate,
    .opcode = message->request.opcode};
  struct iovec pieces[NIC_MAX_SGE] = {{payload, message->bytes}};
  struct nic_bytes bytes = {.pieces = pieces, .count = 1};
  if (message->request.pieces) {
    bytes.count = message->request.pieces;
    memcpy(pieces, payload, message->bytes);
    bytes.link = link;
    bytes.life = life_of_qp(message->from);
    bytes.was = message->request.life;
  } else if (nic_reads(request.opcode) && !read) {
    pieces[0] = (struct iovec){&target->words[message->sequence % NIC_WINDOW], sizeof(uint64_t)};
  }
  bytes.far = true;
  /* A repeated read is executed again. Other repeated requests only get their answer again; IBA 9.7.5.1.3. */
  struct nic_outcome outcome = repeated && !read ? nic_done : nic_respond(target, &request, &bytes, message->from);
  if (outcome.answer == NIC_DONE && !repeated) {
    target->expected++;
  }
  bool brings = outcome.answer == NIC_DONE && nic_reads(request.opcode);
  answer(link, message, outcome, !brings ? NULL : read ? &bytes.found : &pieces[0]);
}
