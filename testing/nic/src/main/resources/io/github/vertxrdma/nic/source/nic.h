/*
 * Declarations for all parts of an emulated RDMA adapter in user space. libibverbs is in device.c, event.c, memory.c, completion.c,
 * receive.c, pair.c, path.c, post.c and words.c, and librdmacm in cm_*.c. The adapter is in requester.c and responder.c, its thread in
 * thread.c, its properties in personality.c, and faults in fault.c. Processes use host.c to share files, and link.c, ring.c and far.c to
 * exchange messages.
 *
 * "IBA" in comments is the InfiniBand Architecture Specification, volume 1, release 1.4; manual pages are those of rdma-core.
 */
#ifndef NIC_H
#define NIC_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define NIC_ADDRESSES 16
#define NIC_MAX_SGE 32
#define NIC_KEY_BITS 8
#define NIC_QP_BITS 14
#define NIC_QPS (1 << NIC_QP_BITS)
#define NIC_GIDS 40
#define NIC_PKEYS 8
/* Maximum number of requests to another process that wait for their answers. */
#define NIC_WINDOW 64
#define NIC_KEY_LIVES 4096

/* Properties of a device, read from a text file. */
struct nic_personality {
  enum { NIC_ROCE, NIC_IWARP, NIC_EFA, NIC_IB } transport;
  enum { NIC_NO_ATOMICS, NIC_ATOMICS, NIC_ATOMICS_WITH_PROCESSOR, NIC_ATOMICS_BIG_ENDIAN } atomics;
  bool work_in_thread;
  bool receives_vanish;
  bool last_receive_untold;
  bool rereg;
  /* Whether every packet needs a GRH; whether the GID table has entries of both versions of RoCE, of other namespaces, and empty ones. */
  bool grh_required, mixed_gids;
  /* Whether completion queues cannot be resized; whether a write or read of no elements uses the first one, or looks at it. */
  bool unresizable, takes_element_0, needs_element;
  /* Whether queue pairs of a thread domain have no lock; ibv_alloc_td(3). */
  bool thread_domains;
  /* Addresses of the host that belong to the device, and the port that has them. */
  enum { NIC_ALL_ADDRESSES, NIC_NO_ADDRESSES, NIC_IPV4, NIC_IPV6, NIC_LINK_LOCAL } addresses;
  uint32_t address_port;
  /* Number of ports, bits of the ports that are down, and LID of the first port. The LIDs of other ports follow. */
  uint32_t ports, down, lid;
  uint64_t prefix;
  uint16_t pkeys[NIC_PKEYS];
  /* Port speed in Gb/s. */
  uint32_t speed;
  uint32_t vectors;
  uint32_t vendor, part;
  /* Bits of connection options (ECE) on which both ends have to agree; 0 for a driver without any; ibv_query_ece(3). */
  uint32_t enhancements;
  int max_qp, max_qp_wr, max_sge, max_cqe, max_mr, max_reads, max_srq, max_srq_wr, max_inline, min_receive_sge;
  uint32_t max_message;
  int mtu;
  /* Divisor of retry times, so that tests take seconds instead of minutes. */
  int hurry;
};

struct nic_device {
  struct ibv_device ibv;
  struct nic_personality is;
  struct ibv_context *cm_context;
  struct ibv_pd *cm_domain;
  struct nic_context *contexts;
  struct nic_device *next;
  int port_state;
  /* True while the device is in no list and has no address. */
  bool failed;
  int qps, mrs, cqs, srqs;
  uint64_t pinned;
  /* Numbers of memory regions with relaxed ordering and of refused queue pairs; bits of the completion vectors in use. */
  int relaxed, refused_qps;
  uint32_t vectors_used;
  /* Number of open thread domains. */
  int tds;
};

/* An event that waits to be read. The fd of its queue is a semaphore of eventfd(2), so it is readable while there are events. */
struct nic_event {
  struct nic_event *next;
  void *about;
  int type;
  void *body;
};

struct nic_events {
  int fd;
  struct nic_event *first, *last;
};

struct nic_context {
  struct nic_events async;
  struct nic_device *device;
  struct nic_context *next;
  struct nic_qp *qps;
  /* True after the device has failed: objects can be destroyed, but not created or changed. */
  bool dead;
  struct verbs_context verbs;
};

