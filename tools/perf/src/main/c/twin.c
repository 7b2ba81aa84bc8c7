/*
 * What a C program over libfabric reaches: the peer of ./rdma perf. One completion queue that is polled, a send and a receive posted again
 * for each message, fi_inject where a message is small enough.
 *
 *   twin server FABRIC MODE SIZE            prints "ready ADDRESS REGION KEY" and serves one client
 *   twin client FABRIC MODE SIZE MILLIS ADDRESS REGION KEY
 *                                           prints "result P50_US P90_US P99_US MESSAGES_PER_S USED_US"
 *
 * FABRIC: tcp (FI_EP_MSG), rxm, shm (FI_EP_RDM). MODE: latency, rate, touch, read, write, atomic.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "measure.h"

#define NAME 256

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_ep *ep;
static struct fid_cq *cq;
static struct fid_av *av;
static struct fid_eq *eq;
static struct fid_pep *pep;
static struct fid_mr *mr, *region_mr;
static fi_addr_t peer = FI_ADDR_UNSPEC;
static char *memory, *out, *region;
static size_t slot;
static struct fi_context2 contexts[RECEIVES], sending[RECEIVES];
/* Index of the next send buffer, and buffers that the library uses. */
static int next;
static char in_use[RECEIVES];
static long sends_under_way;
/* Address and key of the server's region. */
static uint64_t there, key;
static int serving, ended;

static void die(const char *what, long error) {
  fprintf(stderr, "%s: %s\n", what, fi_strerror((int) (error < 0 ? -error : error)));
  exit(1);
}

#define TRY(call) do { long status_ = (long) (call); if (status_) die(#call, status_); } while (0)

static void post_receive(int i) {
  long n;
  while ((n = fi_recv(ep, memory + (size_t) i * slot, slot, fi_mr_desc(mr), FI_ADDR_UNSPEC, &contexts[i])) == -FI_EAGAIN) {
    fi_cq_read(cq, NULL, 0);
  }
  if (n) die("fi_recv", n);
}

static void poll_once(void) {
  struct fi_cq_data_entry entry;
  ssize_t n = fi_cq_read(cq, &entry, 1);
  if (n == -FI_EAGAIN) return;
  if (n < 0) {
    struct fi_cq_err_entry error = {0};
    fi_cq_readerr(cq, &error, 0);
    if (!ended) die("completion", error.err);
    return;
  }
  if (entry.op_context >= (void *) contexts && entry.op_context < (void *) (contexts + RECEIVES)) {
    received = (int) ((struct fi_context2 *) entry.op_context - contexts);
  } else {
    in_use[(struct fi_context2 *) entry.op_context - sending] = 0;
    sends_under_way--;
  }
}

static char *next_message(void) {
  while (in_use[next]) if (received < 0) poll_once();
  return out + (size_t) next * slot;
}

static void send_message(enum kind kind, size_t length) {
  long n;
  char *message = next_message();
  message[0] = (char) kind;
  if (length <= info->tx_attr->inject_size) {
    while ((n = fi_inject(ep, message, length, peer)) == -FI_EAGAIN) if (received < 0) poll_once();
  } else {
    while ((n = fi_send(ep, message, length, fi_mr_desc(mr), peer, &sending[next])) == -FI_EAGAIN) if (received < 0) poll_once();
    in_use[next] = 1;
    next = (next + 1) % receives;
    sends_under_way++;
  }
  if (n) die("fi_send", n);
}

static enum kind take(void) {
  enum kind kind;
  while (received < 0) poll_once();
  kind = (enum kind) memory[(size_t) received * slot];
  if (kind == HELLO && av && serving) {
    TRY(fi_av_insert(av, memory + (size_t) received * slot + 1, 1, &peer, 0, NULL) != 1);
  }
  if (summing && kind == DATA) add_up(memory + (size_t) received * slot);
  post_receive(received);
  received = -1;
  return kind;
}

