/* Faults on command, for tests. */
#include "nic.h"

#include <errno.h>
#include <string.h>

/* The device fails the request that is so many after the one to be carried out next, with an ibv_wc_status of ibv_poll_cq(3). */
int nic_fail_request(uint32_t qp_number, int after, int status) {
  nic_lock();
  struct nic_qp *qp = nic_find_qp(qp_number);
  if (qp) {
    qp->fault_at = qp->next + after;
    qp->fault = status;
  }
  nic_unlock();
  return qp ? 0 : ENOENT;
}

static uint32_t random_state, random_every;

/* From now on the device fails one request of so many, at random, with a status at random; 0 for none. */
int nic_fail_at_random(uint32_t seed, int every) {
  nic_lock();
  random_state = seed;
  random_every = every;
  nic_unlock();
  return 0;
}

/* How a request is to fail; IBV_WC_SUCCESS if it is not. */
enum ibv_wc_status nic_fault(const struct nic_qp *qp, uint64_t at) {
  if (qp->fault && at == qp->fault_at) {
    return qp->fault;
  }
  if (!random_every) {
    return IBV_WC_SUCCESS;
  }
  /* The lower bits of such a generator repeat soon. */
  random_state = random_state * 1664525 + 1013904223;
  return (random_state >> 8) % random_every ? IBV_WC_SUCCESS : 1 + (random_state >> 16) % IBV_WC_GENERAL_ERR;
}

/* What programs of this process hold of its devices: contexts, memory regions, queue pairs and shared receive queues. */
int nic_held(void) {
  int held = 0;
  nic_lock();
  for (struct nic_device *device = nic_devices; device; device = device->next) {
    held += device->mrs + device->qps + device->srqs;
    for (struct nic_context *context = device->contexts; context; context = context->next) {
      held += &context->verbs.context != device->cm_context;
    }
  }
  nic_unlock();
  return held;
}

/* Takes the port of a device down, or up again, and tells all who have the device open. */
int nic_port(const char *name, int up) {
  int found = ENOENT;
  nic_lock();
  for (struct nic_device *device = nic_devices; device; device = device->next) {
    if (strcmp(device->ibv.name, name) == 0) {
      found = 0;
      device->port_state = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
      for (struct nic_context *context = device->contexts; context; context = context->next) {
        nic_async(&context->verbs.context, up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR, device);
      }
    }
  }
  nic_unlock();
  return found;
}

/*
 * Raises an event of ibv_get_async_event(3) where a queue pair is, with what it stands for: queue pairs that an event of their own or of the
 * device ends are in error (IBA 11.6.3), and a port that is down carries nothing (IBA 14.2.5.6).
 */
int nic_raise(uint32_t qp_number, int event) {
  nic_lock();
  struct nic_qp *qp = nic_find_qp(qp_number);
  if (qp) {
    switch (event) {
      case IBV_EVENT_QP_FATAL:
      case IBV_EVENT_QP_REQ_ERR:
      case IBV_EVENT_QP_ACCESS_ERR:
      case IBV_EVENT_PATH_MIG_ERR:
        nic_qp_event(qp, event);
        nic_set_state(qp, IBV_QPS_ERR);
        break;
      case IBV_EVENT_COMM_EST:
      case IBV_EVENT_SQ_DRAINED:
      case IBV_EVENT_PATH_MIG:
      case IBV_EVENT_QP_LAST_WQE_REACHED:
        nic_qp_event(qp, event);
        break;
      case IBV_EVENT_PORT_ERR:
      case IBV_EVENT_PORT_ACTIVE:
        qp->device->port_state = event == IBV_EVENT_PORT_ERR ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
        nic_async(qp->ibv.context, event, qp->device);
        break;
      case IBV_EVENT_DEVICE_FATAL:
        nic_async(qp->ibv.context, event, qp->device);
        for (struct nic_qp *each = nic_context(qp->ibv.context)->qps; each; each = each->next_of_context) {
          nic_set_state(each, IBV_QPS_ERR);
        }
        break;
      default:
        nic_async(qp->ibv.context, event, qp->device);
    }
  }
  nic_unlock();
  return qp ? 0 : ENOENT;
}
