/* Endpoints; fi_endpoint(3), fi_msg(3), fi_rma(3), fi_atomic(3). */
#include "fi.h"
#include <stdio.h>

static size_t total(const struct iovec *iov, size_t count) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += iov[i].iov_len;
  }
  return sum;
}

/* Copies bytes into elements. Returns the number of copied bytes. */
size_t spread(const struct iovec *iov, size_t count, const void *bytes, size_t length) {
  size_t done = 0;
  for (size_t i = 0; i < count && done < length; i++) {
    size_t n = iov[i].iov_len < length - done ? iov[i].iov_len : length - done;
    memcpy(iov[i].iov_base, (const char *)bytes + done, n);
    done += n;
  }
  return done;
}

/* ---- receives ---- */

/* Counts list entries of all endpoints of this process. Aborts like RXC_FATAL in cxip_msg_hpc.c. */
void endpoint_list_entries(int more) {
  static int used;
  used += more;
  const char *fewer = getenv("VERTX_RDMA_FI_LIST_ENTRIES"), *mode = getenv("FI_CXI_RX_MATCH_MODE");
  int most = fewer && personality.list_entries ? atoi(fewer) : personality.list_entries;
  if (most && used > most && more > 0 && (!mode || strcmp(mode, "hardware") == 0)) {
    fprintf(stderr, "LE resources not recovered during flow control. FI_CXI_RX_MATCH_MODE=[hybrid|software] is required\n");
    abort();
  }
}

static void received(struct endpoint *endpoint, struct receive *receive, struct arrival *arrival) {
  const struct frame *frame = &arrival->frame;
  size_t done = spread(receive->into, receive->count, arrival->bytes, frame->length);
  struct entry entry = {.context = receive->context, .flags = FI_MSG | FI_RECV, .length = frame->length, .buffer = receive->into[0].iov_base};
  if (frame->flags & WITH_DATA) {
    entry.flags |= FI_REMOTE_CQ_DATA;
    entry.data = frame->data;
  }
  if (done < frame->length) {
    entry.err = entry.prov_errno = FI_ETRUNC;
  }
  if (entry.err || !endpoint->rx_selective) {
    queue_add(endpoint->rx, &entry);
  }
}

/* Puts an arrived message into the first receive, and frees the message. Returns false if there is no receive. */
bool endpoint_take(struct endpoint *endpoint, struct arrival *arrival) {
  struct receive *receive = endpoint->receives;
  if (!receive) {
    return false;
  }
  endpoint->receives = receive->next;
  endpoint->last_receive = endpoint->receives ? endpoint->last_receive : &endpoint->receives;
  endpoint->posted--;
  endpoint_list_entries(-1);
  received(endpoint, receive, arrival);
  wire_answer(arrival->link, &arrival->frame, 0, NULL, 0);
  free(receive);
  free(arrival->bytes);
  free(arrival);
  return true;
}

