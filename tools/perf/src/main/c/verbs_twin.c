/*
 * What a C program over verbs reaches: the peer of ./rdma perf on a verbs device. One completion queue that is polled, an inline send where a
 * message is small enough, a receive posted again for each message, a completion for every sixteenth send.
 *
 *   verbs_twin server MODE SIZE                      prints "ready ADDRESS PORT" and serves one client
 *   verbs_twin client MODE SIZE MILLIS ADDRESS PORT  prints "result P50_US P90_US P99_US MESSAGES_PER_S
 *                                                  USED_US"
 *
 * MODE: latency, rate, read, write, atomic.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>

#include "measure.h"

enum { SENDS = 64, SIGNAL_EVERY = 16 };

struct offer { uint64_t address; uint32_t key; };

static struct rdma_event_channel *channel;
static struct rdma_cm_id *id;
static struct ibv_cq *cq;
static struct ibv_mr *mr, *region_mr;
static char *memory, *out, *region;
static size_t slot;
static uint32_t max_inline;
static long posted, covered, transferred;
/* Address and key of the server's region. */
static struct offer there;

static void die(const char *what) { perror(what); exit(1); }
#define TRY(call) do { if (call) die(#call); } while (0)

static void post_receive(int i) {
  struct ibv_sge sge = {(uintptr_t) memory + (size_t) i * slot, slot, mr->lkey};
  struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1}, *bad;
  TRY(ibv_post_recv(id->qp, &wr, &bad));
}

static void poll_once(void) {
  struct ibv_wc wc;
  int n = ibv_poll_cq(cq, 1, &wc);
  if (n == 0) return;
  if (n < 0 || wc.status) {
    fprintf(stderr, "completion: %s\n", ibv_wc_status_str(wc.status));
    exit(1);
  }
  if (wc.wr_id < RECEIVES) {
    received = (int) wc.wr_id;
  } else if (wc.opcode == IBV_WC_SEND) {
    covered = (long) (wc.wr_id - RECEIVES);
  } else {
    transferred++;
  }
}

static void send_message(enum kind kind, size_t length) {
  struct ibv_sge sge = {(uintptr_t) out, length, mr->lkey};
  struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
  while (posted - covered >= SENDS) if (received < 0) poll_once();
  out[0] = (char) kind;
  wr.wr_id = RECEIVES + ++posted;
  wr.send_flags = (posted % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED) | (length <= max_inline ? IBV_SEND_INLINE : 0);
  TRY(ibv_post_send(id->qp, &wr, &bad));
}

static char *next_message(void) { return out; }

static enum kind take(void) {
  while (received < 0) poll_once();
  enum kind kind = (enum kind) memory[(size_t) received * slot];
  post_receive(received);
  received = -1;
  return kind;
}

static struct rdma_cm_event *next_event(enum rdma_cm_event_type wanted) {
  struct rdma_cm_event *event;
  TRY(rdma_get_cm_event(channel, &event));
  if (event->event != wanted) {
    fprintf(stderr, "%s, status %d\n", rdma_event_str(event->event), event->status);
    exit(1);
  }
  return event;
}

static void open_pair(void) {
  struct ibv_qp_init_attr how = {.qp_type = IBV_QPT_RC,
    .cap = {.max_send_wr = SENDS, .max_recv_wr = RECEIVES, .max_send_sge = 1, .max_recv_sge = 1}};
  struct ibv_pd *pd = ibv_alloc_pd(id->verbs);
  size_t most = REGION > size ? REGION : size;
  slot = (size + 63) & ~(size_t) 63;
  memory = aligned_alloc(4096, ((RECEIVES + 1) * slot + 4095) & ~(size_t) 4095);
  memset(memory, 0, (RECEIVES + 1) * slot);
  out = memory + RECEIVES * slot;
  region = aligned_alloc(4096, (most + 4095) & ~(size_t) 4095);
  memset(region, 0, most);
  TRY(!(cq = ibv_create_cq(id->verbs, SENDS + RECEIVES, NULL, NULL, 0)));
  TRY(!(mr = ibv_reg_mr(pd, memory, (RECEIVES + 1) * slot, IBV_ACCESS_LOCAL_WRITE)));
  TRY(!(region_mr = ibv_reg_mr(pd, region, most, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)));
  how.send_cq = how.recv_cq = cq;
  /* A send that is too long for inline is posted without. */
  how.cap.max_inline_data = 220;
  if (rdma_create_qp(id, pd, &how)) {
    how.cap.max_inline_data = 0;
    TRY(rdma_create_qp(id, pd, &how));
  }
  max_inline = how.cap.max_inline_data;
  for (int i = 0; i < RECEIVES; i++) post_receive(i);
}

