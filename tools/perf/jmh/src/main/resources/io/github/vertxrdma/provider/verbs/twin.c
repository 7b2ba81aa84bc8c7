/*
 * A C program over verbs, as a library: two queue pairs of one process on one completion queue, driven by one thread. Each function does
 * its work COUNT times and returns 0, or an errno.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64
#define SLOT 64
#define BATCH 16

struct twin {
  struct ibv_context *context;
  struct ibv_pd *pd;
  struct ibv_cq *cq;
  struct ibv_qp *qps[2];
  struct ibv_mr *mr;
  char *memory;
};

enum { RECEIVE = 1 << 16 };

static int connect_to(struct ibv_qp *qp, struct ibv_qp *peer, union ibv_gid *gid) {
  struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1,
    .qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC};
  struct ibv_qp_attr rtr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_4096, .dest_qp_num = peer->qp_num, .max_dest_rd_atomic = 1,
    .min_rnr_timer = 12, .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = *gid, .hop_limit = 1}}};
  struct ibv_qp_attr rts = {.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
  int error = ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  error = error ? error : ibv_modify_qp(qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
    | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  return error ? error : ibv_modify_qp(qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
    | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int post_receive(struct twin *t, int side, int slot) {
  struct ibv_sge sge = {(uintptr_t)t->memory + (side * DEPTH + slot) * SLOT, SLOT, t->mr->lkey};
  struct ibv_recv_wr wr = {.wr_id = RECEIVE | side << 8 | slot, .sg_list = &sge, .num_sge = 1}, *bad;
  return ibv_post_recv(t->qps[side], &wr, &bad);
}

struct twin *twin_open(void) {
  struct twin *t = calloc(1, sizeof *t);
  struct ibv_device **devices = ibv_get_device_list(NULL);
  union ibv_gid gid;
  if (!devices[0] || !(t->context = ibv_open_device(devices[0])) || ibv_query_gid(t->context, 1, 0, &gid) != 0) return NULL;
  ibv_free_device_list(devices);
  t->memory = aligned_alloc(4096, 4 * DEPTH * SLOT);
  memset(t->memory, 0, 4 * DEPTH * SLOT);
  t->pd = ibv_alloc_pd(t->context);
  t->mr = ibv_reg_mr(t->pd, t->memory, 4 * DEPTH * SLOT, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
  t->cq = ibv_create_cq(t->context, 4 * DEPTH, NULL, NULL, 0);
  for (int side = 0; side < 2; side++) {
    struct ibv_qp_init_attr how = {.send_cq = t->cq, .recv_cq = t->cq, .qp_type = IBV_QPT_RC,
      .cap = {.max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = SLOT}};
    t->qps[side] = ibv_create_qp(t->pd, &how);
  }
  for (int side = 0; side < 2; side++) {
    if (connect_to(t->qps[side], t->qps[1 - side], &gid) != 0) return NULL;
    for (int slot = 0; slot < DEPTH / 2; slot++) post_receive(t, side, slot);
  }
  return t;
}

/* Polls WANTED completions, and posts each receive again. */
static int take(struct twin *t, int wanted) {
  struct ibv_wc wc[2 * BATCH];
  while (wanted > 0) {
    int n = ibv_poll_cq(t->cq, 2 * BATCH, wc);
    for (int i = 0; i < n; i++) {
      if (wc[i].status) return EIO;
      if (wc[i].wr_id & RECEIVE) {
        int error = post_receive(t, wc[i].wr_id >> 8 & 1, wc[i].wr_id & 0xff);
        if (error) return error;
      }
    }
    wanted -= n;
  }
  return 0;
}

/* Sends messages there and back, one at a time: a send and its completion, a receive and its completion, each way. */
int twin_rounds(struct twin *t, int count) {
  int error = 0;
  for (int i = 0; i < 2 * count && !error; i++) {
    struct ibv_sge sge = {(uintptr_t)t->memory + 2 * DEPTH * SLOT, SLOT, t->mr->lkey};
    struct ibv_send_wr wr = {.wr_id = i & 0xff, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
      .send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE}, *bad;
    error = ibv_post_send(t->qps[i & 1], &wr, &bad);
    error = error ? error : take(t, 2);
  }
  return error;
}

/* Sends messages one way, BATCH posted by one call. Only the last one has a completion. */
int twin_batches(struct twin *t, int count) {
  int error = 0;
  for (int i = 0; i < count && !error; i++) {
    struct ibv_sge sges[BATCH];
    struct ibv_send_wr wrs[BATCH], *bad;
    for (int k = 0; k < BATCH; k++) {
      sges[k] = (struct ibv_sge){(uintptr_t)t->memory + (2 * DEPTH + k) * SLOT, SLOT, t->mr->lkey};
      wrs[k] = (struct ibv_send_wr){.wr_id = k, .next = k < BATCH - 1 ? &wrs[k + 1] : NULL, .sg_list = &sges[k], .num_sge = 1,
        .opcode = IBV_WR_SEND, .send_flags = k < BATCH - 1 ? 0 : IBV_SEND_SIGNALED};
    }
    error = ibv_post_send(t->qps[0], wrs, &bad);
    error = error ? error : take(t, BATCH + 1);
  }
  return error;
}

/* Sends messages one way, BATCH of them one post after the other, each with its completion. */
int twin_bursts(struct twin *t, int count) {
  int error = 0;
  for (int i = 0; i < count && !error; i++) {
    for (int k = 0; k < BATCH && !error; k++) {
      struct ibv_sge sge = {(uintptr_t)t->memory + (2 * DEPTH + k) * SLOT, SLOT, t->mr->lkey};
      struct ibv_send_wr wr = {.wr_id = k, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
        .send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE}, *bad;
      error = ibv_post_send(t->qps[0], &wr, &bad);
    }
    error = error ? error : take(t, 2 * BATCH);
  }
  return error;
}

int twin_reads(struct twin *t, int count) {
  int error = 0;
  for (int i = 0; i < count && !error; i++) {
    struct ibv_sge sge = {(uintptr_t)t->memory + 2 * DEPTH * SLOT, SLOT, t->mr->lkey};
    struct ibv_send_wr wr = {.wr_id = i & 0xff, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_READ,
      .send_flags = IBV_SEND_SIGNALED, .wr.rdma = {(uintptr_t)t->memory + 3 * DEPTH * SLOT, t->mr->rkey}}, *bad;
    error = ibv_post_send(t->qps[0], &wr, &bad);
    error = error ? error : take(t, 1);
  }
  return error;
}

int twin_polls(struct twin *t, int count) {
  struct ibv_wc wc;
  int n = 0;
  for (int i = 0; i < count; i++) n += ibv_poll_cq(t->cq, 1, &wc);
  return n;
}
