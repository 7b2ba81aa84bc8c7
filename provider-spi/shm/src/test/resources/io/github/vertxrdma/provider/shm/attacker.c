/*
 * Attacks listeners of shared memory: attacker SEED MOVES SOCKET...
 *
 * Plays random moves over their sockets, over the rings that it shares with them, and with descriptors that it sends. It knows all formats
 * and no key. Moves depend on the seed alone; their effect depends on the other side.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CONNECT = 1, ACCEPT, JOIN, ELSEWHERE, REJECT, WAKE, RING, OPEN, OPENED, NOT_OPENED, OTHER_USERS };
enum { PAGE = 4096, RECORDS = 16384, LINKS = 24, KNOWN = 64, TYPES = 18, SECONDS = 15, LINGER_SECONDS = 5 };
static const uint64_t MAGIC = 0x7672646d61730004ULL;

struct link {
  int fd;
  uint32_t number;
  /* Ring that the other side writes, and the one that it reads. */
  unsigned char *theirs, *own;
  int own_fd;
  uint32_t tail;
};

static uint64_t seed;
static char **sockets;
static int socket_count;
static struct link links[LINKS];
static uint64_t queues[KNOWN][2];
static uint32_t numbers[KNOWN];
static int queues_known, numbers_known;
static int tcp = -1;

static uint64_t next(void) {
  uint64_t z = seed += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

static int below(int n) {
  return (int) (next() % (uint64_t) n);
}

static uint32_t number(void) {
  static const uint32_t some[] = {0, 1, 7, 8, 15, 16, 17, 4096, 16383, 16384, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0};
  return below(2) ? some[below(sizeof some / sizeof *some)] : (uint32_t) next();
}

static uint32_t target(void) {
  return numbers_known && below(4) ? numbers[below(numbers_known)] : number();
}

static int sealed(size_t size, unsigned flags, int seals) {
  int fd = memfd_create("attack", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
  if (fd >= 0 && (ftruncate(fd, (off_t) size) || fcntl(fd, F_ADD_SEALS, seals))) {
    /* Sent as it is. */
  }
  return fd;
}

/* A socket whose last close(2) waits, until this process ends. */
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

static int descriptor(void) {
  int all = F_SEAL_SHRINK | F_SEAL_GROW;
  int ends[2];
  switch (below(16)) {
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
    case 11: return dup(links[below(LINKS)].fd);
    case 12: return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    case 13: return sealed(3 * PAGE, 0, all);
    default: return sealed(below(2) ? PAGE : PAGE + RECORDS, 0, all);
  }
}

static void say(int fd, const void *bytes, size_t length, const int *files, int count) {
  union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int) * 253)]; } control;
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
    /* It is full, has ended, or takes no descriptors. Then their close must not delay this process. */
    struct linger reset = {1, 0};
    for (int i = 0; i < count; i++) {
      setsockopt(files[i], SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
  }
}

static size_t put(unsigned char *at, size_t offset, const void *value, size_t length) {
  memcpy(at + offset, value, length);
  return offset + length;
}

static void end(struct link *link) {
  if (link->fd >= 0) {
    close(link->fd);
  }
  if (link->theirs) {
    munmap(link->theirs, PAGE + RECORDS);
  }
  if (link->own) {
    munmap(link->own, PAGE + RECORDS);
    close(link->own_fd);
  }
  *link = (struct link) {.fd = -1};
}

static void begin(struct link *link) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  end(link);
  strncpy(address.sun_path, sockets[below(socket_count)], sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *) &address, sizeof address)) {
    close(fd);
    fd = -1;
  }
  link->fd = fd;
}

static void request(struct link *link) {
  unsigned char bytes[512];
  uint32_t type = CONNECT, user = below(8) ? getuid() : number(), reads = number();
  uint64_t magic = below(16) ? MAGIC : MAGIC - 1, token = next();
  uint64_t queue[2] = {next(), next()}, proof[2] = {0, 0};
  if (queues_known && below(3)) {
    memcpy(queue, queues[below(queues_known)], sizeof queue);
  }
  if (below(2)) {
    proof[0] = next();
    proof[1] = next();
  }
  link->number = below(4) ? (uint32_t) next() : target();
  size_t n = put(bytes, 0, &type, 4);
  n = put(bytes, n, &magic, 8);
  n = put(bytes, n, &user, 4);
  n = put(bytes, n, queue, 16);
  n = put(bytes, n, &link->number, 4);
  n = put(bytes, n, &reads, 4);
  n = put(bytes, n, &token, 8);
  n = put(bytes, n, proof, 16);
  say(link->fd, bytes, n + (size_t) (below(4) ? 0 : below(400)), NULL, 0);
}