static void open_domain(const char *name, const char *mode, const struct sockaddr_in *to) {
  struct fi_info *hints = fi_allocinfo();
  int msg = !strcmp(name, "tcp");
  const char *provider = !strcmp(name, "rxm") ? "tcp;ofi_rxm" : name;
  char host[64], service[16];
  uint64_t flags = 0;
  hints->ep_attr->type = msg ? FI_EP_MSG : FI_EP_RDM;
  hints->fabric_attr->prov_name = strdup(provider);
  hints->caps = FI_MSG | FI_RMA | (strcmp(mode, "atomic") ? 0 : FI_ATOMIC);
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  if (to) {
    inet_ntop(AF_INET, &to->sin_addr, host, sizeof host);
    snprintf(service, sizeof service, "%d", ntohs(to->sin_port));
  } else {
    strcpy(host, "127.0.0.1");
    flags = FI_SOURCE;
  }
  if (!strcmp(name, "shm")) {
    TRY(fi_getinfo(FI_VERSION(1, 11), NULL, NULL, 0, hints, &info));
  } else {
    TRY(fi_getinfo(FI_VERSION(1, 11), to && !msg ? "127.0.0.1" : host, to && msg ? service : NULL, to && !msg ? FI_SOURCE : flags,
      hints, &info));
  }
  TRY(fi_fabric(info->fabric_attr, &fabric, NULL));
}

static void open_endpoint(struct fi_info *how, const char *mode) {
  struct fi_cq_attr attr = { .size = 1024, .format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_NONE };
  (void) mode;
  TRY(fi_domain(fabric, how, &domain, NULL));
  TRY(fi_endpoint(domain, how, &ep, NULL));
  TRY(fi_cq_open(domain, &attr, &cq, NULL));
  TRY(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
  if (eq) {
    TRY(fi_ep_bind(ep, &eq->fid, 0));
  } else {
    struct fi_av_attr av_attr = { .type = FI_AV_UNSPEC };
    TRY(fi_av_open(domain, &av_attr, &av, NULL));
    TRY(fi_ep_bind(ep, &av->fid, 0));
  }
  TRY(fi_enable(ep));
  slot = ((size < NAME + 16 ? NAME + 16 : size) + 63) & ~(size_t) 63;
  memory = aligned_alloc(4096, (2 * receives * slot + 4095) & ~(size_t) 4095);
  memset(memory, 0, 2 * receives * slot);
  out = memory + receives * slot;
  TRY(fi_mr_reg(domain, memory, 2 * receives * slot, FI_SEND | FI_RECV | FI_READ | FI_WRITE, 0, 1, 0, &mr, NULL));
  region = aligned_alloc(4096, REGION > size ? REGION : (size + 4095) & ~(size_t) 4095);
  TRY(fi_mr_reg(domain, region, REGION > size ? REGION : size, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 2, 0, &region_mr, NULL));
  memset(region, 0, REGION > size ? REGION : size);
  for (int i = 0; i < receives; i++) post_receive(i);
}

static void await_event(uint32_t wanted, struct fi_eq_cm_entry *entry) {
  uint32_t event;
  ssize_t n = fi_eq_sread(eq, &event, entry, sizeof *entry, 10000, 0);
  if (n < 0 || event != wanted) die("connection event", n < 0 ? n : FI_EOTHER);
}

static void print_name(struct fid *fid) {
  char name[NAME];
  size_t length = sizeof name;
  uint64_t base = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t) (uintptr_t) region : 0;
  TRY(fi_getname(fid, name, &length));
  printf("ready ");
  for (size_t i = 0; i < length; i++) printf("%02x", (unsigned char) name[i]);
  printf(" %llu %llu\n", (unsigned long long) base, (unsigned long long) (region_mr ? fi_mr_key(region_mr) : 2));
  fflush(stdout);
}

