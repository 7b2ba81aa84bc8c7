/* Frames between endpoints over sockets of unix(7) in the abstract namespace. Each direction of requests has its own socket. */
#include "fi.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 1024
/* Number of messages without a receive at which an endpoint stops reading. */
#define MOST_WAITING 65536
/* Maximum number of frames that one call reads from a socket. */
#define FRAMES 256

static uint64_t last_id;

static socklen_t socket_name(struct sockaddr_un *name, const unsigned char *address) {
  memset(name, 0, sizeof *name);
  name->sun_family = AF_UNIX;
  int n = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "vertx-rdma-fi-%s-", personality.name);
  for (size_t i = 0; i < personality.address_size; i++) {
    n += snprintf(name->sun_path + 1 + n, sizeof name->sun_path - 1 - n, "%02x", address[i]);
  }
  return offsetof(struct sockaddr_un, sun_path) + 1 + n;
}

static void watch(struct endpoint *endpoint, int fd, int command, uint32_t events) {
  struct epoll_event event = {.events = events};
  struct queue *queues[] = {endpoint->tx, endpoint->rx == endpoint->tx ? NULL : endpoint->rx};
  for (int i = 0; i < 2; i++) {
    if (queues[i] && queues[i]->epoll >= 0) {
      epoll_ctl(queues[i]->epoll, command, fd, &event);
    }
  }
}

/* Binds an endpoint to an address. Returns 0 or a negative errno. */
int wire_listen(struct endpoint *endpoint, const void *wanted) {
  uint32_t number = wanted && personality.number ? personality.number(wanted) : 0;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return -errno;
  }
  for (int tries = 0;; tries++) {
    uint32_t random;
    if (getrandom(&random, sizeof random, 0) < 0 || tries == 10000) {
      close(fd);
      return -FI_EADDRINUSE;
    }
    personality.address(endpoint->name, number ? number : 1 + random % (personality.endpoints - 1));
    struct sockaddr_un name;
    socklen_t length = socket_name(&name, endpoint->name);
    if (!bind(fd, (struct sockaddr *)&name, length)) {
      break;
    }
    if (errno != EADDRINUSE || number) {
      int error = errno;
      close(fd);
      return -error;
    }
  }
  listen(fd, BACKLOG);
  endpoint->listener = fd;
  watch(endpoint, fd, EPOLL_CTL_ADD, EPOLLIN);
  return 0;
}

static struct link *link_add(struct endpoint *endpoint, int fd, bool outgoing) {
  struct link *link = calloc(1, sizeof *link);
  link->endpoint = endpoint;
  link->fd = fd;
  link->outgoing = outgoing;
  link->born = network_commands();
  link->last = &link->first;
  link->next = endpoint->links;
  endpoint->links = link;
  watch(endpoint, fd, EPOLL_CTL_ADD, EPOLLIN);
  return link;
}

static void complete(struct endpoint *endpoint, struct operation *operation, int err, size_t length) {
  endpoint->outstanding--;
  if (endpoint->tx && (err || operation->reported)) {
    struct entry entry
      = {.context = operation->context, .flags = operation->flags, .length = length, .err = err, .prov_errno = err ? -err : 0};
    queue_add(endpoint->tx, &entry);
  }
  free(operation);
}

/* Completes an operation that was not sent with an error, and frees it. */
void wire_fail(struct endpoint *endpoint, struct operation *operation, int err) {
  endpoint->outstanding++;
  complete(endpoint, operation, err, 0);
}

/* Ends a link whose peer has ended, and fails the operations that wait for answers. */
static void end(struct link *link) {
  if (link->ended) {
    return;
  }
  link->ended = true;
  close(link->fd);
  struct endpoint *endpoint = link->endpoint;
  /*
   * Like efa_rdm_ep_utils.c: remote accesses wait for a handshake of the provider. If the handshake fails, the accesses do not complete
   * until the peer is removed from the address vector.
   */
  bool lost = personality.aborts && link->outgoing && link->needs_greeting && !link->greeted;
  if (lost) {
    internal_error(endpoint, personality.dead);
  }
  while (link->operations) {
    struct operation *operation = link->operations;
    link->operations = operation->next;
    if (lost && operation->flags & FI_RMA) {
      endpoint->outstanding--;
      free(operation);
    } else {
      complete(endpoint, operation, personality.dead, 0);
    }
  }
}

/* Drops bytes that were not written yet. */
static void silence(struct link *link) {
  while (link->first) {
    struct chunk *chunk = link->first;
    link->first = chunk->next;
    free(chunk);
  }
  link->last = &link->first;
}