struct nic_channel {
  struct ibv_comp_channel ibv;
  struct nic_events events;
};

struct nic_td {
  struct ibv_td ibv;
  int number, users;
  /* True while a thread posts to a queue pair of this domain. No other thread may post then. */
  bool busy;
};

/* A protection domain, or a parent domain of the domain OF. */
struct nic_pd {
  struct ibv_pd ibv;
  struct nic_pd *of;
  struct nic_td *td;
};

struct nic_mr {
  struct ibv_mr ibv;
  unsigned int access;
  bool relaxed;
  uint64_t iova;
};

struct nic_cqe {
  struct ibv_wc wc;
  struct nic_qp *sender;
  uint64_t freed;
};

struct nic_cq {
  struct ibv_cq ibv;
  struct nic_cqe *ring;
  uint32_t capacity, mask;
  uint64_t head, tail;
  enum { NIC_QUIET, NIC_NEXT, NIC_SOLICITED } armed;
  bool overrun;
  /* Negative result of polls, as of a driver whose queue is broken; 0 for none. */
  int poll_fails;
  uint32_t events_given, async_given;
  int users;
};

struct nic_receive {
  uint64_t wr_id;
  int count;
  struct ibv_sge sge[];
};

struct nic_receives {
  char *ring;
  size_t stride;
  uint32_t capacity, least, elements;
  uint64_t head, tail;
};

struct nic_srq {
  struct ibv_srq ibv;
  struct nic_receives receives;
  uint32_t limit;
  uint32_t async_given;
  int users;
};

struct nic_send {
  uint64_t wr_id, remote, length, compare_add, swap;
  uint32_t key, flags;
  __be32 immediate;
  enum ibv_wr_opcode opcode;
  int count;
  struct ibv_sge *sge;
  char *copy;
};

struct nic_qp {
  struct ibv_qp ibv;
  struct nic_device *device;
  struct ibv_qp_attr attr;
  struct ibv_qp_init_attr init;
  struct nic_send *sends;
  struct ibv_sge *elements;
  char *copies;
  uint32_t capacity, mask;
  /* Numbers of requests that are posted, executed, and freed by a polled completion; IBA 10.8.3.1. */
  uint64_t head, next, freed;
  /*
   * Only with a peer in another process: requests from next to sent await an answer; expected is the number of requests executed for the
   * peer.
   */
  uint64_t sent, expected;
  /* Results of atomics, since a repeated request gets the same answer. */
  uint64_t words[NIC_WINDOW];
  /* True if the peer's process has ended. */
  bool lost;
  /* Value of nic_changes when packets last reached the peer; 0 if they did not reach it. */
  uint32_t arrives_at;
  struct nic_receives receives;
  struct nic_qp *peer;
  /* Time of the next attempt of the request at next; 0 if no attempt is planned. */
  uint64_t retry_at;
  bool waits_for_receive;
  int retries_left, rnr_left;
  /* Status with which the request at fault_at ends, counted from the first posted one; 0 for none. */
  uint64_t fault_at;
  enum ibv_wc_status fault;
  /* Number of posts to refuse, and their errno. */
  int refused_posts, refused_with;
  bool established_told, listed;
  /* Connection options (ECE) that the queue pair offers, or uses when it can receive. */
  uint32_t enhancements;
  uint32_t async_given;
  struct nic_qp *next_of_context, *next_waiting;
};

extern pthread_mutex_t nic_mutex;
extern pthread_cond_t nic_acknowledged;

static inline void nic_lock(void) { pthread_mutex_lock(&nic_mutex); }
static inline void nic_unlock(void) { pthread_mutex_unlock(&nic_mutex); }

static inline struct nic_context *nic_context(struct ibv_context *context) {
  return (struct nic_context *)((char *)context - offsetof(struct nic_context, verbs.context));
}

/* Returns whether calls fail with errno because the context's device has failed; ib_uverbs_free_hw_resources of Linux. */
static inline bool nic_is_dead(struct ibv_context *context) {
  bool dead = nic_context(context)->dead;
  if (dead) {
    errno = EIO;
  }
  return dead;
}

