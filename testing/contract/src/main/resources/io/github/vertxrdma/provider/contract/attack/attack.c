/*
 * Attacks nodes that share memory:
 *
 *   attacker play SEED MOVES KEY REGIONS ID KNOWN SOCKET...
 *                                                   random moves against the listeners of sockets; KEY is 64 hexadecimal digits, of the key
 *                                                   by which a member proves the secret, or -; REGIONS are the ids of shared regions; ID
 *                                                   is the node id of the member; KNOWN has the honest connections, each as the queue's id
 *                                                   (32 hexadecimal digits) and the connection's number (8), or -
 *   attacker relay FOLDER FROM TO                   takes over all sockets of a folder, and changes FROM to TO in what it passes on
 *   attacker flood COUNT SOCKET                     keeps so many requests for connections open, and answers nothing
 *   attacker stuck FOLDER SOCKET                    mounts a file system on a folder, and passes a file of it, whose close never ends
 *
 * The attacker knows all formats. Its moves depend on the seed and on the answers of the other side.
 */
#define _GNU_SOURCE
#include "attack.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <unistd.h>

enum { KNOWN = 64, LINGER_SECONDS = 5 };

uint64_t seed;
static unsigned char queues[KNOWN][16];
static uint32_t numbers[KNOWN];
static int known;
/* Number of queues and connections at the start, which are kept: those of the honest pair. */
static int honest;
static int tcp = -1;

uint64_t next(void) {
  uint64_t z = seed += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

int below(int n) {
  return (int) (next() % (uint64_t) n);
}

uint32_t number(void) {
  static const uint32_t some[] = {0, 1, 7, 8, 15, 16, 17, 4096, 16383, 16384, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0};
  return below(2) ? some[below(sizeof some / sizeof *some)] : (uint32_t) next();
}

/* Returns the number of a known connection, often of an honest one, or any number. */
uint32_t target(void) {
  return known && below(4) ? numbers[below(honest && below(2) ? honest : known)] : number();
}

/* Remembers the honest connections, as ATTACK's arguments describe them. */
void learn_all(const char *text) {
  for (; strlen(text) >= 40 && honest < KNOWN / 2; text += 40) {
    unsigned char bytes[20];
    uint32_t connection;
    for (size_t i = 0; i < sizeof bytes; i++) {
      sscanf(text + 2 * i, "%2hhx", bytes + i);
    }
    memcpy(&connection, bytes + 16, 4);
    learn(bytes, connection);
    honest = known;
  }
}

/* Remembers a queue's id and a connection's number, which every peer of a victim learns. */
void learn(const unsigned char queue[16], uint32_t connection) {
  int at = known < KNOWN ? known++ : honest + below(KNOWN - honest);
  memcpy(queues[at], queue, 16);
  numbers[at] = connection;
}

const unsigned char *queue(void) {
  return known ? queues[below(honest && below(2) ? honest : known)] : NULL;
}

int sealed(size_t size, unsigned flags, int seals) {
  int fd = memfd_create("attack", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
  if (fd >= 0 && (ftruncate(fd, (off_t) size) || fcntl(fd, F_ADD_SEALS, seals))) {
    /* The file is used without seals. */
  }
  return fd;
}

/* Returns a socket whose last close(2) blocks, because this process never reads the data that it sends. */
static int lingering(void) {
  static char bytes[1 << 16];
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  struct linger linger = {1, LINGER_SECONDS};
  if (tcp < 0) {
    tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(tcp, (struct sockaddr *) &address, sizeof address) || listen(tcp, 64)) {
      return -1;
    }
  }
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  getsockname(tcp, (struct sockaddr *) &address, &length);
  if (connect(fd, (struct sockaddr *) &address, sizeof address) && errno != EINPROGRESS) {
    close(fd);
    return -1;
  }
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  while (send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) > 0) {
  }
  return fd;
}

int has_lingering(void) {
  return tcp >= 0;
}

