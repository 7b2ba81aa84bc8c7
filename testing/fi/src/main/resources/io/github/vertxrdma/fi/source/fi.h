/*
 * Declarations of a libfabric provider for tests that behaves like the provider of an adapter. Each shared object is one provider: these
 * files and one personality (efa.c, cxi.c, opx.c). info.c has the rules of attributes, object.c fabrics, domains and queues, memory.c
 * registrations, endpoint.c the calls of endpoints, wire.c the frames between endpoints, fault.c state and faults for tests. Names in
 * comments such as efa_base_ep.c are files of libfabric 2.6 (prov/efa/src, prov/cxi/src, prov/opx/src, prov/util/src); manual pages are
 * those of libfabric. One lock guards all data. Endpoints make progress only during calls, as with the real providers.
 */
#ifndef FI_H
#define FI_H
#define _GNU_SOURCE

#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/providers/fi_prov.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* FI_TAG_GENERIC of ofi.h. */
#ifndef FI_TAG_GENERIC
#define FI_TAG_GENERIC 0xAAAAAAAAAAAAAAAAULL
#endif
#define FI_STANDIN_ADDRESS 32
#define FI_STANDIN_IOVS 4
/* Deprecated modes and bits, whose macros warn since libfabric 2. */
#define MR_BASIC (1 << 0)
#define MR_SCALABLE (1 << 1)
#define LOCAL_MR (1ULL << 55)
#define FID_OPS(closing, binding, controlling) \
  {.size = sizeof(struct fi_ops), .close = closing, .bind = binding, .control = controlling, .ops_open = no_ops}
#define CONTAINER(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

/* Differences between adapters. */
struct personality {
  const char *name;
  /* Name of the adapter in /sys/class/infiniband or /sys/class/cxi, for fid_nic; NULL if the provider has no fid_nic. */
  const char *adapter;
  /* Templates of fi_info that getinfo copies, in the provider's order. */
  const struct fi_info *const *infos;
  /* Adapts a template's copy to the hints, before the common rules. Returns 0, or a negative errno if the copy does not fit. */
  int (*alter)(struct fi_info *copy, const struct fi_info *hints);
  size_t address_size;
  /* Writes the address of an endpoint with this number, which is below `endpoints`; 0 if the endpoint has no number yet. */
  void (*address)(unsigned char *at, uint32_t number);
  /* Returns the number in an address that a user requests, or 0; NULL if the adapter chooses the numbers. */
  uint32_t (*number)(const unsigned char *address);
  uint32_t endpoints;
  /* Whether only the first fitting template answers hints. */
  bool first_only;
  /* Flags that fi_writemsg accepts. */
  uint64_t write_flags;
  /* Whether the process aborts after an error of the provider's own operations if there is no event queue to report it. */
  bool aborts;
  /* Whether later messages may overtake a write. */
  bool writes_late;
  /* Whether completion queues have an fd to wait for. */
  bool waits, stays_readable;
  /* Whether the provider chooses keys and addresses are virtual, whatever registration mode was answered. */
  bool own_keys;
  /* Whether each operation registers its local memory with the kernel, if the cache does not have the memory. */
  bool maps;
  /* Whether keys that the provider chooses contain a number of the device. Such a key can outlive its region, and name a later one. */
  bool numbered_keys;
  /* Maximum number of registered regions, and the error of a further registration. */
  int regions, full;
  /*
   * Number of the adapter's list entries, which posted receives and messages that wait for one use; 0 for no limit. Beyond it the process
   * aborts if FI_CXI_RX_MATCH_MODE is "hardware".
   */
  int list_entries;
  /* Errors of operations that the target refuses, or whose target has ended. */
  int refused, dead;
};
extern const struct personality personality;
extern pthread_mutex_t lock;

struct fabric {
  struct fid_fabric fid;
};

struct domain {
  struct fid_domain fid;
  int mr_mode;
  uint64_t caps;
  int users;
  struct region *regions;
  /* Numbers of keys in use. There are more numbers than regions. */
  bool numbers[(1 << 16) + 1];
};

struct region {
  struct fid_mr fid;
  struct domain *domain;
  struct endpoint *endpoint;
  bool enabled;
  uint64_t base, length, access;
  struct region *next;
};

struct event {
  struct fi_eq_err_entry entry;
  struct event *next;
};

struct events {
  struct fid_eq fid;
  struct event *first, **last;
};

struct entry {
  void *context;
  uint64_t flags, length, data;
  void *buffer;
  int err, prov_errno;
  struct entry *next;
};

struct queue {
  struct fid_cq fid;
  enum fi_cq_format format;
  struct entry *first, **last;
  struct endpoint **endpoints;
  int members;
  /*
   * An epoll(7) fd for the sockets of all endpoints, and an eventfd(2) that is readable while there are completions or work; -1 without
   * FI_WAIT_FD.
   */
  int epoll, event;
};

