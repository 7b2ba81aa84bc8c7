/* Faults that tests set. */
#define _GNU_SOURCE
#include "nic.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Fails the request that is AFTER requests after the next one, with an ibv_wc_status; ibv_poll_cq(3). */
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

/* Refuses the next POSTS posts of a queue pair with an errno of ibv_post_send(3); with -1 as siw does if its doorbell fails. */
int nic_refuse_posts(uint32_t qp_number, int posts, int error) {
  nic_lock();
  struct nic_qp *qp = nic_find_qp(qp_number);
  if (qp) {
    qp->refused_posts = posts;
    qp->refused_with = error;
  }
  nic_unlock();
  return qp ? 0 : ENOENT;
}

/* Makes polls of a queue pair's receive completion queue return a negative number, like a failed ibv_poll_cq(3). */
int nic_fail_polls(uint32_t qp_number, int result) {
  nic_lock();
  struct nic_qp *qp = nic_find_qp(qp_number);
  if (qp) {
    ((struct nic_cq *)qp->ibv.recv_cq)->poll_fails = result;
  }
  nic_unlock();
  return qp ? 0 : ENOENT;
}

static bool counts_memlock;

/* Counts registered memory against RLIMIT_MEMLOCK for any user, as Linux does without CAP_IPC_LOCK (ib_umem_get). */
int nic_count_memlock(int on) {
  nic_lock();
  counts_memlock = on;
  nic_unlock();
  return 0;
}

/* Returns whether this process may pin this number of further bytes. */
bool nic_may_pin(uint64_t bytes) {
  struct rlimit limit;
  if (!counts_memlock || getrlimit(RLIMIT_MEMLOCK, &limit) != 0) {
    return true;
  }
  for (struct nic_device *device = nic_devices; device; device = device->next) {
    bytes += device->pinned;
  }
  return bytes <= limit.rlim_cur;
}

/* Starts a child that shares this process's pages and does nothing until nic_end_fork, or until this process ends. */
int nic_fork(void) {
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) {
      pause();
    }
    _exit(0);
  }
  return child;
}

int nic_end_fork(int child) {
  kill(child, SIGKILL);
  return waitpid(child, NULL, 0) == child ? 0 : errno;
}

bool nic_delays;
static uint32_t delay_state, delay_most;

/* Delays each completion by a random time up to MICROS; 0 for none. */
int nic_delay_completions(uint32_t seed, int micros) {
  nic_lock();
  delay_state = seed;
  delay_most = micros;
  nic_delays = micros > 0;
  nic_unlock();
  return 0;
}

uint64_t nic_delay(void) {
  if (!nic_delays) {
    return 0;
  }
  delay_state = delay_state * 1664525 + 1013904223;
  return (delay_state >> 8) % delay_most * 1000ull;
}

static uint32_t random_state, random_every;

/* Fails one of EVERY requests of the device on average, with a random status; 0 for none. */
int nic_fail_at_random(uint32_t seed, int every) {
  nic_lock();
  random_state = seed;
  random_every = every;
  nic_unlock();
  return 0;
}

/* Returns the status with which a request fails; IBV_WC_SUCCESS if it does not fail. */
enum ibv_wc_status nic_fault(const struct nic_qp *qp, uint64_t at) {
  if (qp->fault && at == qp->fault_at) {
    return qp->fault;
  }
  if (!random_every) {
    return IBV_WC_SUCCESS;
  }
  /* The lower bits of this generator repeat after few numbers. */
  random_state = random_state * 1664525 + 1013904223;
  return (random_state >> 8) % random_every ? IBV_WC_SUCCESS : 1 + (random_state >> 16) % IBV_WC_GENERAL_ERR;
}

/* Number of calls of each verb by threads of each name, since counting began. The last entry is for all further names. */
static struct {
  char thread[16];
  uint32_t calls[NIC_CONTROLS];
} callers[64];
enum { CALLERS = sizeof callers / sizeof *callers };
static bool counts_control;
static uint32_t control_micros;

