/* Faults of the connection manager that tests set. */
#include "cm.h"

#include <errno.h>

/* Event that replaces the results of the next `planned` steps. */
static struct {
  int planned;
  enum rdma_cm_event_type event;
  int status;
} fault;

/*
 * Ends the next COUNT connects with an event. ADDR_ERROR replaces the result of the address resolution, ROUTE_ERROR that of the route,
 * other events the answer. CONNECT_REQUEST loses the request.
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

/* Fails the next move of an id to another channel with this errno. */
int nic_refuse_migration(int error) {
  nic_lock();
  refused_migration = error;
  nic_unlock();
  return 0;
}

/* Returns the errno of nic_refuse_migration once, then 0. */
int cm_migration_refused(void) {
  int error = refused_migration;
  refused_migration = 0;
  return error;
}

/* Returns whether the fault applies to this step of an id. If so, reports the fault's event. */
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

/* Raises an event on the connection of a queue pair. */
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