static ssize_t post_receive(struct fid_ep *fid, const struct iovec *iov, size_t count, void *context) {
  struct endpoint *endpoint = CONTAINER(fid, struct endpoint, fid);
  if (count > FI_STANDIN_IOVS) {
    return -FI_EINVAL;
  }
  pthread_mutex_lock(&lock);
  ssize_t result = 0;
  struct arrival *arrival = endpoint->unexpected;
  if (!endpoint->enabled) {
    result = -FI_EOPBADSTATE;
  } else if (endpoint->posted >= endpoint->receives_limit) {
    result = -FI_EAGAIN;
  } else {
    for (size_t i = 0; i < count; i++) {
      memory_map(iov[i].iov_base, iov[i].iov_len);
    }
    struct receive *receive = calloc(1, sizeof *receive);
    receive->context = context;
    receive->count = count;
    memcpy(receive->into, iov, count * sizeof *iov);
    if (arrival) {
      endpoint->unexpected = arrival->next;
      endpoint->last_unexpected = endpoint->unexpected ? endpoint->last_unexpected : &endpoint->unexpected;
      endpoint->waiting--;
      endpoint_list_entries(-1);
      received(endpoint, receive, arrival);
      if (arrival->frame.flags & WHEN_TAKEN) {
        wire_answer(arrival->link, &arrival->frame, 0, NULL, 0);
      }
      free(arrival->bytes);
      free(arrival);
      free(receive);
    } else {
      *endpoint->last_receive = receive;
      endpoint->last_receive = &receive->next;
      endpoint->posted++;
      endpoint_list_entries(1);
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static ssize_t ep_recv(struct fid_ep *ep, void *buffer, size_t length, void *desc, fi_addr_t source, void *context) {
  (void)desc, (void)source;
  struct iovec iov = {buffer, length};
  return post_receive(ep, &iov, 1, context);
}

static ssize_t ep_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t source, void *context) {
  (void)desc, (void)source;
  return post_receive(ep, iov, count, context);
}

static ssize_t ep_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags) {
  (void)flags;
  return post_receive(ep, msg->msg_iov, msg->iov_count, msg->context);
}

/* ---- requests ---- */

struct request {
  enum kind kind;
  uint64_t reported_as;
  const struct iovec *iov;
  size_t count;
  fi_addr_t peer;
  uint64_t address, key, length, data, flags, operand, compare;
  bool swap;
  void *context;
  void *result;
};

static ssize_t post(struct fid_ep *fid, const struct request *request) {
  struct endpoint *endpoint = CONTAINER(fid, struct endpoint, fid);
  bool one_sided = request->kind != MESSAGE;
  size_t length = request->kind == ATOMIC ? 8 : total(request->iov, request->count);
  if (!endpoint->enabled) {
    return -FI_EOPBADSTATE;
  }
  /* Like efa_rdm_ep_cap_check_rma. */
  if (one_sided && !(endpoint->caps & (FI_RMA | FI_ATOMIC))) {
    return -FI_EOPNOTSUPP;
  }
  if (request->count > FI_STANDIN_IOVS || (request->flags & FI_INJECT && length > endpoint->inject)
    || (one_sided && request->kind != ATOMIC && request->length != length)) {
    return -FI_EINVAL;
  }
  /* Like CXIP_WRITEMSG_ALLOWED_FLAGS in cxip_rma.c. */
  if (request->kind == WRITE && request->flags & ~personality.write_flags) {
    return -FI_EBADFLAGS;
  }
  pthread_mutex_lock(&lock);
  ssize_t result = -FI_EINVAL;
  struct vector *vector = endpoint->vector;
  if (request->peer < vector->used && vector->peers[request->peer].used) {
    if (endpoint->outstanding >= endpoint->depth) {
      result = -FI_EAGAIN;
    } else {
      if (!(request->flags & FI_INJECT) && length > endpoint->inject) {
        for (size_t i = 0; i < request->count; i++) {
          memory_map(request->iov[i].iov_base, request->iov[i].iov_len);
        }
      }
      struct operation *operation = calloc(1, sizeof *operation);
      operation->flags = request->reported_as;
      operation->context = request->context;
      operation->reported = request->flags & FI_COMPLETION || !endpoint->tx_selective;
      if (request->flags == FI_INJECT && !request->context) {
        operation->reported = false;
      }
      if (request->kind == READ) {
        operation->count = request->count;
        memcpy(operation->into, request->iov, request->count * sizeof *request->iov);
      } else if (request->kind == ATOMIC) {
        operation->count = 1;
        operation->into[0] = (struct iovec){request->result, 8};
      }
      struct frame frame = {.kind = request->kind, .length = length, .address = request->address, .key = request->key,
        .data = request->data, .operand = request->operand, .compare = request->compare,
        .flags = (request->flags & FI_REMOTE_CQ_DATA ? WITH_DATA : 0) | (request->flags & FI_DELIVERY_COMPLETE ? WHEN_TAKEN : 0)
          | (request->swap ? SWAP : 0)};
      int err = fault_due();
      if (err) {
        wire_fail(endpoint, operation, err);
        pthread_mutex_unlock(&lock);
        return 0;
      }
      result = wire_post(endpoint, vector->peers[request->peer].bytes, &frame, request->iov, request->count, operation);
      if (result) {
        free(operation);
      }
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static uint64_t default_flags(struct fid_ep *fid) { return CONTAINER(fid, struct endpoint, fid)->tx_flags; }

static ssize_t message(struct fid_ep *ep, const struct iovec *iov, size_t count, fi_addr_t peer, uint64_t data, uint64_t flags,
  void *context) {
  struct request request = {.kind = MESSAGE, .reported_as = FI_MSG | FI_SEND, .iov = iov, .count = count, .peer = peer, .data = data,
    .flags = flags, .context = context};
  return post(ep, &request);
}

static ssize_t ep_send(struct fid_ep *ep, const void *buffer, size_t length, void *desc, fi_addr_t peer, void *context) {
  (void)desc;
  struct iovec iov = {(void *)buffer, length};
  return message(ep, &iov, 1, peer, 0, default_flags(ep), context);
}

static ssize_t ep_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count, fi_addr_t peer, void *context) {
  (void)desc;
  return message(ep, iov, count, peer, 0, default_flags(ep), context);
}

static ssize_t ep_sendmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags) {
  return message(ep, msg->msg_iov, msg->iov_count, msg->addr, msg->data, flags, msg->context);
}

static ssize_t ep_inject(struct fid_ep *ep, const void *buffer, size_t length, fi_addr_t peer) {
  struct iovec iov = {(void *)buffer, length};
  return message(ep, &iov, 1, peer, 0, FI_INJECT, NULL);
}

static ssize_t ep_senddata(struct fid_ep *ep, const void *buffer, size_t length, void *desc, uint64_t data, fi_addr_t peer, void *context) {
  (void)desc;
  struct iovec iov = {(void *)buffer, length};
  return message(ep, &iov, 1, peer, data, default_flags(ep) | FI_REMOTE_CQ_DATA, context);
}

static ssize_t one_sided(struct fid_ep *ep, enum kind kind, const struct fi_msg_rma *msg, uint64_t flags) {
  if (msg->rma_iov_count != 1) {
    return -FI_EINVAL;
  }
  struct request request = {.kind = kind, .reported_as = FI_RMA | (kind == READ ? FI_READ : FI_WRITE), .iov = msg->msg_iov,
    .count = msg->iov_count, .peer = msg->addr, .address = msg->rma_iov->addr, .key = msg->rma_iov->key, .length = msg->rma_iov->len,
    .data = msg->data, .flags = flags, .context = msg->context};
  return post(ep, &request);
}

static ssize_t ep_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags) { return one_sided(ep, READ, msg, flags); }

static ssize_t ep_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags) { return one_sided(ep, WRITE, msg, flags); }