/* Delays control verbs by this time in microseconds, and counts them. A negative number stops both. */
int nic_slow_control(int micros) {
  nic_lock();
  counts_control = micros >= 0;
  control_micros = micros > 0 ? micros : 0;
  memset(callers, 0, sizeof callers);
  nic_unlock();
  return 0;
}

/* Returns the number of calls of a verb by threads whose names begin with PREFIX. */
int nic_control_calls(const char *prefix, int what) {
  int calls = 0;
  nic_lock();
  for (int i = 0; i < CALLERS; i++) {
    calls += strncmp(callers[i].thread, prefix, strlen(prefix)) == 0 ? callers[i].calls[what] : 0;
  }
  nic_unlock();
  return calls;
}

/* Called without the lock by each verb that firmware executes. */
void nic_control(enum nic_control what) {
  if (!counts_control) {
    return;
  }
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  nic_lock();
  int i = 0;
  while (i < CALLERS - 1 && callers[i].thread[0] && strcmp(callers[i].thread, name) != 0) {
    i++;
  }
  strcpy(callers[i].thread, name);
  callers[i].calls[what]++;
  uint32_t micros = control_micros;
  nic_unlock();
  if (micros) {
    usleep(micros);
  }
}

/* Returns the number of open contexts, memory regions, queue pairs, shared receive queues and thread domains of this process. */
int nic_held(void) {
  int held = 0;
  nic_lock();
  for (struct nic_device *device = nic_devices; device; device = device->next) {
    held += device->mrs + device->qps + device->srqs + device->tds;
    for (struct nic_context *context = device->contexts; context; context = context->next) {
      held += &context->verbs.context != device->cm_context;
    }
  }
  nic_unlock();
  return held;
}

static void nic_port_event(struct ibv_context *context, enum ibv_event_type type) {
  for (uintptr_t port = 1; port <= nic_device(context)->is.ports; port++) {
    nic_async(context, type, (void *)port);
  }
}

