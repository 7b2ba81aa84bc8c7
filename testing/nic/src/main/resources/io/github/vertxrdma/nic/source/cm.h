/* Declarations for all parts of librdmacm; rdma_cm(7). */
#ifndef CM_H
#define CM_H

#include "nic.h"

#include <rdma/rdma_cma.h>

enum cm_state { IDLE, BOUND, LISTENING, RESOLVED, ROUTED, REQUESTED, ANSWERING, CONFIRMING, ACCEPTED, CONNECTED, DISCONNECTED };

/* Maximum bytes of private data in each kind of message; rdma_connect(3), rdma_accept(3), IBA 12.6. */
enum { REQUEST_DATA = 56, ANSWER_DATA = 196, REJECT_DATA = 148, IWARP_DATA = 255 };

/* Reasons of enum ib_cm_rej_reason; IBA 12.6.7.2. */
enum { REJECT_TIMEOUT = 4, REJECT_NO_LISTENER = 8, REJECT_CONSUMER = 28 };

#define CM_PORT_NAME 80

struct cm_channel {
  struct rdma_event_channel ibv;
  struct nic_events events;
};

struct cm_id {
  struct rdma_cm_id ibv;
  enum cm_state state;
  uint32_t handle;
  /* Handle of the peer's id and number of its process; 0 if there is none. */
  uint32_t peer, process;
  struct nic_device *device;
  char port_name[CM_PORT_NAME];
  bool claimed;
  /* True if the id was created without a channel. It then has its own channel, and resolving calls block; rdma_create_id(3). */
  bool waits;
  uint32_t own_qp, peer_qp, own_psn, peer_psn;
  /* Address of the peer's port, and whether packets to it need a GRH. */
  uint16_t peer_lid;
  union ibv_gid peer_gid;
  bool peer_grh;
  int own_reads, peer_reads, retries, rnr_retries, timeout;
  /* Code of the MTU of the path: that of the connecting port (cma_resolve_iboe_route of Linux). */
  int mtu;
  int unacknowledged;
  /* Connection options (ECE) that both ends offer; ibv_query_ece(3). A vendor of 0 offers none. */
  struct ibv_ece own_ece, peer_ece;
  /*
   * Only for a listener: number of unread requests, and their maximum. Further requests are dropped without an answer (ucma_event_handler
   * of Linux).
   */
  int unread, backlog;
  struct cm_id *next;
};

/* A queued event. It begins with the public struct. */
struct cm_event {
  struct rdma_cm_event ibv;
  uint8_t data[256];
  struct cm_id *counted;
};

/* cm_event.c */
struct cm_event *cm_make(struct cm_id *about, enum rdma_cm_event_type type, int status);
void cm_put(struct cm_id *about, struct cm_event *event);
void cm_tell(struct cm_id *about, enum rdma_cm_event_type type, int status);
void cm_carry(struct cm_event *event, const struct cm_id *to, const void *data, int length, int size);

/* cm_address.c */
bool cm_is_any(const struct sockaddr *address);
bool cm_same_host(const struct sockaddr *a, const struct sockaddr *b);
__be16 *cm_port(struct sockaddr *address);
void cm_use_device(struct cm_id *id, struct nic_device *device);
uint32_t cm_owner(const struct sockaddr *address);

/* cm_id.c */
extern struct cm_id *cm_ids;
int cm_fail(int error);
struct cm_id *cm_add(struct rdma_event_channel *channel, void *context, enum rdma_port_space space);

/* cm_message.c */
void cm_leave(struct cm_id *id);

/* cm_pair.c */
void cm_move_qp(struct cm_id *id, enum ibv_qp_state state);
void cm_ready(struct cm_id *id);

/* cm_fault.c */
bool cm_fails(struct cm_id *id, enum rdma_cm_event_type resolved);
int cm_migration_refused(void);

/* cm_event.c */
int cm_wait(struct cm_id *id, int error);

#endif
