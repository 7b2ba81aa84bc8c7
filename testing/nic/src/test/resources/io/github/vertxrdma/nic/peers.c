/*
 * A client and a server in C over librdmacm and libibverbs, compiled with the system's headers. Each prints its results.
 *
 *   peers serve ADDRESS          "port PORT", then serves one client until it disconnects: "served N" messages
 *   peers check ADDRESS PORT     messages, writes, reads and atomics of many sizes, whose bytes are checked: "checked N"
 *   peers devices                for each device: its atomics, and the errno of ibv_create_qp
 *   peers lose ADDRESS PORT PID  kills the server while requests wait: how they and a later one ended
 *   peers wait ADDRESS PORT PID  stops the server for longer than the retries take: how the request and its answer ended
 *
 * All but "devices" end with "left FDS THREADS", the numbers of fds and threads that were not closed.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECEIVES = 16, LARGE = 3 << 20, REGION = 4 << 20, WORDS = REGION - 4096 };

static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener, *id;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr, *region_mr;
static char *memory, *region;
struct offer { uint64_t address; uint32_t key; };

static void die(const char *what) { perror(what); exit(1); }
#define TRY(call) do { if (call) die(#call); } while (0)

static int entries(const char *folder) {
  int count = 0;
  DIR *all = opendir(folder);
  while (readdir(all)) count++;
  closedir(all);
  return count;
}

static struct rdma_cm_event *next_event(enum rdma_cm_event_type wanted) {
  struct rdma_cm_event *event;
  TRY(rdma_get_cm_event(channel, &event));
  if (event->event != wanted) {
    printf("unexpected %s, status %d\n", rdma_event_str(event->event), event->status);
    exit(1);
  }
  return event;
}

static void receive(int slot) {
  struct ibv_sge sge = {(uintptr_t) memory + (size_t) slot * LARGE, LARGE, mr->lkey};
  struct ibv_recv_wr wr = {.wr_id = slot, .sg_list = &sge, .num_sge = 1}, *bad;
  TRY(ibv_post_recv(id->qp, &wr, &bad));
}

static void open_pair(void) {
  struct ibv_qp_init_attr how = {.qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 32, .max_recv_wr = 32, .max_send_sge = 2, .max_recv_sge = 1}};
  memory = calloc(RECEIVES + 1, LARGE);
  region = calloc(1, REGION);
  TRY(!(pd = ibv_alloc_pd(id->verbs)));
  TRY(!(cq = ibv_create_cq(id->verbs, 128, NULL, NULL, 0)));
  TRY(!(mr = ibv_reg_mr(pd, memory, (size_t) (RECEIVES + 1) * LARGE, IBV_ACCESS_LOCAL_WRITE)));
  TRY(!(region_mr = ibv_reg_mr(pd, region, REGION,
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)));
  how.send_cq = how.recv_cq = cq;
  TRY(rdma_create_qp(id, pd, &how));
  for (int i = 0; i < RECEIVES; i++) receive(i);
}

static void close_pair(void) {
  rdma_destroy_qp(id);
  TRY(ibv_destroy_cq(cq));
  TRY(ibv_dereg_mr(mr));
  TRY(ibv_dereg_mr(region_mr));
  TRY(ibv_dealloc_pd(pd));
  TRY(rdma_destroy_id(id));
}

static struct ibv_wc completion(void) {
  struct ibv_wc wc;
  int n;
  /* On a busy machine the peer may be waiting for this processor. */
  while ((n = ibv_poll_cq(cq, 1, &wc)) == 0) sched_yield();
  if (n < 0) die("ibv_poll_cq");
  return wc;
}

static void post(enum ibv_wr_opcode opcode, size_t length, uint64_t remote, uint32_t key, uint64_t operand, uint64_t swap) {
  /* Sends long messages as two segments, the first of one byte. */
  uint64_t from = (uintptr_t) memory + (size_t) RECEIVES * LARGE;
  struct ibv_sge sges[] = {{from, length > 8 ? 1 : length, mr->lkey}, {from + 1, length - 1, mr->lkey}};
  struct ibv_send_wr wr = {.wr_id = 1000, .sg_list = sges, .num_sge = length > 8 ? 2 : 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED}, *bad;
  if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
    wr.wr.atomic.remote_addr = remote;
    wr.wr.atomic.rkey = key;
    wr.wr.atomic.compare_add = operand;
    wr.wr.atomic.swap = swap;
  } else {
    wr.wr.rdma.remote_addr = remote;
    wr.wr.rdma.rkey = key;
  }
  TRY(ibv_post_send(id->qp, &wr, &bad));
}

static void finish(void) {
  struct ibv_wc wc = completion();
  if (wc.status || wc.wr_id != 1000) {
    printf("%s of %d\n", ibv_wc_status_str(wc.status), (int) wc.wr_id);
    exit(1);
  }
}

static void expect(int yes, const char *what, size_t length) {
  if (!yes) {
    printf("wrong: %s of %zu bytes\n", what, length);
    exit(1);
  }
}