/* Takes a port of the device up or down, and notifies all contexts. */
int nic_port(const char *name, int up) {
  nic_lock();
  nic_find_devices();
  struct nic_device *device = nic_named(name);
  if (device) {
    device->port_state = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
    for (struct nic_context *context = device->contexts; context; context = context->next) {
      nic_port_event(&context->verbs.context, up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
    }
  }
  nic_unlock();
  return device ? 0 : ENOENT;
}

/*
 * Fails a device, as after a reset of its firmware or the removal of its driver: its queue pairs are in the error state, its contexts are
 * notified and unusable. With BACK, new contexts can use the device again.
 */
int nic_fatal(const char *name, int back) {
  nic_lock();
  struct nic_device *device = nic_named(name);
  if (device) {
    nic_changes++;
    device->failed = !back;
    for (struct nic_context *context = back ? NULL : device->contexts; context; context = context->next) {
      struct ibv_context *ibv = &context->verbs.context;
      if (ibv != device->cm_context) {
        context->dead = true;
        for (struct nic_qp *qp = context->qps; qp; qp = qp->next_of_context) {
          nic_set_state(qp, IBV_QPS_ERR);
        }
        nic_async(ibv, IBV_EVENT_DEVICE_FATAL, (void *)1);
      }
    }
  }
  nic_unlock();
  return device ? 0 : ENOENT;
}

/* Changes a property of a device's personality, and notifies all contexts of the change. A NULL key restores the personality. */
int nic_change(const char *name, const char *key, const char *value) {
  nic_lock();
  struct nic_device *device = nic_named(name);
  int error = device ? nic_set(device, key, value) ? 0 : EINVAL : key ? ENOENT : 0;
  if (!error && key) {
    enum ibv_event_type type = strcmp(key, "lid") == 0 ? IBV_EVENT_LID_CHANGE : strcmp(key, "partitions") == 0 ? IBV_EVENT_PKEY_CHANGE
      : IBV_EVENT_GID_CHANGE;
    for (struct nic_context *context = device->contexts; context; context = context->next) {
      nic_port_event(&context->verbs.context, type);
    }
  }
  nic_unlock();
  return error;
}

/* Returns the completion vectors of queues with a channel, as bits. */
int nic_vectors_used(const char *name) {
  nic_lock();
  struct nic_device *device = nic_named(name);
  int used = device ? (int)device->vectors_used : 0;
  nic_unlock();
  return used;
}

/* Return the numbers of queue pairs, pinned KiB and contexts of this process on a device. */
int nic_queue_pairs(const char *name) {
  nic_lock();
  struct nic_device *device = nic_named(name);
  int count = device ? device->qps : 0;
  nic_unlock();
  return count;
}

int nic_pinned(const char *name) {
  nic_lock();
  struct nic_device *device = nic_named(name);
  int kibibytes = device ? (int)(device->pinned >> 10) : 0;
  nic_unlock();
  return kibibytes;
}

int nic_contexts(const char *name) {
  int count = 0;
  nic_lock();
  struct nic_device *device = nic_named(name);
  for (struct nic_context *context = device ? device->contexts : NULL; context; context = context->next) {
    count += &context->verbs.context != device->cm_context;
  }
  nic_unlock();
  return count;
}

/* Returns the connection options (ECE) that a queue pair uses, or offers before it can receive; -1 without such a queue pair. */
int nic_enhancements(uint32_t qp_number) {
  nic_lock();
  struct nic_qp *qp = nic_find_qp(qp_number);
  int used = qp ? (int)qp->enhancements : -1;
  nic_unlock();
  return used;
}

/* Returns the number of a queue pair's thread domain, from 1; 0 without one. */
int nic_thread_domain(uint32_t qp_number) {
  nic_lock();
  struct nic_qp *qp = nic_find_qp(qp_number);
  struct nic_td *td = qp ? ((struct nic_pd *)qp->ibv.pd)->td : NULL;
  int number = td ? td->number : 0;
  nic_unlock();
  return number;
}

/* Returns the number of queue pairs that were refused because of their attributes. */
int nic_refused_queue_pairs(const char *name) {
  nic_lock();
  struct nic_device *device = nic_named(name);
  int count = device ? device->refused_qps : 0;
  nic_unlock();
  return count;
}

/* Returns the number of memory regions with relaxed ordering. */
int nic_relaxed(const char *name) {
  nic_lock();
  struct nic_device *device = nic_named(name);
  int count = device ? device->relaxed : 0;
  nic_unlock();
  return count;
}

/*
 * Raises an event of ibv_get_async_event(3) for a queue pair, with its effects: a fatal event of a queue pair or a device moves queue pairs
 * to the error state (IBA 11.6.3), and a port that is down transmits nothing (IBA 14.2.5.6).
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
      case IBV_EVENT_CQ_ERR:
        nic_overrun((struct nic_cq *)qp->ibv.send_cq);
        break;
      case IBV_EVENT_SRQ_ERR:
      case IBV_EVENT_SRQ_LIMIT_REACHED:
        if (qp->ibv.srq) {
          ((struct nic_srq *)qp->ibv.srq)->async_given++;
          nic_async(qp->ibv.context, event, qp->ibv.srq);
        }
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
        nic_port_event(qp->ibv.context, event);
        break;
      case IBV_EVENT_DEVICE_FATAL:
        nic_port_event(qp->ibv.context, event);
        for (struct nic_qp *each = nic_context(qp->ibv.context)->qps; each; each = each->next_of_context) {
          nic_set_state(each, IBV_QPS_ERR);
        }
        break;
      default:
        nic_port_event(qp->ibv.context, event);
    }
  }
  nic_unlock();
  return qp ? 0 : ENOENT;
}
