/* Fabrics, domains, event queues, completion queues and address vectors. */
#include "fi.h"
#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int no_bind(struct fid *fid, struct fid *other, uint64_t flags) {
  (void)fid, (void)other, (void)flags;
  return -FI_ENOSYS;
}

int no_control(struct fid *fid, int command, void *arg) {
  (void)fid, (void)command, (void)arg;
  return -FI_ENOSYS;
}

int no_ops(struct fid *fid, const char *name, uint64_t flags, void **ops, void *context) {
  (void)fid, (void)name, (void)flags, (void)ops, (void)context;
  return -FI_ENOSYS;
}

/* ---- event queues; fi_eq(3) ---- */

static ssize_t events_read(struct fid_eq *fid, uint32_t *event, void *buffer, size_t length, uint64_t flags) {
  (void)event, (void)buffer, (void)length, (void)flags;
  struct events *events = CONTAINER(fid, struct events, fid);
  pthread_mutex_lock(&lock);
  ssize_t result = events->first ? -FI_EAVAIL : -FI_EAGAIN;
  pthread_mutex_unlock(&lock);
  return result;
}

static ssize_t events_error(struct fid_eq *fid, struct fi_eq_err_entry *entry, uint64_t flags) {
  (void)flags;
  struct events *events = CONTAINER(fid, struct events, fid);
  pthread_mutex_lock(&lock);
  struct event *first = events->first;
  if (first) {
    entry->fid = first->entry.fid;
    entry->context = first->entry.context;
    entry->data = first->entry.data;
    entry->err = first->entry.err;
    entry->prov_errno = first->entry.prov_errno;
    events->first = first->next;
    if (!events->first) {
      events->last = &events->first;
    }
    free(first);
  }
  pthread_mutex_unlock(&lock);
  return first ? (ssize_t)sizeof *entry : -FI_EAGAIN;
}

static const char *events_words(struct fid_eq *fid, int prov_errno, const void *data, char *buffer, size_t length) {
  (void)fid, (void)data;
  snprintf(buffer, length, "error %d of the stand-in", prov_errno);
  return buffer;
}

static int events_close(struct fid *fid) {
  struct events *events = (struct events *)fid;
  while (events->first) {
    struct event *event = events->first;
    events->first = event->next;
    free(event);
  }
  free(events);
  return 0;
}

static struct fi_ops events_fid_ops = FID_OPS(events_close, no_bind, no_control);
static struct fi_ops_eq events_ops
  = {.size = sizeof(struct fi_ops_eq), .read = events_read, .readerr = events_error, .strerror = events_words};

static int events_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq, void *context) {
  (void)fabric;
  if (attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC) {
    return -FI_ENOSYS;
  }
  struct events *events = calloc(1, sizeof *events);
  events->last = &events->first;
  events->fid.fid = (struct fid){FI_CLASS_EQ, context, &events_fid_ops};
  events->fid.ops = &events_ops;
  *eq = &events->fid;
  return 0;
}

/* ---- completion queues; fi_cq(3) ---- */

/* Makes the fd of a queue readable. */
void queue_kick(struct queue *queue) {
  if (queue->event >= 0) {
    eventfd_write(queue->event, 1);
  }
}

void queue_add(struct queue *queue, const struct entry *entry) {
  struct entry *copy = malloc(sizeof *copy);
  *copy = *entry;
  copy->next = NULL;
  *queue->last = copy;
  queue->last = &copy->next;
  queue_kick(queue);
}

void queue_join(struct queue *queue, struct endpoint *endpoint) {
  queue->endpoints = realloc(queue->endpoints, (queue->members + 1) * sizeof *queue->endpoints);
  queue->endpoints[queue->members++] = endpoint;
}

void queue_leave(struct queue *queue, struct endpoint *endpoint) {
  for (int i = 0; i < queue->members; i++) {
    if (queue->endpoints[i] == endpoint) {
      queue->endpoints[i] = queue->endpoints[--queue->members];
      return;
    }
  }
}

