/* Rings of bytes in memory that two processes share. One process writes, the other reads. */
#define _GNU_SOURCE
#include "nic.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD = 4096, RING = 1 << 20 };

/* The first page of a ring's memory. The bytes follow; they are mapped twice in a row, so that no message wraps. */
struct ring {
  uint64_t written;
  char apart[56];
  uint64_t taken;
  uint32_t full;
};

/* Maps the memory of a ring. Returns NULL on failure. */
struct ring *nic_ring_map(int memory) {
  char *at = mmap(NULL, HEAD + 2 * RING, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    return NULL;
  }
  if (mmap(at, HEAD + RING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED ||
      mmap(at + HEAD + RING, RING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, HEAD) == MAP_FAILED) {
    munmap(at, HEAD + 2 * RING);
    return NULL;
  }
  return (struct ring *)at;
}

void nic_ring_unmap(struct ring *ring) {
  if (ring) {
    munmap(ring, HEAD + 2 * RING);
  }
}

bool nic_ring_make(int memory) { return ftruncate(memory, HEAD + RING) == 0; }

static char *at(struct ring *ring, uint64_t position) { return (char *)ring + HEAD + position % RING; }

/* Notifies the process at the other end. Sends a byte only if it sleeps. */
static void ring_at(struct nic_link *link) {
  __atomic_add_fetch(&link->page->rung, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&link->page->sleeping, __ATOMIC_SEQ_CST) && __atomic_exchange_n(&link->page->sleeping, 0, __ATOMIC_SEQ_CST)) {
    send(link->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
}

static size_t room(const struct ring *ring) { return RING - (ring->written - __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE)); }

/* Writes as many bytes as there is room for, and returns their number. */
static size_t write_some(struct nic_link *link, const void *bytes, size_t length) {
  struct ring *ring = link->ring;
  size_t n = room(ring);
  n = n < length ? n : length;
  memcpy(at(ring, ring->written), bytes, n);
  __atomic_store_n(&ring->written, ring->written + n, __ATOMIC_RELEASE);
  return n;
}

static void keep(struct nic_link *link, const void *bytes, size_t length) {
  if (link->pending_end + length > link->pending_room) {
    link->pending_room = 2 * (link->pending_end + length);
    link->pending = realloc(link->pending, link->pending_room);
  }
  memcpy(link->pending + link->pending_end, bytes, length);
  link->pending_end += length;
}

static void write_or_keep(struct nic_link *link, const void *bytes, size_t length) {
  size_t written = link->pending_end ? 0 : write_some(link, bytes, length);
  if (written < length) {
    keep(link, (const char *)bytes + written, length - written);
  }
}

/* Writes bytes that did not fit before. The reader notifies a writer that waits for room. */
void nic_ring_flush(struct nic_link *link) {
  for (bool again = true; again && link->pending_end;) {
    link->pending_begin += write_some(link, link->pending + link->pending_begin, link->pending_end - link->pending_begin);
    again = false;
    if (link->pending_begin == link->pending_end) {
      link->pending_begin = link->pending_end = 0;
    } else {
      __atomic_store_n(&link->ring->full, 1, __ATOMIC_SEQ_CST);
      again = room(link->ring) > 0;
    }
    ring_at(link);
  }
}

void nic_send(struct nic_link *link, struct nic_message *message, const struct iovec *payload, int count) {
  message->bytes = 0;
  for (int i = 0; i < count; i++) {
    message->bytes += payload[i].iov_len;
  }
  write_or_keep(link, message, sizeof *message);
  for (int i = 0; i < count; i++) {
    write_or_keep(link, payload[i].iov_base, payload[i].iov_len);
  }
  if (link->pending_end) {
    nic_ring_flush(link);
  } else {
    ring_at(link);
  }
}

/* Takes one message from the ring. A message that is longer than the ring is assembled first. Returns false if there is none. */
bool nic_ring_take(struct nic_link *link) {
  struct ring *ring = link->ring;
  size_t there = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE) - ring->taken, n;
  if (there == 0) {
    return false;
  }
  if (link->whole) {
    n = link->wanted - link->have < there ? link->wanted - link->have : there;
    memcpy(link->whole + link->have, at(ring, ring->taken), n);
    link->have += n;
  } else {
    struct nic_message message;
    if (there < sizeof message) {
      return false;
    }
    memcpy(&message, at(ring, ring->taken), sizeof message);
    n = sizeof message + (size_t)message.bytes;
    if (n <= RING) {
      if (there < n) {
        return false;
      }
      nic_deliver(link, &message, at(ring, ring->taken) + sizeof message);
    } else {
      link->wanted = n;
      link->have = n = 0;
      link->whole = malloc(link->wanted);
    }
  }
  __atomic_store_n(&ring->taken, ring->taken + n, __ATOMIC_SEQ_CST);
  if (link->whole && link->have == link->wanted) {
    struct nic_message message;
    memcpy(&message, link->whole, sizeof message);
    nic_deliver(link, &message, link->whole + sizeof message);
    free(link->whole);
    link->whole = NULL;
  }
  if (__atomic_load_n(&ring->full, __ATOMIC_SEQ_CST) && __atomic_exchange_n(&ring->full, 0, __ATOMIC_SEQ_CST)) {
    send(link->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  return n > 0 || link->whole;
}