static inline struct nic_device *nic_device(struct ibv_context *context) { return (struct nic_device *)context->device; }

/* Returns the protection domain that decides access: for a parent domain, the domain that it extends. */
static inline struct nic_pd *nic_pd(struct ibv_pd *pd) {
  struct nic_pd *parent = (struct nic_pd *)pd;
  return parent->of ? parent->of : parent;
}

static inline bool nic_reads(enum ibv_wr_opcode opcode) {
  return opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static inline uint64_t nic_length_of(const struct ibv_sge *sge, int count) {
  uint64_t length = 0;
  for (int i = 0; i < count; i++) {
    length += sge[i].length;
  }
  return length;
}

/* Answers of a responder; IBA 9.7.5.2. Errors of the requester itself are completion statuses. */
enum nic_answer { NIC_DONE, NIC_SILENT, NIC_NOT_READY, NIC_FAILED };

struct nic_outcome {
  enum nic_answer answer;
  enum ibv_wc_status status;
  int rnr_timer;
};

static const struct nic_outcome nic_done = {NIC_DONE, IBV_WC_SUCCESS, 0};
static const struct nic_outcome nic_silent = {NIC_SILENT, IBV_WC_SUCCESS, 0};

static inline struct nic_outcome nic_failed(enum ibv_wc_status status) { return (struct nic_outcome){NIC_FAILED, status, 0}; }

/* Words that change when their queue pair or key ends ("lives"). Other processes read them after reading memory of this process. */
struct nic_lives {
  uint32_t magic, qps[NIC_QPS], keys[NIC_KEY_LIVES];
};

/*
 * Shared page of a process. Other processes increase the wake-up count RUNG, and read whether the process sleeps, its network namespace,
 * which stands for a host, and its addresses.
 */
struct nic_page {
  uint32_t rung, sleeping, network, count;
  struct in6_addr addresses[NIC_ADDRESSES];
};

/* One direction of messages between two processes. */
struct nic_link {
  struct nic_link *next;
  int fd;
  uint32_t process;
  /* Whether this process writes the ring. */
  bool ours;
  bool over;
  struct ring *ring;
  /*
   * Only if this process writes the ring: the page of the process to wake, bytes that did not fit into the ring yet, and whether the other
   * process can read this one's memory.
   */
  struct nic_page *page;
  char *pending;
  size_t pending_begin, pending_end, pending_room;
  bool reads_us;
  /* Only if the other process writes the ring: its PID and lives, and a message that is longer than the ring. */
  pid_t pid;
  const struct nic_lives *lives;
  char *whole;
  size_t have, wanted;
};

enum { NIC_REQUEST, NIC_ANSWER, NIC_READABLE, NIC_CM };

/* Header of a message between processes. BYTES bytes follow. */
struct nic_message {
  uint32_t kind, bytes, to, from;
  uint64_t sequence;
  union {
    struct {
      uint64_t remote, length, compare_add, swap;
      uint32_t key, flags, opcode;
      __be32 immediate;
      /* Only if the bytes are read from the requester's process: number of iovecs that follow, and the life of its queue pair. */
      uint32_t pieces, life;
    } request;
    struct {
      uint32_t answer, status;
      int rnr_timer;
      /* Only if the bytes of a read are read from the responder's process: life of their key, and their address. */
      uint32_t life;
      uint64_t address;
    } answer;
  };
};

/*
 * Bytes of a request: in this process, or in the process of a link while a life is unchanged. For a requester in another process, a read
 * only returns where its bytes are. The result of an atomic may be in network byte order.
 */
struct nic_bytes {
  struct iovec *pieces;
  int count;
  bool far, big_endian;
  struct nic_link *link;
  uint32_t *life, was;
  struct iovec found;
};

static inline bool nic_port_is_up(const struct nic_device *device, int port) {
  return device->port_state == IBV_PORT_ACTIVE && !(device->is.down >> port & 1);
}

/* Queue pairs of iWARP have no port number, so the first port is used. */
static inline bool nic_is_up(const struct nic_qp *qp) { return nic_port_is_up(qp->device, qp->attr.port_num ? qp->attr.port_num : 1); }

static inline bool nic_is_iwarp(const struct nic_device *device) { return device->is.transport == NIC_IWARP; }

/* fault.c */
/* Verbs that firmware executes, which takes milliseconds. */
enum nic_control { NIC_CREATE_QP, NIC_MODIFY_QP, NIC_FAIL_QP, NIC_DESTROY_QP, NIC_REG_MR, NIC_DEREG_MR, NIC_CREATE_CQ, NIC_RESIZE_CQ, NIC_DESTROY_CQ, NIC_CONTROLS };
void nic_control(enum nic_control what);

/* personality.c */
extern struct nic_device *nic_devices;
void nic_find_devices(void);
struct nic_device *nic_named(const char *name);
bool nic_set(struct nic_device *device, const char *key, const char *value);
/* Number of changes of ports and addresses, from 1. */
extern uint32_t nic_changes;

/* host.c */
int nic_addresses(struct sockaddr_storage *into, unsigned int *interfaces, int most);
extern uint32_t nic_number;
uint32_t nic_process(void);
struct nic_page *nic_page_of(uint32_t process);
const char *nic_folder(void);
uint32_t nic_network_of(const struct sockaddr *address);
int nic_claim_port(const char *name);
void nic_release_port(const char *name);
uint32_t nic_owner_of_port(const char *name);

/* thread.c */
uint64_t nic_now(void);
void nic_hold(void);
void nic_release(void);
void nic_wake(uint64_t when);

/* device.c */
struct ibv_context *nic_open(struct nic_device *device, bool async);
int nic_gids(const struct nic_device *device, int port, struct ibv_gid_entry *into);
bool nic_has_address(const struct nic_device *device, const struct sockaddr *address);
uint16_t nic_lid(const struct nic_device *device, int port);
int nic_pkey_index(const struct nic_device *device);

/* path.c */
int nic_check_path(const struct nic_qp *qp, const struct ibv_qp_attr *attr);
bool nic_finds(struct nic_qp *qp, const struct nic_qp *target);

/* event.c */
int nic_events_open(struct nic_events *events);
void nic_events_close(struct nic_events *events);
void nic_events_add(struct nic_events *events, void *about, int type, void *body);
bool nic_events_take(struct nic_events *events, struct nic_event *taken, void (*count)(void *body));
void nic_events_forget(struct nic_events *events, void *about, void (*body)(void *));
void nic_async(struct ibv_context *context, enum ibv_event_type type, void *element);

/* memory.c */
struct ibv_td *nic_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int nic_dealloc_td(struct ibv_td *td);
struct ibv_pd *nic_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr);
struct nic_td *nic_enter(struct ibv_qp *qp);
void nic_exit(struct nic_td *td);
bool nic_resolve(const struct nic_qp *qp, const struct ibv_sge *sge, int count, unsigned int rights, struct iovec *to);
char *nic_remote(const struct nic_qp *target, uint32_t key, uint64_t address, uint64_t length, unsigned int right);
void nic_copy(struct iovec *to, const struct iovec *from, int count);