static void serve(const char *address) {
  struct sockaddr_in at = {.sin_family = AF_INET};
  struct rdma_cm_event *event;
  inet_pton(AF_INET, address, &at.sin_addr);
  TRY(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP));
  TRY(rdma_bind_addr(listener, (struct sockaddr *) &at));
  TRY(rdma_listen(listener, 1));
  printf("port %d\n", ntohs(rdma_get_src_port(listener)));
  fflush(stdout);
  event = next_event(RDMA_CM_EVENT_CONNECT_REQUEST);
  id = event->id;
  rdma_ack_cm_event(event);
  open_pair();
  struct offer offer = {(uintptr_t) region, region_mr->rkey};
  struct rdma_conn_param param = {.responder_resources = 4, .initiator_depth = 4, .private_data = &offer, .private_data_len = sizeof offer};
  TRY(rdma_accept(id, &param));
  rdma_ack_cm_event(next_event(RDMA_CM_EVENT_ESTABLISHED));
  /* Sends each message back until the connection manager reports the end. */
  long served = 0;
  struct pollfd over = {channel->fd, POLLIN, 0};
  for (;;) {
    struct ibv_wc wc;
    if (ibv_poll_cq(cq, 1, &wc) == 0) {
      if (poll(&over, 1, 0)) break;
      sched_yield();
    } else if (wc.status == 0 && wc.opcode == IBV_WC_RECV) {
      memcpy(memory + (size_t) RECEIVES * LARGE, memory + wc.wr_id * LARGE, wc.byte_len);
      receive(wc.wr_id);
      post(IBV_WR_SEND, wc.byte_len, 0, 0, 0, 0);
      served++;
    }
  }
  rdma_ack_cm_event(next_event(RDMA_CM_EVENT_DISCONNECTED));
  rdma_disconnect(id);
  close_pair();
  TRY(rdma_destroy_id(listener));
  printf("served %ld\n", served);
}

/* Returns the exponent of the timeout, 4096 ns * 2^exponent. It is long, since a server may get no processor for seconds. */
static uint8_t timeout_of(const char *mode) {
  /* After 7 retries 0.5 s, 4.3 s and 8.6 s have passed. */
  return strcmp(mode, "lose") == 0 ? 14 : strcmp(mode, "wait") == 0 ? 17 : 18;
}

static struct offer connect_to(const char *address, int port, uint8_t timeout) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct rdma_conn_param param = {.responder_resources = 4, .initiator_depth = 4, .retry_count = 7, .rnr_retry_count = 7};
  struct offer offer;
  inet_pton(AF_INET, address, &to.sin_addr);
  TRY(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
  TRY(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, sizeof timeout));
  TRY(rdma_resolve_addr(id, NULL, (struct sockaddr *) &to, 2000));
  rdma_ack_cm_event(next_event(RDMA_CM_EVENT_ADDR_RESOLVED));
  TRY(rdma_resolve_route(id, 2000));
  rdma_ack_cm_event(next_event(RDMA_CM_EVENT_ROUTE_RESOLVED));
  open_pair();
  TRY(rdma_connect(id, &param));
  struct rdma_cm_event *event = next_event(RDMA_CM_EVENT_ESTABLISHED);
  memcpy(&offer, event->param.conn.private_data, sizeof offer);
  rdma_ack_cm_event(event);
  return offer;
}

/* Returns the result of an atomic. A device that reports no atomics may answer in network byte order. */
static uint64_t brought(const char *at) {
  struct ibv_device_attr attributes;
  TRY(ibv_query_device(id->verbs, &attributes));
  uint64_t word = *(uint64_t *) at;
  return attributes.atomic_cap == IBV_ATOMIC_NONE ? be64toh(word) : word;
}

static void check(struct offer there) {
  static const size_t sizes[] = {1, 64, 4096, 8192, 8193, 100000, 1 << 20, LARGE};
  char *out = memory + (size_t) RECEIVES * LARGE;
  long checked = 0;
  for (int round = 0; round < 5; round++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      size_t length = sizes[i];
      for (size_t k = 0; k < length; k++) out[k] = (char) (k * 31 + round);
      post(IBV_WR_SEND, length, 0, 0, 0, 0);
      /* Polls the completion of the message and the answer, in either order. */
      for (int left = 2; left > 0; left--) {
        struct ibv_wc wc = completion();
        expect(wc.status == 0, "a message", length);
        if (wc.opcode == IBV_WC_RECV) {
          expect(wc.byte_len == length && memcmp(memory + wc.wr_id * LARGE, out, length) == 0, "an answer", length);
          receive(wc.wr_id);
        }
      }
      post(IBV_WR_RDMA_WRITE, length, there.address + 8, there.key, 0, 0);
      finish();
      char *copy = malloc(length);
      memcpy(copy, out, length);
      memset(out, 0, length);
      post(IBV_WR_RDMA_READ, length, there.address + 8, there.key, 0, 0);
      finish();
      expect(memcmp(copy, out, length) == 0, "a read", length);
      free(copy);
      post(IBV_WR_ATOMIC_FETCH_AND_ADD, 8, there.address + WORDS, there.key, 3, 0);
      finish();
      expect(brought(out) == (uint64_t) checked * 4, "an addition", 8);
      post(IBV_WR_ATOMIC_CMP_AND_SWP, 8, there.address + WORDS, there.key, checked * 4 + 3, checked * 4 + 4);
      finish();
      expect(brought(out) == (uint64_t) checked * 4 + 3, "an exchange", 8);
      checked++;
    }
  }
  printf("checked %ld\n", checked);
}