static struct entry *queue_remove(struct queue *queue) {
  struct entry *first = queue->first;
  queue->first = first->next;
  if (!queue->first) {
    queue->last = &queue->first;
  }
  return first;
}

static void progress(struct queue *queue) {
  if (queue->event >= 0 && !personality.stays_readable) {
    eventfd_t ignored;
    eventfd_read(queue->event, &ignored);
  }
  bool busy = false;
  for (int i = 0; i < queue->members; i++) {
    wire_progress(queue->endpoints[i]);
    busy |= wire_busy(queue->endpoints[i]);
  }
  if (busy || queue->first) {
    queue_kick(queue);
  }
}

static ssize_t queue_read(struct fid_cq *fid, void *buffer, size_t count) {
  static const size_t sizes[] = {0, sizeof(struct fi_cq_entry), sizeof(struct fi_cq_msg_entry), sizeof(struct fi_cq_data_entry),
    sizeof(struct fi_cq_tagged_entry)};
  struct queue *queue = CONTAINER(fid, struct queue, fid);
  pthread_mutex_lock(&lock);
  progress(queue);
  size_t n = 0;
  for (; n < count && queue->first && !queue->first->err; n++) {
    struct entry *entry = queue_remove(queue);
    struct fi_cq_tagged_entry copy = {.op_context = entry->context, .flags = entry->flags, .len = entry->length, .buf = entry->buffer,
      .data = entry->data};
    memcpy((char *)buffer + n * sizes[queue->format], &copy, sizes[queue->format]);
    free(entry);
  }
  ssize_t result = n ? (ssize_t)n : queue->first && queue->first->err ? -FI_EAVAIL : -FI_EAGAIN;
  pthread_mutex_unlock(&lock);
  return result;
}

static ssize_t queue_readfrom(struct fid_cq *fid, void *buffer, size_t count, fi_addr_t *source) {
  ssize_t n = queue_read(fid, buffer, count);
  for (ssize_t i = 0; i < n; i++) {
    source[i] = FI_ADDR_NOTAVAIL;
  }
  return n;
}