/* completion.c */
uint64_t nic_complete_late(uint64_t now, const struct nic_qp *all_of);
void nic_overrun(struct nic_cq *cq);
void nic_complete(struct nic_cq *cq, const struct ibv_wc *wc, struct nic_qp *sender, uint64_t freed, bool solicited);
int nic_poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc);
int nic_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void nic_cq_forget(struct nic_cq *cq, struct nic_qp *qp);

/* receive.c */
int nic_receives_open(struct nic_receives *receives, const struct nic_personality *is, uint32_t capacity, uint32_t elements);
struct nic_receives *nic_receives_of(struct nic_qp *qp);
struct nic_receive *nic_take_receive(struct nic_qp *target);
void nic_complete_receive(struct nic_qp *qp, uint64_t wr_id, enum ibv_wc_status status, const struct nic_send *from, uint32_t source);
void nic_flush_receives(struct nic_qp *qp);
int nic_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int nic_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

/* pair.c */
/* Called for each iWARP queue pair that breaks, because its connection ends with it; RFC 5040, 7. */
extern void (*nic_broke)(struct nic_qp *qp);
struct nic_qp *nic_find_qp(uint32_t number);
struct nic_qp *nic_qp_at(uint32_t index);
void nic_qp_event(struct nic_qp *qp, enum ibv_event_type type);
void nic_set_state(struct nic_qp *qp, enum ibv_qp_state state);