/* Takes what came, and remembers ids of queues and connections, which every peer learns. */
static void take(struct link *link) {
  unsigned char bytes[4096];
  union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int) * 253)]; } control;
  struct iovec data = {bytes, sizeof bytes};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t n = recvmsg(link->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0) {
    return;
  }
  uint32_t type = 0;
  memcpy(&type, bytes, n < 4 ? 0 : 4);
  int files[253], count = 0;
  struct cmsghdr *header = message.msg_controllen ? CMSG_FIRSTHDR(&message) : NULL;
  if (header && header->cmsg_type == SCM_RIGHTS) {
    count = (int) ((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(files, CMSG_DATA(header), sizeof(int) * (size_t) count);
  }
  if (type == ACCEPT && n >= 64) {
    memcpy(queues[queues_known < KNOWN ? queues_known++ : below(KNOWN)], bytes + 20, 16);
    memcpy(&numbers[numbers_known < KNOWN ? numbers_known++ : below(KNOWN)], bytes + 52, 4);
    if (count == 2 && !link->theirs) {
      void *ring = mmap(NULL, PAGE + RECORDS, PROT_READ | PROT_WRITE, MAP_SHARED, files[1], 0);
      link->theirs = ring == MAP_FAILED ? NULL : ring;
    }
  }
  for (int i = 0; i < count; i++) {
    /* Nothing of this may succeed, or it changes only what this process was given. */
    if (!below(4) && (ftruncate(files[i], below(2) * PAGE) || fcntl(files[i], F_ADD_SEALS, F_SEAL_WRITE) || flock(files[i], LOCK_EX | LOCK_NB))) {
    }
    close(files[i]);
  }
}

static void join(struct link *link) {
  uint32_t type = JOIN;
  int page = sealed(PAGE, 0, F_SEAL_SHRINK | F_SEAL_GROW);
  int ring = sealed(PAGE + RECORDS, 0, F_SEAL_SHRINK | F_SEAL_GROW);
  int files[2] = {page, ring};
  say(link->fd, &type, 4, files, 2);
  close(page);
  if (link->own) {
    close(ring);
    return;
  }
  void *own = mmap(NULL, PAGE + RECORDS, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
  link->own = own == MAP_FAILED ? NULL : own;
  link->own_fd = ring;
  link->tail = 0;
}

static void record(struct link *link) {
  if (!link->own) {
    return;
  }
  uint32_t type = (uint32_t) below(TYPES + 2) | (below(4) ? 0 : 0x100) | (below(4) ? 0 : 0x200), to = target();
  uint32_t length = below(16) ? 16 + 8 * (uint32_t) below(12) : number();
  if (link->tail + 256 > RECORDS) {
    return;
  }
  unsigned char *at = link->own + PAGE + link->tail;
  for (int i = 4; i < 112; i += 4) {
    uint32_t value = below(2) ? number() : target();
    memcpy(at + i, &value, 4);
  }
  memcpy(at + 4, &type, 4);
  memcpy(at + 8, &to, 4);
  link->tail += (length < 112 ? length + 7 : 16) & ~7u;
  memset(link->own + PAGE + link->tail, 0, 4);
  __atomic_store_n((uint32_t *) at, length, __ATOMIC_RELEASE);
}

static void scribble(struct link *link) {
  unsigned char *memory = below(2) ? link->theirs : link->own;
  if (memory) {
    uint64_t value = below(2) ? number() : next();
    static const int words[] = {128, 384, PAGE, PAGE + 4};
    memcpy(memory + (below(2) ? words[below(4)] : below(PAGE + RECORDS - 8)), &value, 8);
  }
}

static void garbage(struct link *link) {
  unsigned char bytes[1024];
  int files[253], count = below(3) ? 0 : below(8) ? below(4) : 253;
  uint32_t type = (uint32_t) below(OTHER_USERS + 3);
  size_t length = (size_t) below(below(4) ? 64 : (int) sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; i += 8) {
    uint64_t value = below(2) ? next() : number();
    memcpy(bytes + i, &value, 8);
  }
  memcpy(bytes, &type, 4);
  int sent = 0;
  for (int i = 0; i < count; i++) {
    int fd = sent && count > 4 ? dup(files[0]) : descriptor();
    if (fd >= 0) {
      files[sent++] = fd;
    }
  }
  say(link->fd, bytes, length, files, sent);
  for (int i = 0; i < sent; i++) {
    close(files[i]);
  }
}

static void ring(struct link *link) {
  uint32_t type = RING;
  uint64_t size = PAGE + RECORDS;
  unsigned char bytes[12];
  int file = below(2) ? sealed(size, 0, F_SEAL_SHRINK | F_SEAL_GROW) : descriptor();
  put(bytes, put(bytes, 0, &type, 4), &size, 8);
  say(link->fd, bytes, sizeof bytes, &file, file >= 0);
  close(file);
}

static void play(struct link *link) {
  if (link->fd < 0) {
    begin(link);
    request(link);
    return;
  }
  switch (below(14)) {
    case 0: begin(link); break;
    case 1: request(link); break;
    case 2: case 3: take(link); break;
    case 4: join(link); break;
    case 5: case 6: record(link); break;
    case 7: scribble(link); break;
    case 8: garbage(link); break;
    case 9: ring(link); break;
    case 10: end(link); break;
    case 11: shutdown(link->fd, below(3)); break;
    case 12: usleep((useconds_t) below(2000)); break;
    default:
      for (int i = below(64); i >= 0; i--) {
        uint32_t wake = WAKE;
        say(link->fd, &wake, 4, NULL, 0);
      }
  }
}

int main(int count, char **arguments) {
  if (count < 4) {
    return 2;
  }
  alarm(SECONDS);
  signal(SIGPIPE, SIG_IGN);
  seed = strtoull(arguments[1], NULL, 10);
  sockets = arguments + 3;
  socket_count = count - 3;
  for (int i = 0; i < LINKS; i++) {
    links[i].fd = -1;
  }
  for (int moves = atoi(arguments[2]); moves > 0; moves--) {
    play(&links[below(LINKS)]);
    if (moves % 16 == 0) {
      /* Lets the others answer, so that later moves reach further. */
      usleep(500);
    }
  }
  return 0;
}