static ssize_t simple(struct fid_ep *ep, enum kind kind, void *buffer, size_t length, fi_addr_t peer, uint64_t address, uint64_t key,
  void *context) {
  struct iovec iov = {buffer, length};
  struct fi_rma_iov rma = {.addr = address, .len = length, .key = key};
  struct fi_msg_rma msg = {.msg_iov = &iov, .iov_count = 1, .addr = peer, .rma_iov = &rma, .rma_iov_count = 1, .context = context};
  return one_sided(ep, kind, &msg, default_flags(ep) & (kind == READ ? ~FI_INJECT : ~0ULL));
}

static ssize_t ep_read(struct fid_ep *ep, void *buffer, size_t length, void *desc, fi_addr_t peer, uint64_t address, uint64_t key,
  void *context) {
  (void)desc;
  return simple(ep, READ, buffer, length, peer, address, key, context);
}

static ssize_t ep_write(struct fid_ep *ep, const void *buffer, size_t length, void *desc, fi_addr_t peer, uint64_t address, uint64_t key,
  void *context) {
  (void)desc;
  return simple(ep, WRITE, (void *)buffer, length, peer, address, key, context);
}

static bool known_atomic(enum fi_datatype type, enum fi_op op, bool compare) {
  return type == FI_UINT64 && op == (compare ? FI_CSWAP : FI_SUM);
}

static ssize_t post_atomic(struct fid_ep *ep, const struct fi_msg_atomic *msg, const struct fi_ioc *compare, struct fi_ioc *result,
  uint64_t flags) {
  if (!known_atomic(msg->datatype, msg->op, compare) || msg->iov_count != 1 || msg->msg_iov->count != 1) {
    return -FI_EOPNOTSUPP;
  }
  struct request request = {.kind = ATOMIC, .reported_as = FI_ATOMIC, .peer = msg->addr, .address = msg->rma_iov->addr,
    .key = msg->rma_iov->key, .operand = *(uint64_t *)msg->msg_iov->addr, .compare = compare ? *(uint64_t *)compare->addr : 0,
    .swap = compare, .flags = flags, .context = msg->context, .result = result->addr};
  return post(ep, &request);
}