static int is_running(const char *process, const char *thread) {
  char path[300], stat[512] = "";
  snprintf(path, sizeof path, "%s/%s/stat", process, thread);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  size_t length = fread(stat, 1, sizeof stat - 1, file);
  fclose(file);
  const char *state = length ? strrchr(stat, ')') : NULL;
  return state && strchr("TtZX", state[2]) == NULL;
}

/* Stops a process. Returns when all its threads have stopped, because they run for a while after the signal. */
static void stop(int pid) {
  char tasks[64];
  snprintf(tasks, sizeof tasks, "/proc/%d/task", pid);
  kill(pid, SIGSTOP);
  for (int running = 1; running;) {
    DIR *all = opendir(tasks);
    running = 0;
    for (struct dirent *each; all && (each = readdir(all));) {
      running |= each->d_name[0] != '.' && is_running(tasks, each->d_name);
    }
    if (all) closedir(all);
  }
}

static void lose(int server) {
  char *out = memory + (size_t) RECEIVES * LARGE;
  memset(out, 1, 64);
  stop(server);
  for (int i = 0; i < 8; i++) post(IBV_WR_SEND, 64, 0, 0, 0, 0);
  kill(server, SIGKILL);
  for (int left = 8 + RECEIVES; left > 0; left--) printf("%s\n", ibv_wc_status_str(completion().status));
  rdma_ack_cm_event(next_event(RDMA_CM_EVENT_DISCONNECTED));
  post(IBV_WR_SEND, 64, 0, 0, 0, 0);
  printf("later: %s\n", ibv_wc_status_str(completion().status));
}

/* Stops the server for longer than the retries take. */
static void wait_for(int server) {
  stop(server);
  post(IBV_WR_SEND, 64, 0, 0, 0, 0);
  sleep(5);
  kill(server, SIGCONT);
  for (int left = 2; left > 0; left--) printf("%s\n", ibv_wc_status_str(completion().status));
}

static void devices(void) {
  struct ibv_device **all = ibv_get_device_list(NULL);
  for (struct ibv_device **each = all; *each; each++) {
    static const char *const atomics[] = {"none", "of the adapter", "global"};
    struct ibv_device_attr attributes;
    struct ibv_context *context = ibv_open_device(*each);
    struct ibv_pd *domain = ibv_alloc_pd(context);
    struct ibv_cq *queue = ibv_create_cq(context, 4, NULL, NULL, 0);
    struct ibv_qp_init_attr how = {.qp_type = IBV_QPT_RC, .send_cq = queue, .recv_cq = queue,
      .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *pair = ibv_create_qp(domain, &how);
    int error = pair ? 0 : errno;
    TRY(ibv_query_device(context, &attributes));
    printf("%s %s %d\n", ibv_get_device_name(*each), atomics[attributes.atomic_cap], error);
    if (pair) TRY(ibv_destroy_qp(pair));
    TRY(ibv_destroy_cq(queue));
    TRY(ibv_dealloc_pd(domain));
    TRY(ibv_close_device(context));
  }
  ibv_free_device_list(all);
}

int main(int argc, char **argv) {
  if (argc == 2) {
    devices();
    return 0;
  }
  int fds = entries("/proc/self/fd"), threads = entries("/proc/self/task");
  TRY(!(channel = rdma_create_event_channel()));
  /* An id that is created without a channel has its own channel. */
  TRY(rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP) || !id->channel || rdma_destroy_id(id));
  if (argc == 3) {
    serve(argv[2]);
  } else {
    struct offer there = connect_to(argv[2], atoi(argv[3]), timeout_of(argv[1]));
    if (argc == 4) check(there); else if (strcmp(argv[1], "lose") == 0) lose(atoi(argv[4])); else wait_for(atoi(argv[4]));
    rdma_disconnect(id);
    close_pair();
  }
  rdma_destroy_event_channel(channel);
  /* A joined thread stays visible for a moment, so this waits up to 20 s. */
  for (int i = 0; i < 20000 && entries("/proc/self/task") > threads; i++) usleep(1000);
  /* The lock file of this process's number stays open, so it is not counted. */
  printf("left %d %d\n", entries("/proc/self/fd") - fds - 1, entries("/proc/self/task") - threads);
  return 0;
}
