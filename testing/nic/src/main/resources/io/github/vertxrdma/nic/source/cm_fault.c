/* Faults of the connection manager on command, for tests. */
#include "cm.h"

#include <errno.h>

/* An event of rdma_get_cm_event(3) that takes the place of what a step would have led to, so many times. */
static struct {
  int planned;
  enum rdma_cm_event_type event;
  int status;
} fault;

/*
 * So many next connects end with an event: ADDR_ERROR instead of its address, ROUTE_ERROR instead of its route, one of the others instead of its
 * answer. CONNECT_REQUEST stands for a request that is lost on its way.
 */
int nic_fail_connects(int count, int event, int status) {
  nic_lock();
  fault.planned = count;
  fault.event = event;
  fault.status = status;
  nic_unlock();
  return 0;
}

static int refused_migration;

/* The next id that is to move to another channel stays where it is, for that errno. */
int nic_refuse_migration(int error) {
  nic_lock();
  refused_migration = error;
  nic_unlock();
  return 0;
}

/* An errno, or 0; once. */
int cm_migration_refused(void) {
  int error = refused_migration;
  refused_migration = 0;
  return error;
}

/* Whether the fault is of this step of an id; then the id has been told. */
bool cm_fails(struct cm_id *id, enum rdma_cm_event_type resolved) {
  bool here = fault.planned &&
    (fault.event == RDMA_CM_EVENT_ADDR_ERROR    ? resolved == RDMA_CM_EVENT_ADDR_RESOLVED
       : fault.event == RDMA_CM_EVENT_ROUTE_ERROR ? resolved == RDMA_CM_EVENT_ROUTE_RESOLVED
                                                  : resolved == RDMA_CM_EVENT_ESTABLISHED);
  if (here) {
    fault.planned--;
    if (fault.event != RDMA_CM_EVENT_CONNECT_REQUEST) {
      cm_tell(id, fault.event, fault.status);
    }
  }
  return here;
}

/* Raises an event where the connection of a queue pair is. */
int nic_raise_cm(uint32_t qp_number, int event) {
  int found = ENOENT;
  nic_lock();
  for (struct cm_id *id = cm_ids; id; id = id->next) {
    if (id->own_qp == qp_number && id->state == CONNECTED) {
      cm_tell(id, event, 0);
      found = 0;
    }
  }
  nic_unlock();
  return found;
}