static ssize_t queue_error(struct fid_cq *fid, struct fi_cq_err_entry *error, uint64_t flags) {
  (void)flags;
  struct queue *queue = CONTAINER(fid, struct queue, fid);
  pthread_mutex_lock(&lock);
  ssize_t result = -FI_EAGAIN;
  if (queue->first && queue->first->err) {
    struct entry *entry = queue_remove(queue);
    error->op_context = entry->context;
    error->flags = entry->flags;
    error->len = entry->length;
    error->buf = entry->buffer;
    error->data = entry->data;
    error->tag = 0;
    error->olen = 0;
    error->err = entry->err;
    error->prov_errno = entry->prov_errno;
    error->err_data_size = 0;
    free(entry);
    result = 1;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

/* Waits for a completion. Polls in steps of 1 ms, because peers need this process's progress. */
static ssize_t queue_wait(struct fid_cq *fid, void *buffer, size_t count, const void *condition, int timeout) {
  (void)condition;
  for (int waited = 0; timeout < 0 || waited <= timeout; waited++) {
    ssize_t n = queue_read(fid, buffer, count);
    if (n != -FI_EAGAIN) {
      return n;
    }
    usleep(1000);
  }
  return -FI_EAGAIN;
}

static const char *queue_words(struct fid_cq *fid, int prov_errno, const void *data, char *buffer, size_t length) {
  (void)fid, (void)data;
  snprintf(buffer, length, "error %d of the stand-in", prov_errno);
  return buffer;
}

static int queue_control(struct fid *fid, int command, void *arg) {
  struct queue *queue = (struct queue *)fid;
  if (command != FI_GETWAIT || queue->epoll < 0) {
    return -FI_ENOSYS;
  }
  *(int *)arg = queue->epoll;
  return 0;
}

static int queue_close(struct fid *fid) {
  struct queue *queue = (struct queue *)fid;
  if (queue->members) {
    return -FI_EBUSY;
  }
  free(queue->endpoints);
  while (queue->first) {
    free(queue_remove(queue));
  }
  if (queue->epoll >= 0) {
    close(queue->epoll);
    close(queue->event);
  }
  free(queue);
  return 0;
}

static struct fi_ops queue_fid_ops = FID_OPS(queue_close, no_bind, queue_control);
static struct fi_ops_cq queue_ops = {.size = sizeof(struct fi_ops_cq), .read = queue_read, .readfrom = queue_readfrom,
  .readerr = queue_error, .sread = queue_wait, .strerror = queue_words};

static int queue_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq, void *context) {
  (void)domain;
  bool waits = attr->wait_obj == FI_WAIT_FD;
  /* Completion queues of efa_rdm_cq.c before 2.5 and of fi_opx_cq.c have no fd. */
  if (waits ? !personality.waits : attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC) {
    return -FI_ENOSYS;
  }
  struct queue *queue = calloc(1, sizeof *queue);
  queue->last = &queue->first;
  queue->format = attr->format ? attr->format : FI_CQ_FORMAT_CONTEXT;
  queue->epoll = queue->event = -1;
  if (waits) {
    queue->epoll = epoll_create1(EPOLL_CLOEXEC);
    queue->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (queue->epoll < 0 || queue->event < 0) {
      close(queue->epoll);
      close(queue->event);
      free(queue);
      return -FI_EMFILE;
    }
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(queue->epoll, EPOLL_CTL_ADD, queue->event, &event);
  }
  queue->fid.fid = (struct fid){FI_CLASS_CQ, context, &queue_fid_ops};
  queue->fid.ops = &queue_ops;
  *cq = &queue->fid;
  return 0;
}

/* Makes progress before a thread sleeps; fi_trywait(3). */
static int trywait(struct fid_fabric *fabric, struct fid **fids, int count) {
  (void)fabric;
  int result = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++) {
    if (fids[i]->fclass == FI_CLASS_CQ) {
      struct queue *queue = (struct queue *)fids[i];
      progress(queue);
      for (int j = 0; j < queue->members; j++) {
        result = wire_busy(queue->endpoints[j]) ? -FI_EAGAIN : result;
      }
      result = queue->first ? -FI_EAGAIN : result;
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

/* ---- address vectors; fi_av(3) ---- */

static int vector_insert(struct fid_av *fid, const void *addresses, size_t count, fi_addr_t *results, uint64_t flags, void *context) {
  (void)flags, (void)context;
  struct vector *vector = CONTAINER(fid, struct vector, fid);
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < count; i++) {
    const unsigned char *bytes = (const unsigned char *)addresses + i * personality.address_size;
    size_t at = vector->used;
    for (size_t j = 0; j < vector->used; j++) {
      if (vector->peers[j].used && !memcmp(vector->peers[j].bytes, bytes, personality.address_size)) {
        at = j;
      }
    }
    if (at == vector->size) {
      vector->size = vector->size ? 2 * vector->size : 64;
      vector->peers = realloc(vector->peers, vector->size * sizeof *vector->peers);
    }
    if (at == vector->used) {
      vector->used++;
      memset(&vector->peers[at], 0, sizeof *vector->peers);
      memcpy(vector->peers[at].bytes, bytes, personality.address_size);
      vector->peers[at].used = true;
    }
    if (results) {
      results[i] = at;
    }
  }
  pthread_mutex_unlock(&lock);
  return (int)count;
}

static int vector_remove(struct fid_av *fid, fi_addr_t *peers, size_t count, uint64_t flags) {
  (void)flags;
  struct vector *vector = CONTAINER(fid, struct vector, fid);
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < count; i++) {
    if (peers[i] < vector->used) {
      vector->peers[peers[i]].used = false;
    }
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

static int vector_lookup(struct fid_av *fid, fi_addr_t peer, void *address, size_t *length) {
  struct vector *vector = CONTAINER(fid, struct vector, fid);
  if (peer >= vector->used || !vector->peers[peer].used) {
    return -FI_EINVAL;
  }
  memcpy(address, vector->peers[peer].bytes, *length < personality.address_size ? *length : personality.address_size);
  *length = personality.address_size;
  return 0;
}

static const char *vector_words(struct fid_av *fid, const void *address, char *buffer, size_t *length) {
  (void)fid, (void)address;
  *length = snprintf(buffer, *length, "fi_addr_%s://", personality.name) + 1;
  return buffer;
}

static int vector_close(struct fid *fid) {
  struct vector *vector = (struct vector *)fid;
  free(vector->peers);
  free(vector);
  return 0;
}

static struct fi_ops vector_fid_ops = FID_OPS(vector_close, no_bind, no_control);
static struct fi_ops_av vector_ops = {.size = sizeof(struct fi_ops_av), .insert = vector_insert, .remove = vector_remove,
  .lookup = vector_lookup, .straddr = vector_words};

static int vector_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av, void *context) {
  (void)domain, (void)attr;
  struct vector *vector = calloc(1, sizeof *vector);
  vector->fid.fid = (struct fid){FI_CLASS_AV, context, &vector_fid_ops};
  vector->fid.ops = &vector_ops;
  *av = &vector->fid;
  return 0;
}

/* ---- domains; fi_domain(3) ---- */

static int domain_close(struct fid *fid) {
  struct domain *domain = (struct domain *)fid;
  if (domain->users) {
    return -FI_EBUSY;
  }
  /* Frees closed regions whose keys stayed valid. */
  while (domain->regions) {
    struct region *region = domain->regions;
    domain->regions = region->next;
    free(region);
  }
  free(domain);
  return 0;
}

static struct fi_ops domain_fid_ops = FID_OPS(domain_close, no_bind, no_control);
static struct fi_ops_domain domain_ops
  = {.size = sizeof(struct fi_ops_domain), .av_open = vector_open, .cq_open = queue_open, .endpoint = endpoint_open};

/*
 * Like efa_fork_support.c: fork(2) aborts the process unless FI_EFA_FORK_SAFE is set. The real provider also permits it if rdma-core and
 * the kernel copy pinned pages.
 */
static void forbid_fork(void) {
  fprintf(stderr, "stand-in %s: fork() was called without fork support. Your job will now abort.\n", personality.name);
  abort();
}

static int domain_open(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **dom, void *context) {
  (void)fabric;
  static bool handled;
  if (personality.aborts && !handled && !getenv("FI_EFA_FORK_SAFE")) {
    handled = true;
    pthread_atfork(forbid_fork, NULL, NULL);
  }
  struct domain *domain = calloc(1, sizeof *domain);
  domain->mr_mode = info->domain_attr->mr_mode;
  domain->caps = info->caps;
  domain->fid.fid = (struct fid){FI_CLASS_DOMAIN, context, &domain_fid_ops};
  domain->fid.ops = &domain_ops;
  domain->fid.mr = &memory_ops;
  *dom = &domain->fid;
  return 0;
}

/* ---- fabrics; fi_fabric(3) ---- */

static int fabric_close(struct fid *fid) {
  free(fid);
  return 0;
}

static struct fi_ops fabric_fid_ops = FID_OPS(fabric_close, no_bind, no_control);
static struct fi_ops_fabric fabric_ops
  = {.size = sizeof(struct fi_ops_fabric), .domain = domain_open, .eq_open = events_open, .trywait = trywait};

int fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **result, void *context) {
  (void)attr;
  struct fabric *fabric = calloc(1, sizeof *fabric);
  fabric->fid.fid = (struct fid){FI_CLASS_FABRIC, context, &fabric_fid_ops};
  fabric->fid.ops = &fabric_ops;
  *result = &fabric->fid;
  return 0;
}
