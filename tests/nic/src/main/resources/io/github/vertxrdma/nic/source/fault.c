/* Faults on command, for tests. */
#include "nic.h"

#include <errno.h>

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