struct vector {
  struct fid_av fid;
  size_t size, used;
  struct { bool used; unsigned char bytes[FI_STANDIN_ADDRESS]; } *peers;
};

enum kind { HELLO, MESSAGE, WRITE, READ, ATOMIC, ANSWER };

struct frame {
  uint32_t kind;
  int32_t status;
  uint64_t id, length, address, key, data, flags, operand, compare;
};
/* Flags of frames: has remote CQ data; is answered when a receive took it; is a compare and swap. */
#define WITH_DATA 1
#define WHEN_TAKEN 2
#define SWAP 4

/* Bytes that will be written to a socket. */
struct chunk {
  struct chunk *next;
  size_t length, done;
  unsigned char bytes[];
};

/* A posted operation that waits for its answer. */
struct operation {
  struct operation *next;
  uint64_t id, flags;
  void *context;
  bool reported;
  size_t count;
  struct iovec into[FI_STANDIN_IOVS];
};

/* A frame that arrived and waits: a message for a receive, a write for the next progress. */
struct arrival {
  struct arrival *next;
  struct link *link;
  struct frame frame;
  unsigned char *bytes;
};

/* A request to an address that the network keeps. */
struct departure {
  struct departure *next;
  struct operation *operation;
  unsigned char peer[FI_STANDIN_ADDRESS];
  struct chunk *chunk;
};

/* A socket to another endpoint. Requests go in one direction, and their answers in the other. */
struct link {
  struct link *next;
  struct endpoint *endpoint;
  int fd, born;
  bool outgoing, greeted, needs_greeting, mute, ended;
  unsigned char peer[FI_STANDIN_ADDRESS];
  struct chunk *first, **last;
  struct operation *operations;
  /* The frame that is being read. */
  struct frame frame;
  size_t have;
  unsigned char *bytes;
};

struct receive {
  struct receive *next;
  void *context;
  size_t count;
  struct iovec into[FI_STANDIN_IOVS];
};

struct endpoint {
  struct fid_ep fid;
  struct domain *domain;
  struct events *events;
  struct queue *tx, *rx;
  struct vector *vector;
  uint64_t caps, tx_flags;
  bool tx_selective, rx_selective, enabled;
  size_t inject, depth, receives_limit, outstanding, posted;
  unsigned char name[FI_STANDIN_ADDRESS];
  int listener;
  struct link *links;
  struct receive *receives, **last_receive;
  struct arrival *unexpected, **last_unexpected;
  struct arrival *late, **last_late;
  /* Frames that the network keeps: messages that arrived, and requests to peers. */
  struct arrival *kept, **last_kept;
  struct departure *departures, **last_departure;
  int regions, waiting;
};

/* info.c */
int info_get(uint32_t version, const char *node, const char *service, uint64_t flags, const struct fi_info *hints, struct fi_info **info);
int info_check(const struct fi_info *info, uint32_t version, const struct fi_info *hints);
void info_alter(struct fi_info *info, const struct fi_info *hints, uint32_t version);
struct fi_info *info_copy(const struct fi_info *info);
int regions_most(void);

/* object.c */
int fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
int no_bind(struct fid *fid, struct fid *other, uint64_t flags);
int no_control(struct fid *fid, int command, void *arg);
int no_ops(struct fid *fid, const char *name, uint64_t flags, void **ops, void *context);
void queue_add(struct queue *queue, const struct entry *entry);
void queue_kick(struct queue *queue);
void queue_join(struct queue *queue, struct endpoint *endpoint);
void queue_leave(struct queue *queue, struct endpoint *endpoint);

/* memory.c */
extern struct fi_ops_mr memory_ops;
void *memory_check(struct endpoint *endpoint, const struct frame *frame, uint64_t right);
void memory_map(const void *address, size_t length);

/* endpoint.c */
int endpoint_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep, void *context);
void endpoint_list_entries(int more);
bool endpoint_take(struct endpoint *endpoint, struct arrival *arrival);
size_t spread(const struct iovec *iov, size_t count, const void *bytes, size_t length);

/* wire.c */
int wire_listen(struct endpoint *endpoint, const void *wanted);
void wire_close(struct endpoint *endpoint);
void wire_progress(struct endpoint *endpoint);
int wire_post(struct endpoint *endpoint, const unsigned char *peer, struct frame *frame, const struct iovec *iov, size_t count,
  struct operation *operation);
void wire_answer(struct link *link, const struct frame *request, int status, const void *bytes, size_t length);
bool wire_busy(struct endpoint *endpoint);
void wire_fail(struct endpoint *endpoint, struct operation *operation, int err);

/* fault.c */
extern int regions_open, maps, endpoints_without_events, frames_kept;
bool network_keeps(const struct link *link);
bool network_delivers(void);
int network_commands(void);
void internal_error(struct endpoint *endpoint, int err);
int fault_internal(void);
int fault_due(void);
bool cache_is_on(void);
bool is_on(const char *variable, bool otherwise);

#endif