/* Returns a descriptor of a random kind. */
int descriptor(const struct link *links, int count) {
  int all = F_SEAL_SHRINK | F_SEAL_GROW;
  int ends[2];
  switch (below(17)) {
    case 0: return pipe2(ends, O_CLOEXEC) ? -1 : (close(ends[1]), ends[0]);
    case 1: return open("/dev/zero", O_RDWR | O_CLOEXEC);
    case 2: return sealed(PAGE, 0, 0);
    case 3: return sealed(0, 0, all);
    case 4: return sealed(1ULL << 50, 0, all);
    case 5: return sealed(PAGE + RECORDS, 0, all | F_SEAL_WRITE);
    case 6: return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    case 7: return epoll_create1(EPOLL_CLOEXEC);
    case 8: return eventfd(0, EFD_CLOEXEC);
    case 9: return sealed(2 << 20, MFD_HUGETLB, all);
    case 10: return lingering();
    case 11: return dup(links[below(count)].fd);
    case 12: return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    case 13: return sealed(3 * PAGE, 0, all);
    case 14: return sealed(1ULL << 45, 0, all);
    default: return sealed(below(2) ? PAGE : PAGE + RECORDS, 0, all);
  }
}

void say(int fd, const void *bytes, size_t length, const int *files, int count) {
  union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int) * MOST_FILES)]; } control;
  struct iovec data = {(void *) bytes, length};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
  if (count) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t) count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t) count);
    memcpy(CMSG_DATA(header), files, sizeof(int) * (size_t) count);
  }
  if (sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    /* The message was not sent. Closing its descriptors must not delay this process. */
    struct linger reset = {1, 0};
    for (int i = 0; i < count; i++) {
      setsockopt(files[i], SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
  }
}

/*
 * Receives a message of at most MESSAGE bytes and MOST_FILES files. Returns its length, 0 if the peer has closed, or -1 if there is none.
 */
int hear(int fd, unsigned char *bytes, int *files, int *count) {
  union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int) * MOST_FILES)]; } control;
  struct iovec data = {bytes, MESSAGE};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  *count = 0;
  if (n < 0) {
    return -1;
  }
  struct cmsghdr *header = message.msg_controllen ? CMSG_FIRSTHDR(&message) : NULL;
  if (header && header->cmsg_type == SCM_RIGHTS) {
    *count = (int) ((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(files, CMSG_DATA(header), sizeof(int) * (size_t) *count);
  }
  return (int) n;
}

size_t put(unsigned char *at, size_t offset, const void *value, size_t length) {
  memcpy(at + offset, value, length);
  return offset + length;
}

void wake(const struct link *link) {
  uint32_t type = WAKE;
  say(link->fd, &type, 4, NULL, 0);
}

/* Returns room for a record in this side's ring, or NULL if there is none. */
unsigned char *claim(struct link *link, uint32_t length) {
  uint32_t wanted = (length + 7) & ~7u, at = (uint32_t) link->tail & (RECORDS - 1);
  uint64_t end = link->tail + wanted + (wanted > RECORDS - at ? RECORDS - at : 0) + 64;
  if (!link->own) {
    return NULL;
  }
  uint64_t head = __atomic_load_n((uint64_t *) (link->own + HEAD), __ATOMIC_ACQUIRE);
  if (head > link->tail || end - head > RECORDS) {
    return NULL;
  }
  return link->own + PAGE + (wanted > RECORDS - at ? 0 : at);
}

/* Publishes a claimed record of this length, with SHOWN as its length field. */
void publish(struct link *link, unsigned char *at, uint32_t length, uint32_t shown) {
  unsigned char *begin = link->own + PAGE + (link->tail & (RECORDS - 1));
  link->tail += ((length + 7) & ~7u) + (at == begin ? 0 : (uint64_t) (link->own + PAGE + RECORDS - begin));
  memset(link->own + PAGE + (link->tail & (RECORDS - 1)), 0, 4);
  __atomic_store_n((uint32_t *) at, shown, __ATOMIC_RELEASE);
  if (at != begin) {
    __atomic_store_n((uint32_t *) begin, 0xffffffff, __ATOMIC_RELEASE);
  }
}
