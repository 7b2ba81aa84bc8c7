/* State changes of queue pairs by the connection manager; rdma_create_qp(3), rdma_init_qp_attr(3). */
#include "cm.h"

#include <errno.h>
#include <string.h>

static union ibv_gid gid_of(const struct sockaddr *address) {
  union ibv_gid gid = {{0}};
  if (address->sa_family == AF_INET) {
    gid.raw[10] = gid.raw[11] = 0xff;
    memcpy(gid.raw + 12, &((struct sockaddr_in *)address)->sin_addr, 4);
  } else {
    memcpy(gid.raw, &((struct sockaddr_in6 *)address)->sin6_addr, 16);
  }
  return gid;
}

static void address_vector(const struct cm_id *id, struct ibv_qp_attr *attr) {
  attr->ah_attr.port_num = id->ibv.port_num;
  if (id->device->is.transport == NIC_IB) {
    attr->ah_attr.dlid = id->peer_lid;
    attr->ah_attr.is_global = id->device->is.grh_required || id->peer_grh;
    attr->ah_attr.grh.dgid = id->peer_gid;
    return;
  }
  struct ibv_gid_entry gids[NIC_GIDS];
  union ibv_gid own = gid_of(&id->ibv.route.addr.src_addr);
  attr->ah_attr.is_global = 1;
  attr->ah_attr.grh.hop_limit = 64;
  attr->ah_attr.grh.dgid = gid_of(&id->ibv.route.addr.dst_addr);
  int count = nic_gids(id->device, id->ibv.port_num, gids);
  for (int i = 0; i < count; i++) {
    if (gids[i].gid_type == IBV_GID_TYPE_ROCE_V2 && memcmp(&gids[i].gid, &own, sizeof own) == 0) {
      attr->ah_attr.grh.sgid_index = gids[i].gid_index;
    }
  }
}

static int attributes(const struct cm_id *id, struct ibv_qp_attr *attr, int *mask) {
  switch (attr->qp_state) {
    case IBV_QPS_INIT:
      attr->qp_access_flags = 0;
      attr->pkey_index = nic_pkey_index(id->device);
      attr->port_num = id->ibv.port_num;
      *mask = IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | (nic_is_iwarp(id->device) ? 0 : IBV_QP_PKEY_INDEX | IBV_QP_PORT);
      return 0;
    case IBV_QPS_RTR:
      address_vector(id, attr);
      attr->path_mtu = id->mtu;
      attr->dest_qp_num = id->peer_qp;
      attr->rq_psn = id->peer_psn;
      attr->max_dest_rd_atomic = id->own_reads;
      attr->min_rnr_timer = 0;
      *mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
      return 0;
    case IBV_QPS_RTS:
      attr->sq_psn = id->own_psn;
      attr->timeout = id->timeout;
      attr->retry_cnt = id->retries;
      attr->rnr_retry = id->rnr_retries;
      attr->max_rd_atomic = id->peer_reads;
      *mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
      return 0;
    default:
      return EINVAL;
  }
}

int rdma_init_qp_attr(struct rdma_cm_id *ibv, struct ibv_qp_attr *attr, int *mask) {
  struct cm_id *id = (struct cm_id *)ibv;
  nic_lock();
  int error = id->device ? attributes(id, attr, mask) : EINVAL;
  nic_unlock();
  return cm_fail(error);
}

void cm_move_qp(struct cm_id *id, enum ibv_qp_state state) {
  struct nic_qp *qp = nic_find_qp(id->own_qp);
  if (qp) {
    struct ibv_qp_attr attr = {.qp_state = state};
    int mask;
    attributes(id, &attr, &mask);
    qp->attr.dest_qp_num = state == IBV_QPS_RTR ? attr.dest_qp_num : qp->attr.dest_qp_num;
    if (state == IBV_QPS_RTR) {
      qp->attr.max_dest_rd_atomic = attr.max_dest_rd_atomic;
      qp->attr.ah_attr = attr.ah_attr;
      qp->arrives_at = 0;
    } else {
      qp->attr.max_rd_atomic = attr.max_rd_atomic;
      qp->attr.timeout = attr.timeout;
      qp->attr.retry_cnt = qp->retries_left = attr.retry_cnt;
      qp->attr.rnr_retry = qp->rnr_left = attr.rnr_retry;
    }
    nic_set_state(qp, state);
  }
}

/* Moves a queue pair that rdma_create_qp(3) created to RTS; on iWARP any queue pair. */
void cm_ready(struct cm_id *id) {
  if (id->ibv.qp || nic_is_iwarp(id->device)) {
    cm_move_qp(id, IBV_QPS_RTR);
    cm_move_qp(id, IBV_QPS_RTS);
  }
}

/* Creates a completion queue with a channel, which belong to the id. */
static struct ibv_cq *own_queue(struct rdma_cm_id *id, uint32_t entries, struct ibv_comp_channel **channel) {
  *channel = ibv_create_comp_channel(id->verbs);
  return *channel ? ibv_create_cq(id->verbs, entries ? entries : 1, id, *channel, 0) : NULL;
}

static void destroy_own_queue(struct ibv_cq **queue, struct ibv_comp_channel **channel) {
  if (*queue) {
    ibv_destroy_cq(*queue);
  }
  if (*channel) {
    ibv_destroy_comp_channel(*channel);
  }
  *queue = NULL;
  *channel = NULL;
}

static void destroy_own_queues(struct rdma_cm_id *id) {
  destroy_own_queue(&id->send_cq, &id->send_cq_channel);
  destroy_own_queue(&id->recv_cq, &id->recv_cq_channel);
}

/* Uses the protection domain and completion queues of the id if the program passes none. */
int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *init) {
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = id->port_num};
  if (!id->verbs) {
    return cm_fail(EINVAL);
  }
  attr.pkey_index = nic_pkey_index(nic_device(id->verbs));
  attr.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  if (!init->send_cq) {
    init->send_cq = id->send_cq = own_queue(id, init->cap.max_send_wr, &id->send_cq_channel);
  }
  if (!init->recv_cq) {
    init->recv_cq = id->recv_cq = own_queue(id, init->cap.max_recv_wr, &id->recv_cq_channel);
  }
  id->qp = ibv_create_qp(pd ? pd : id->pd, init);
  if (!id->qp) {
    int error = errno;
    destroy_own_queues(id);
    return cm_fail(error);
  }
  return cm_fail(ibv_modify_qp(id->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

/* The attributes begin with the attributes of rdma_create_qp(3). Extensions are not supported. */
int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *init) {
  return init->comp_mask == IBV_QP_INIT_ATTR_PD ? rdma_create_qp(id, init->pd, (struct ibv_qp_init_attr *)init) : cm_fail(EOPNOTSUPP);
}

void rdma_destroy_qp(struct rdma_cm_id *id) {
  ibv_destroy_qp(id->qp);
  id->qp = NULL;
  destroy_own_queues(id);
}