static ssize_t ep_fetch(struct fid_ep *ep, const struct fi_msg_atomic *msg, struct fi_ioc *results, void **desc, size_t count,
  uint64_t flags) {
  (void)desc, (void)count;
  return post_atomic(ep, msg, NULL, results, flags);
}

static ssize_t ep_swap(struct fid_ep *ep, const struct fi_msg_atomic *msg, const struct fi_ioc *compare, void **compare_desc,
  size_t compare_count, struct fi_ioc *results, void **desc, size_t count, uint64_t flags) {
  (void)compare_desc, (void)compare_count, (void)desc, (void)count;
  return post_atomic(ep, msg, compare, results, flags);
}

static int no_atomic(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, size_t *count) {
  (void)ep, (void)type, (void)op, (void)count;
  return -FI_EOPNOTSUPP;
}

static int fetch_valid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, size_t *count) {
  (void)ep;
  *count = 1;
  return known_atomic(type, op, false) ? 0 : -FI_EOPNOTSUPP;
}

static int swap_valid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op, size_t *count) {
  (void)ep;
  *count = 1;
  return known_atomic(type, op, true) ? 0 : -FI_EOPNOTSUPP;
}

/* ---- endpoints ---- */

static int ep_close(struct fid *fid) {
  struct endpoint *endpoint = (struct endpoint *)fid;
  pthread_mutex_lock(&lock);
  if (endpoint->regions) {
    pthread_mutex_unlock(&lock);
    return -FI_EBUSY;
  }
  if (endpoint->enabled) {
    queue_leave(endpoint->rx, endpoint);
    queue_leave(endpoint->tx, endpoint);
  }
  wire_close(endpoint);
  endpoint_list_entries(-(int)endpoint->posted - endpoint->waiting);
  endpoint->domain->users--;
  if (endpoint->enabled && !endpoint->events) {
    endpoints_without_events--;
  }
  pthread_mutex_unlock(&lock);
  while (endpoint->receives) {
    struct receive *receive = endpoint->receives;
    endpoint->receives = receive->next;
    free(receive);
  }
  free(endpoint);
  return 0;
}

static int ep_bind(struct fid *fid, struct fid *other, uint64_t flags) {
  struct endpoint *endpoint = (struct endpoint *)fid;
  if (endpoint->enabled) {
    return -FI_EOPBADSTATE;
  }
  switch (other->fclass) {
    case FI_CLASS_AV:
      endpoint->vector = (struct vector *)other;
      return 0;
    case FI_CLASS_CQ:
      if (flags & FI_TRANSMIT) {
        endpoint->tx = (struct queue *)other;
        endpoint->tx_selective = flags & FI_SELECTIVE_COMPLETION;
      }
      if (flags & FI_RECV) {
        endpoint->rx = (struct queue *)other;
        endpoint->rx_selective = flags & FI_SELECTIVE_COMPLETION;
      }
      return 0;
    case FI_CLASS_EQ:
      endpoint->events = (struct events *)other;
      return 0;
    default:
      return -FI_EINVAL;
  }
}

static int ep_control(struct fid *fid, int command, void *arg) {
  (void)arg;
  struct endpoint *endpoint = (struct endpoint *)fid;
  if (command != FI_ENABLE) {
    return -FI_ENOSYS;
  }
  if (!endpoint->vector) {
    return -FI_ENOAV;
  }
  if (!endpoint->tx || !endpoint->rx) {
    return -FI_ENOCQ;
  }
  pthread_mutex_lock(&lock);
  int status = wire_listen(endpoint, endpoint->name);
  if (!status) {
    endpoint->enabled = true;
    queue_join(endpoint->rx, endpoint);
    if (endpoint->tx != endpoint->rx) {
      queue_join(endpoint->tx, endpoint);
    }
    if (!endpoint->events) {
      endpoints_without_events++;
    }
  }
  pthread_mutex_unlock(&lock);
  return status;
}