/* post.c */
int nic_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);

/* responder.c */
struct nic_outcome nic_respond(struct nic_qp *target, const struct nic_send *request, struct nic_bytes *bytes, uint32_t source);

/* requester.c */
void nic_end(struct nic_qp *qp, enum ibv_wc_status status);
void nic_run(struct nic_qp *qp);
uint64_t nic_run_waiting(uint64_t now);
void nic_wait_until(struct nic_qp *qp, uint64_t when);
void nic_stop_waiting(struct nic_qp *qp);
void nic_wait_for_receive(struct nic_qp *qp, int timer);
void nic_break_off(struct nic_qp *qp, enum ibv_wc_status status);
uint64_t nic_ack_timeout(const struct nic_qp *qp);
enum ibv_wc_status nic_prepare(const struct nic_qp *qp, const struct nic_send *request, struct iovec *local, int *count);

/* link.c */
extern struct nic_lives nic_lives;
extern struct nic_page *nic_page;
/* Number of links. If it is 0, no thread polls for messages. */
extern int nic_linked;
extern uint32_t nic_polls;
/* Called with messages of the connection manager, and when a process has ended. */
extern void (*nic_cm_heard)(uint32_t process, const void *bytes, size_t length);
extern void (*nic_cm_gone)(uint32_t process);
void nic_links_open(void);
void nic_links_close(void);
int nic_links_fd(void);
void nic_links_run(void);
void nic_hear(void);
bool nic_rung(void);
bool nic_ask_to_be_woken(void);
bool nic_is_stopped(uint32_t process);
struct nic_link *nic_link_to(uint32_t process);
bool nic_send_cm(uint32_t process, const void *bytes, size_t length);
void nic_deliver(struct nic_link *link, const struct nic_message *message, char *payload);

/* ring.c */
bool nic_ring_make(int memory);
struct ring *nic_ring_map(int memory);
void nic_ring_unmap(struct ring *ring);
void nic_ring_flush(struct nic_link *link);
bool nic_ring_take(struct nic_link *link);
void nic_send(struct nic_link *link, struct nic_message *message, const struct iovec *payload, int count);

/* far.c */
static inline bool nic_is_far(const struct nic_qp *qp) { return qp->attr.dest_qp_num >> NIC_QP_BITS != nic_number; }
bool nic_read_memory(const struct nic_link *link, struct iovec *to, int to_count, struct iovec *from, int from_count, uint64_t length);
bool nic_lives_on(const struct nic_link *link, const uint32_t *here, uint32_t life);
void nic_run_far(struct nic_qp *qp);
void nic_hear_request(struct nic_link *link, const struct nic_message *message, char *payload);
void nic_hear_answer(struct nic_link *link, const struct nic_message *message, char *payload);
void nic_gone(uint32_t process);
void nic_key_ends(uint32_t key);
void nic_qp_ends(struct nic_qp *qp);

/* Functions that set faults for tests, in fault.c. */
int nic_fail_request(uint32_t qp_number, int after, int status);
int nic_raise(uint32_t qp_number, int event);
int nic_fail_at_random(uint32_t seed, int every);
int nic_held(void);
int nic_port(const char *name, int up);
int nic_change(const char *name, const char *key, const char *value);
int nic_vectors_used(const char *name);
int nic_relaxed(const char *name);
int nic_refused_queue_pairs(const char *name);
int nic_delay_completions(uint32_t seed, int micros);
int nic_refuse_posts(uint32_t qp_number, int posts, int error);
int nic_fail_polls(uint32_t qp_number, int result);
int nic_count_memlock(int on);
int nic_fork(void);
int nic_end_fork(int child);
extern bool nic_delays;
uint64_t nic_delay(void);
bool nic_may_pin(uint64_t bytes);
enum ibv_wc_status nic_fault(const struct nic_qp *qp, uint64_t at);

/* Functions that set faults of the connection manager for tests, in cm_fault.c. */
int nic_fail_connects(int count, int event, int status);
int nic_refuse_migration(int error);
int nic_raise_cm(uint32_t qp_number, int event);

#endif