static int own_address(struct sockaddr_storage *into) {
  struct ifaddrs *all;
  TRY(getifaddrs(&all));
  for (struct ifaddrs *each = all; each; each = each->ifa_next) {
    int family = each->ifa_addr ? each->ifa_addr->sa_family : 0;
    if ((family == AF_INET || family == AF_INET6) && (each->ifa_flags & IFF_UP) && !(each->ifa_flags & IFF_LOOPBACK)) {
      memcpy(into, each->ifa_addr, family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
      return 1;
    }
  }
  return 0;
}

static void serve(const char *mode) {
  struct sockaddr_storage at = {0};
  struct rdma_cm_id *listener;
  char host[INET6_ADDRSTRLEN];
  if (!own_address(&at)) die("no address");
  getnameinfo((struct sockaddr *) &at, sizeof at, host, sizeof host, NULL, 0, NI_NUMERICHOST);
  TRY(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP));
  TRY(rdma_bind_addr(listener, (struct sockaddr *) &at));
  TRY(rdma_listen(listener, 1));
  printf("ready %s %d\n", host, ntohs(rdma_get_src_port(listener)));
  fflush(stdout);
  struct rdma_cm_event *event = next_event(RDMA_CM_EVENT_CONNECT_REQUEST);
  id = event->id;
  rdma_ack_cm_event(event);
  open_pair();
  struct offer offer = {(uintptr_t) region, region_mr->rkey};
  struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1, .rnr_retry_count = 7, .private_data = &offer,
    .private_data_len = sizeof offer};
  TRY(rdma_accept(id, &param));
  rdma_ack_cm_event(next_event(RDMA_CM_EVENT_ESTABLISHED));
  answer(mode);
  rdma_ack_cm_event(next_event(RDMA_CM_EVENT_DISCONNECTED));
}

static void transfer(const char *mode) {
  struct ibv_sge sge = {(uintptr_t) out, size, mr->lkey};
  struct ibv_send_wr wr = {.wr_id = RECEIVES, .sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED}, *bad;
  if (!strcmp(mode, "atomic")) {
    sge.length = 8;
    wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
    wr.wr.atomic.remote_addr = there.address;
    wr.wr.atomic.rkey = there.key;
    wr.wr.atomic.compare_add = 1;
  } else {
    wr.opcode = strcmp(mode, "read") ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ;
    wr.wr.rdma.remote_addr = there.address;
    wr.wr.rdma.rkey = there.key;
  }
  long before = transferred;
  TRY(ibv_post_send(id->qp, &wr, &bad));
  while (transferred == before) poll_once();
}

/* send_message waits itself. */
static int is_full(void) { return 0; }

static void drive(const char *mode, long millis, const char *host, const char *port) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *to;
  struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1, .retry_count = 7, .rnr_retry_count = 7};
  TRY(getaddrinfo(host, port, &hints, &to));
  TRY(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
  TRY(rdma_resolve_addr(id, NULL, to->ai_addr, 5000));
  rdma_ack_cm_event(next_event(RDMA_CM_EVENT_ADDR_RESOLVED));
  TRY(rdma_resolve_route(id, 5000));
  rdma_ack_cm_event(next_event(RDMA_CM_EVENT_ROUTE_RESOLVED));
  open_pair();
  TRY(rdma_connect(id, &param));
  struct rdma_cm_event *event = next_event(RDMA_CM_EVENT_ESTABLISHED);
  memcpy(&there, event->param.conn.private_data, sizeof there);
  rdma_ack_cm_event(event);
  send_message(HELLO, 1);
  take();
  measure(mode, millis);
  rdma_disconnect(id);
}

int main(int argc, char **argv) {
  if (argc >= 4) size = (size_t) atol(argv[3]) < 8 ? 8 : (size_t) atol(argv[3]);
  TRY(!(channel = rdma_create_event_channel()));
  if (argc == 4 && !strcmp(argv[1], "server")) {
    serve(argv[2]);
  } else if (argc == 7 && !strcmp(argv[1], "client")) {
    drive(argv[2], atol(argv[4]), argv[5], argv[6]);
  } else {
    fprintf(stderr, "verbs_twin server MODE SIZE | verbs_twin client MODE SIZE MILLIS ADDRESS PORT\n");
    return 2;
  }
  /* The end of the process frees everything. */
  return 0;
}