static void link_free(struct link *link) {
  silence(link);
  while (link->operations) {
    struct operation *operation = link->operations;
    link->operations = operation->next;
    free(operation);
  }
  if (!link->ended) {
    close(link->fd);
  }
  free(link->bytes);
  free(link);
}

/* Writes as many bytes as the socket accepts. */
static void flush(struct link *link) {
  bool waited = link->first;
  while (link->first && !link->ended) {
    if (link->mute) {
      silence(link);
      return;
    }
    struct chunk *chunk = link->first;
    ssize_t n = send(link->fd, chunk->bytes + chunk->done, chunk->length - chunk->done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) {
      if (errno != EAGAIN && errno != EINTR) {
        /* The peer has closed the socket. Bytes that it sent before are still read. */
        link->mute = true;
        silence(link);
        return;
      }
      break;
    }
    chunk->done += n;
    if (chunk->done == chunk->length) {
      link->first = chunk->next;
      link->last = link->first ? link->last : &link->first;
      free(chunk);
    }
  }
  if (waited && !link->ended) {
    watch(link->endpoint, link->fd, EPOLL_CTL_MOD, link->first ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }
}

static struct chunk *chunk_of(const struct frame *frame, size_t payload) {
  struct chunk *chunk = malloc(sizeof *chunk + sizeof *frame + payload);
  chunk->next = NULL;
  chunk->length = sizeof *frame + payload;
  chunk->done = 0;
  memcpy(chunk->bytes, frame, sizeof *frame);
  return chunk;
}

static void append(struct link *link, struct chunk *chunk) {
  *link->last = chunk;
  link->last = &chunk->next;
}

static struct chunk *put(struct link *link, const struct frame *frame, size_t payload) {
  struct chunk *chunk = chunk_of(frame, payload);
  append(link, chunk);
  return chunk;
}

static struct link *link_to(struct endpoint *endpoint, const unsigned char *peer, int *status) {
  for (struct link *link = endpoint->links; link; link = link->next) {
    if (link->outgoing && !link->ended && !memcmp(link->peer, peer, personality.address_size)) {
      return link;
    }
  }
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_un name;
  socklen_t length = socket_name(&name, peer);
  if (fd < 0 || connect(fd, (struct sockaddr *)&name, length)) {
    /* With a full backlog the post is repeated. Without a listener the operation fails later. */
    *status = fd < 0 || errno == EAGAIN ? -FI_EAGAIN : 0;
    if (fd >= 0) {
      close(fd);
    }
    return NULL;
  }
  struct link *link = link_add(endpoint, fd, true);
  memcpy(link->peer, peer, personality.address_size);
  struct frame hello = {.kind = HELLO, .length = personality.address_size};
  memcpy(put(link, &hello, hello.length)->bytes + sizeof hello, endpoint->name, hello.length);
  return link;
}

/* Fails an operation to an address without an endpoint. */
static void unreachable(struct endpoint *endpoint, struct operation *operation) {
  if (personality.aborts && operation->flags & FI_RMA) {
    internal_error(endpoint, personality.dead);
    endpoint->outstanding--;
    free(operation);
  } else {
    complete(endpoint, operation, personality.dead, 0);
  }
}

/* Sends the request of an operation, which then waits for its answer. */
static void depart(struct link *link, struct operation *operation, struct chunk *chunk) {
  link->needs_greeting |= (operation->flags & FI_RMA) != 0;
  append(link, chunk);
  struct operation **last = &link->operations;
  while (*last) {
    last = &(*last)->next;
  }
  *last = operation;
  flush(link);
}

/* Posts a request and takes over its operation. Returns 0, or -FI_EAGAIN if the user has to repeat the post. */
int wire_post(struct endpoint *endpoint, const unsigned char *peer, struct frame *frame, const struct iovec *iov, size_t count,
  struct operation *operation) {
  int status;
  struct link *link = link_to(endpoint, peer, &status);
  if (!link && status) {
    return status;
  }
  endpoint->outstanding++;
  operation->id = frame->id = ++last_id;
  if (!link) {
    unreachable(endpoint, operation);
    return 0;
  }
  size_t payload = frame->kind == READ || frame->kind == ATOMIC ? 0 : frame->length;
  struct chunk *chunk = chunk_of(frame, payload);
  unsigned char *at = chunk->bytes + sizeof *frame;
  for (size_t i = 0; i < count && payload; i++) {
    memcpy(at, iov[i].iov_base, iov[i].iov_len);
    at += iov[i].iov_len;
  }
  if (!network_keeps(link)) {
    depart(link, operation, chunk);
    return 0;
  }
  struct departure *departure = calloc(1, sizeof *departure);
  departure->operation = operation;
  departure->chunk = chunk;
  memcpy(departure->peer, peer, personality.address_size);
  *endpoint->last_departure = departure;
  endpoint->last_departure = &departure->next;
  frames_kept++;
  return 0;
}

void wire_answer(struct link *link, const struct frame *request, int status, const void *bytes, size_t length) {
  if (link->ended || link->mute) {
    /* Like efa_rdm_pke_nonreq.c: the provider itself starts the operation that acknowledges a delivery-complete operation. */
    if (personality.aborts && request->flags & WHEN_TAKEN) {
      internal_error(link->endpoint, personality.dead);
    }
    return;
  }
  struct frame answer = {.kind = ANSWER, .id = request->id, .status = status, .length = length};
  struct chunk *chunk = put(link, &answer, length);
  if (length) {
    memcpy(chunk->bytes + sizeof answer, bytes, length);
  }
  flush(link);
}

static void answered(struct link *link) {
  const struct frame *answer = &link->frame;
  if (!answer->id) {
    link->greeted = true;
    return;
  }
  struct operation **at = &link->operations;
  while (*at && (*at)->id != answer->id) {
    at = &(*at)->next;
  }
  struct operation *operation = *at;
  if (!operation) {
    return;
  }
  *at = operation->next;
  spread(operation->into, operation->count, link->bytes, answer->length);
  complete(link->endpoint, operation, answer->status, 0);
}

/* Executes a write, and answers it. */
static void written(struct endpoint *endpoint, struct link *link, const struct frame *frame, const unsigned char *bytes) {
  void *at = memory_check(endpoint, frame, FI_REMOTE_WRITE);
  if (at) {
    memcpy(at, bytes, frame->length);
    if (frame->flags & WITH_DATA && endpoint->rx) {
      struct entry entry
        = {.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA, .length = frame->length, .data = frame->data};
      queue_add(endpoint->rx, &entry);
    }
  }
  wire_answer(link, frame, at ? 0 : personality.refused, NULL, 0);
}

static void read_by_peer(struct link *link) {
  struct frame *frame = &link->frame;
  void *at = memory_check(link->endpoint, frame, FI_REMOTE_READ);
  wire_answer(link, frame, at ? 0 : personality.refused, at, at ? frame->length : 0);
}

static void atomic(struct link *link) {
  struct frame *frame = &link->frame;
  uint64_t *at = memory_check(link->endpoint, frame, FI_REMOTE_READ | FI_REMOTE_WRITE);
  uint64_t old = 0;
  if (at && frame->flags & SWAP) {
    old = frame->compare;
    __atomic_compare_exchange_n(at, &old, frame->operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  } else if (at) {
    old = __atomic_fetch_add(at, frame->operand, __ATOMIC_SEQ_CST);
  }
  wire_answer(link, frame, at ? 0 : personality.refused, &old, at ? sizeof old : 0);
}

/* Handles a message or write that has arrived. */
static void take(struct endpoint *endpoint, struct arrival *arrival) {
  if (arrival->frame.kind == MESSAGE) {
    if (endpoint_take(endpoint, arrival)) {
      return;
    }
    if (!(arrival->frame.flags & WHEN_TAKEN)) {
      wire_answer(arrival->link, &arrival->frame, 0, NULL, 0);
    }
    endpoint->waiting++;
    endpoint_list_entries(1);
    *endpoint->last_unexpected = arrival;
    endpoint->last_unexpected = &arrival->next;
  } else if (personality.writes_late) {
    *endpoint->last_late = arrival;
    endpoint->last_late = &arrival->next;
  } else {
    written(endpoint, arrival->link, &arrival->frame, arrival->bytes);
    free(arrival->bytes);
    free(arrival);
  }
}

static void arrived(struct link *link) {
  struct endpoint *endpoint = link->endpoint;
  switch (link->frame.kind) {
    case HELLO:
      memcpy(link->peer, link->bytes, personality.address_size);
      wire_answer(link, &link->frame, 0, NULL, 0);
      break;
    case ANSWER:
      answered(link);
      break;
    case READ:
      read_by_peer(link);
      break;
    case ATOMIC:
      atomic(link);
      break;
    default: {
      struct arrival *arrival = calloc(1, sizeof *arrival);
      arrival->link = link;
      arrival->frame = link->frame;
      arrival->bytes = link->bytes;
      link->bytes = NULL;
      if (network_keeps(link)) {
        *endpoint->last_kept = arrival;
        endpoint->last_kept = &arrival->next;
        frames_kept++;
      } else {
        take(endpoint, arrival);
      }
    }
  }
}

/* Delivers kept frames. A kept request goes to the endpoint that has its address now. */
static void deliver(struct endpoint *endpoint) {
  while (endpoint->kept) {
    struct arrival *arrival = endpoint->kept;
    endpoint->kept = arrival->next;
    arrival->next = NULL;
    frames_kept--;
    take(endpoint, arrival);
  }
  endpoint->last_kept = &endpoint->kept;
  while (endpoint->departures) {
    struct departure *departure = endpoint->departures;
    int status;
    struct link *link = link_to(endpoint, departure->peer, &status);
    if (!link && status) {
      return;
    }
    endpoint->departures = departure->next;
    frames_kept--;
    if (link) {
      depart(link, departure->operation, departure->chunk);
    } else {
      unreachable(endpoint, departure->operation);
      free(departure->chunk);
    }
    free(departure);
  }
  endpoint->last_departure = &endpoint->departures;
}

/* Reads frames. Returns false if the peer has closed the socket. */
static bool receive(struct link *link) {
  struct frame *frame = &link->frame;
  for (int frames = 0; frames < FRAMES;) {
    if (link->have < sizeof *frame) {
      ssize_t n = recv(link->fd, (char *)frame + link->have, sizeof *frame - link->have, MSG_DONTWAIT);
      if (n <= 0) {
        return n < 0 && (errno == EAGAIN || errno == EINTR);
      }
      link->have += n;
      if (link->have < sizeof *frame) {
        continue;
      }
    }
    size_t payload = frame->kind == READ || frame->kind == ATOMIC ? 0 : frame->length;
    if (payload && !link->bytes) {
      link->bytes = malloc(payload);
    }
    size_t done = link->have - sizeof *frame;
    if (done < payload) {
      ssize_t n = recv(link->fd, link->bytes + done, payload - done, MSG_DONTWAIT);
      if (n <= 0) {
        return n < 0 && (errno == EAGAIN || errno == EINTR);
      }
      link->have += n;
      if (done + n < payload) {
        continue;
      }
    }
    arrived(link);
    free(link->bytes);
    link->bytes = NULL;
    link->have = 0;
    frames++;
  }
  return true;
}

void wire_progress(struct endpoint *endpoint) {
  if (!endpoint->enabled) {
    return;
  }
  if (fault_internal()) {
    internal_error(endpoint, personality.dead);
  }
  if (network_delivers()) {
    deliver(endpoint);
  }
  struct arrival *late = endpoint->late;
  endpoint->late = NULL;
  endpoint->last_late = &endpoint->late;
  while (late) {
    struct arrival *next = late->next;
    written(endpoint, late->link, &late->frame, late->bytes);
    free(late->bytes);
    free(late);
    late = next;
  }
  for (int fd; (fd = accept4(endpoint->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    link_add(endpoint, fd, false);
  }
  for (struct link *link = endpoint->links; link; link = link->next) {
    if (!link->ended) {
      flush(link);
    }
    if (!link->ended && (link->outgoing || endpoint->waiting < MOST_WAITING) && !receive(link)) {
      end(link);
    }
  }
  /* Ended links are kept while their frames wait. */
  if (!endpoint->late && !endpoint->unexpected && !endpoint->kept) {
    for (struct link **at = &endpoint->links; *at;) {
      struct link *link = *at;
      if (link->ended) {
        *at = link->next;
        link_free(link);
      } else {
        at = &link->next;
      }
    }
  }
}

/* Returns whether work waits for which no socket becomes readable. */
bool wire_busy(struct endpoint *endpoint) {
  return endpoint->late;
}

static void drop(struct arrival *arrival) {
  while (arrival) {
    struct arrival *next = arrival->next;
    free(arrival->bytes);
    free(arrival);
    arrival = next;
  }
}

void wire_close(struct endpoint *endpoint) {
  drop(endpoint->unexpected);
  drop(endpoint->late);
  for (struct arrival *kept = endpoint->kept; kept; kept = kept->next) {
    frames_kept--;
  }
  drop(endpoint->kept);
  while (endpoint->departures) {
    struct departure *departure = endpoint->departures;
    endpoint->departures = departure->next;
    frames_kept--;
    free(departure->operation);
    free(departure->chunk);
    free(departure);
  }
  while (endpoint->links) {
    struct link *link = endpoint->links;
    endpoint->links = link->next;
    /* Sends accepted requests, as an adapter would do with its send queue. */
    if (!link->ended) {
      flush(link);
    }
    link_free(link);
  }
  if (endpoint->enabled) {
    close(endpoint->listener);
  }
}
