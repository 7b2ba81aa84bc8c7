#include <arpa/inet.h>
#include <endian.h>
#include <rdma/rdma_cma.h>
#include <string.h>

enum { SIZE = 1024 };

// tag::shout[]
struct offer { uint64_t address; uint32_t key; } __attribute__((packed));

static int step(struct rdma_event_channel *channel, enum rdma_cm_event_type expected, struct offer *offer) {
  struct rdma_cm_event *event;
  if (rdma_get_cm_event(channel, &event)) return -1;
  int ok = event->event == expected;
  if (ok && offer) memcpy(offer, event->param.conn.private_data, sizeof *offer);
  rdma_ack_cm_event(event);
  return ok ? 0 : -1;
}

static int completed(struct ibv_cq *queue, struct ibv_wc *wc) {
  int n;
  while (!(n = ibv_poll_cq(queue, 1, wc)));
  return n == 1 && wc->status == IBV_WC_SUCCESS ? 0 : -1;
}

/* The server at an address converts the text to capitals. */
int shout(struct sockaddr *server, char *text) {
  struct rdma_event_channel *channel = rdma_create_event_channel();
  struct rdma_cm_id *id;
  struct offer offer;
  struct ibv_wc wc;
  if (!channel || rdma_create_id(channel, &id, NULL, RDMA_PS_TCP)
    || rdma_resolve_addr(id, NULL, server, 2000) || step(channel, RDMA_CM_EVENT_ADDR_RESOLVED, NULL)
    || rdma_resolve_route(id, 2000) || step(channel, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL)) return 1;
  struct ibv_pd *pd = ibv_alloc_pd(id->verbs);
  struct ibv_cq *queue = ibv_create_cq(id->verbs, 16, NULL, NULL, 0);
  struct ibv_qp_init_attr attr = {.send_cq = queue, .recv_cq = queue, .qp_type = IBV_QPT_RC,
    .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
  /* iWARP fills the memory of a read as a write of the peer's does. */
  struct ibv_mr *mr = ibv_reg_mr(pd, text, SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  if (!queue || !mr || rdma_create_qp(id, pd, &attr)) return 2;

  /* Receive for the answer, which has no bytes; siw needs an element nevertheless. */
  struct ibv_sge none = {.addr = (uintptr_t)text, .lkey = mr->lkey};
  struct ibv_recv_wr receive = {.wr_id = 1, .sg_list = &none, .num_sge = 1}, *bad_receive;
  struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1, .retry_count = 7, .rnr_retry_count = 7};
  if (ibv_post_recv(id->qp, &receive, &bad_receive) || rdma_connect(id, &param)
    || step(channel, RDMA_CM_EVENT_ESTABLISHED, &offer)) return 3;

  /* The text with its terminating 0, and a message without bytes behind it. */
  struct ibv_sge whole = {.addr = (uintptr_t)text, .length = strlen(text) + 1, .lkey = mr->lkey};
  struct ibv_send_wr *bad, told = {.wr_id = 2, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
  struct ibv_send_wr work = {.wr_id = 3, .next = &told, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &whole, .num_sge = 1,
    .wr.rdma = {.remote_addr = be64toh(offer.address), .rkey = ntohl(offer.key)}};
  if (ibv_post_send(id->qp, &work, &bad) || completed(queue, &wc) || completed(queue, &wc)) return 4;
  work.opcode = IBV_WR_RDMA_READ;
  work.send_flags = IBV_SEND_SIGNALED;
  work.next = NULL;
  if (ibv_post_send(id->qp, &work, &bad) || completed(queue, &wc) || wc.opcode != IBV_WC_RDMA_READ) return 5;

  rdma_disconnect(id);
  rdma_destroy_qp(id);
  ibv_dereg_mr(mr);
  ibv_destroy_cq(queue);
  ibv_dealloc_pd(pd);
  rdma_destroy_id(id);
  rdma_destroy_event_channel(channel);
  return 0;
}
// end::shout[]