static int ep_getname(struct fid *fid, void *address, size_t *length) {
  struct endpoint *endpoint = (struct endpoint *)fid;
  size_t room = *length;
  *length = personality.address_size;
  memcpy(address, endpoint->name, room < *length ? room : *length);
  return room < *length ? -FI_ETOOSMALL : 0;
}

static ssize_t ep_cancel(struct fid *fid, void *context) {
  struct endpoint *endpoint = (struct endpoint *)fid;
  ssize_t result = -FI_ENOENT;
  pthread_mutex_lock(&lock);
  for (struct receive **at = &endpoint->receives; *at; at = &(*at)->next) {
    if ((*at)->context == context) {
      struct receive *receive = *at;
      *at = receive->next;
      if (!*at) {
        endpoint->last_receive = at;
      }
      struct entry entry = {.context = context, .flags = FI_MSG | FI_RECV, .err = FI_ECANCELED};
      queue_add(endpoint->rx, &entry);
      endpoint->posted--;
      endpoint_list_entries(-1);
      free(receive);
      result = 0;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static int ep_getopt(struct fid *fid, int level, int name, void *value, size_t *length) {
  (void)fid, (void)level, (void)name, (void)value, (void)length;
  return -FI_ENOPROTOOPT;
}

static int ep_setopt(struct fid *fid, int level, int name, const void *value, size_t length) {
  (void)fid, (void)level, (void)name, (void)value, (void)length;
  return -FI_ENOPROTOOPT;
}

static struct fi_ops ep_fid_ops = FID_OPS(ep_close, ep_bind, ep_control);
static struct fi_ops_ep ep_ops = {.size = sizeof(struct fi_ops_ep), .cancel = ep_cancel, .getopt = ep_getopt, .setopt = ep_setopt};
static struct fi_ops_cm cm_ops = {.size = sizeof(struct fi_ops_cm), .getname = ep_getname};
static struct fi_ops_msg msg_ops = {.size = sizeof(struct fi_ops_msg), .recv = ep_recv, .recvv = ep_recvv, .recvmsg = ep_recvmsg,
  .send = ep_send, .sendv = ep_sendv, .sendmsg = ep_sendmsg, .inject = ep_inject, .senddata = ep_senddata};
static struct fi_ops_rma rma_ops
  = {.size = sizeof(struct fi_ops_rma), .read = ep_read, .readmsg = ep_readmsg, .write = ep_write, .writemsg = ep_writemsg};
static struct fi_ops_atomic atomic_ops = {.size = sizeof(struct fi_ops_atomic), .readwritemsg = ep_fetch, .compwritemsg = ep_swap,
  .writevalid = no_atomic, .readwritevalid = fetch_valid, .compwritevalid = swap_valid};

int endpoint_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep, void *context) {
  struct endpoint *endpoint = calloc(1, sizeof *endpoint);
  endpoint->domain = CONTAINER(domain, struct domain, fid);
  endpoint->caps = info->caps;
  endpoint->tx_flags = info->tx_attr->op_flags;
  endpoint->inject = info->tx_attr->inject_size;
  endpoint->depth = info->tx_attr->size;
  endpoint->receives_limit = info->rx_attr->size;
  endpoint->last_receive = &endpoint->receives;
  endpoint->last_unexpected = &endpoint->unexpected;
  endpoint->last_late = &endpoint->late;
  endpoint->last_kept = &endpoint->kept;
  endpoint->last_departure = &endpoint->departures;
  if (info->src_addr) {
    memcpy(endpoint->name, info->src_addr, personality.address_size);
  }
  endpoint->fid.fid = (struct fid){FI_CLASS_EP, context, &ep_fid_ops};
  endpoint->fid.ops = &ep_ops;
  endpoint->fid.cm = &cm_ops;
  endpoint->fid.msg = &msg_ops;
  endpoint->fid.rma = &rma_ops;
  endpoint->fid.atomic = endpoint->caps & FI_ATOMIC ? &atomic_ops : NULL;
  pthread_mutex_lock(&lock);
  endpoint->domain->users++;
  pthread_mutex_unlock(&lock);
  *ep = &endpoint->fid;
  return 0;
}