static void serve(const char *name, const char *mode) {
  serving = 1;
  open_domain(name, mode, NULL);
  if (info->ep_attr->type == FI_EP_MSG) {
    struct fi_eq_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
    struct fi_eq_cm_entry entry;
    TRY(fi_eq_open(fabric, &attr, &eq, NULL));
    TRY(fi_passive_ep(fabric, info, &pep, NULL));
    TRY(fi_pep_bind(pep, &eq->fid, 0));
    TRY(fi_listen(pep));
    /* On tcp offsets begin at 0, and the key is the requested one, so both are known without a domain. */
    print_name(&pep->fid);
    await_event(FI_CONNREQ, &entry);
    open_endpoint(entry.info, mode);
    TRY(fi_accept(ep, NULL, 0));
    await_event(FI_CONNECTED, &entry);
  } else {
    open_endpoint(info, mode);
    print_name(&ep->fid);
  }
  answer(mode);
  ended = 1;
  for (long until = now() + 50000000L; now() < until;) poll_once();
}

static void transfer(const char *mode) {
  struct iovec iov = { .iov_base = out, .iov_len = size };
  void *desc = fi_mr_desc(mr);
  struct fi_rma_iov remote = { .addr = there, .len = size, .key = key };
  struct fi_msg_rma message = { .msg_iov = &iov, .desc = &desc, .iov_count = 1, .addr = peer, .rma_iov = &remote, .rma_iov_count = 1,
    .context = &sending[0] };
  long n;
  static uint64_t one = 1;
  do {
    if (!strcmp(mode, "read")) {
      n = fi_readmsg(ep, &message, FI_COMPLETION);
    } else if (!strcmp(mode, "write")) {
      n = fi_writemsg(ep, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
    } else {
      n = fi_fetch_atomic(ep, &one, 1, NULL, out, desc, peer, there, key, FI_UINT64, FI_SUM, &sending[0]);
    }
    if (n == -FI_EAGAIN) poll_once();
  } while (n == -FI_EAGAIN);
  if (n) die(mode, n);
  sends_under_way++;
  while (sends_under_way > 0) poll_once();
}

static int is_full(void) { return in_use[next]; }

static void drive(const char *name, const char *mode, long millis, const char *hex) {
  char address[NAME] = {0};
  size_t length = strlen(hex) / 2;
  for (size_t i = 0; i < length && i < NAME; i++) {
    unsigned byte;
    sscanf(hex + 2 * i, "%2x", &byte);
    address[i] = (char) byte;
  }
  open_domain(name, mode, strcmp(name, "shm") ? (struct sockaddr_in *) address : NULL);
  if (info->ep_attr->type == FI_EP_MSG) {
    struct fi_eq_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
    struct fi_eq_cm_entry entry;
    TRY(fi_eq_open(fabric, &attr, &eq, NULL));
    open_endpoint(info, mode);
    TRY(fi_connect(ep, address, NULL, 0));
    await_event(FI_CONNECTED, &entry);
  } else {
    size_t mine = NAME;
    open_endpoint(info, mode);
    TRY(fi_av_insert(av, address, 1, &peer, 0, NULL) != 1);
    TRY(fi_getname(&ep->fid, out + 1, &mine));
  }
  send_message(HELLO, NAME + 1);
  take();
  measure(mode, millis);
}

int main(int argc, char **argv) {
  if (argc >= 5) size = (size_t) atol(argv[4]);
  if (size > LARGE) receives = RECEIVES_OF_LARGE;
  if (argc == 5 && !strcmp(argv[1], "server")) {
    serve(argv[2], argv[3]);
  } else if (argc == 9 && !strcmp(argv[1], "client")) {
    there = strtoull(argv[7], NULL, 10);
    key = strtoull(argv[8], NULL, 10);
    drive(argv[2], argv[3], atol(argv[5]), argv[6]);
  } else {
    fprintf(stderr, "twin server FABRIC MODE SIZE | twin client FABRIC MODE SIZE MILLIS ADDRESS REGION KEY\n");
    return 2;
  }
  /* The end of the process frees all else. */
  if (ep) fi_close(&ep->fid);
  return 0;
}
