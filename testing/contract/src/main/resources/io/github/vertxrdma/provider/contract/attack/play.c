/* Random moves over sockets, over the rings that the attacker shares with its victims, and with descriptors that it sends. */
#define _GNU_SOURCE
#include "attack.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINKS = 24, SECONDS = 15 };

static char **sockets;
static int socket_count;
static struct link links[LINKS];
/* The last CONNECT message. */
static unsigned char sent[512];
static size_t sent_length;
static int accepted;

static void end(struct link *link) {
  if (link->fd >= 0) {
    close(link->fd);
  }
  if (link->next_fd >= 0) {
    close(link->next_fd);
  }
  if (link->theirs) {
    munmap(link->theirs, link->their_size);
  }
  if (link->own) {
    munmap(link->own, PAGE + RECORDS);
    close(link->own_fd);
  }
  if (link->region) {
    munmap(link->region, link->region_size);
  }
  *link = (struct link) {.fd = -1, .next_fd = -1};
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
  unsigned char bytes[512] = {0};
  if (sent_length && !below(16)) {
    /* A replay. */
    say(link->fd, sent, sent_length, NULL, 0);
    return;
  }
  int honest = is_member && below(4);
  uint32_t type = CONNECT, user = honest || below(8) ? getuid() : number(), reads = honest ? 16 : number();
  uint64_t magic = honest || below(16) ? MAGIC : below(2) ? MAGIC + 0x101 : MAGIC ^ 1ULL << 40, token = next();
  uint64_t own[2] = {next(), next()}, proof[2] = {0, 0};
  if (!honest && queue() && below(3)) {
    memcpy(own, queue(), sizeof own);
  }
  if (!honest && below(2)) {
    proof[0] = next();
    proof[1] = next();
  }
  link->number = below(4) ? (uint32_t) next() : target();
  size_t n = put(bytes, 0, &type, 4);
  n = put(bytes, n, &magic, 8);
  n = put(bytes, n, &user, 4);
  n = put(bytes, n, own, 16);
  n = put(bytes, n, &link->number, 4);
  n = put(bytes, n, &reads, 4);
  n = put(bytes, n, &token, 8);
  n = put(bytes, n, proof, 16);
  if (honest) {
    n = member_request(link, bytes + n) + n;
  } else {
    n += (size_t) (below(4) ? 0 : below(400));
  }
  say(link->fd, bytes, n, NULL, 0);
  memcpy(sent, bytes, sent_length = n);
}

static void map_theirs(struct link *link, int file, size_t size) {
  void *ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  link->theirs = ring == MAP_FAILED ? NULL : ring;
  link->their_size = size;
  link->head = 0;
}

/* Receives and handles a message. Returns whether there was one. */
static int take(struct link *link) {
  unsigned char bytes[MESSAGE];
  int files[MOST_FILES], count;
  int n = hear(link->fd, bytes, files, &count);
  uint32_t type = 0;
  memcpy(&type, bytes, n < 4 ? 0 : 4);
  if (type == ACCEPT && n >= ACCEPT_FIELDS && count == 2) {
    uint32_t connection;
    memcpy(&connection, bytes + 52, 4);
    learn(bytes + 20, connection);
    accepted++;
    if (!link->theirs) {
      map_theirs(link, files[1], PAGE + RECORDS);
      link->other = connection;
      memcpy(&link->acceptor_user, bytes + 12, 4);
      member_accepted(link, bytes + ACCEPT_FIELDS, (size_t) n - ACCEPT_FIELDS);
    }
  } else if (type == RING && n >= 12 && count == 1 && link->next_fd < 0) {
    uint64_t size;
    memcpy(&size, bytes + 4, 8);
    link->next_size = size;
    link->next_fd = dup(files[0]);
  } else if (type == OPEN && is_member) {
    member_asked(link, bytes, (size_t) n);
  } else if (type == OPENED && is_member && count == 1) {
    member_opened(link, bytes, (size_t) n, files[0]);
  }
  for (int i = 0; i < count; i++) {
    /* The calls fail, or change only files that this process was given. */
    if (!below(4) && (ftruncate(files[i], below(2) * PAGE) || fcntl(files[i], F_ADD_SEALS, F_SEAL_WRITE)
      || flock(files[i], LOCK_EX | LOCK_NB))) {
    }
    close(files[i]);
  }
  return n > 0;
}

/* Switches to the next ring of the other side, after a record has announced it. Returns whether the ring has arrived. */
int follow(struct link *link) {
  if (link->next_fd < 0) {
    return 0;
  }
  munmap(link->theirs, link->their_size);
  map_theirs(link, link->next_fd, link->next_size);
  close(link->next_fd);
  link->next_fd = -1;
  return link->theirs != NULL;
}

static void join(struct link *link) {
  uint32_t type = JOIN;
  int page = sealed(PAGE, 0, below(4) ? F_SEAL_SHRINK | F_SEAL_GROW : 0);
  int ring = sealed(PAGE + RECORDS, 0, below(4) ? F_SEAL_SHRINK | F_SEAL_GROW : 0);
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
  link->state = link->state == ACCEPTED ? JOINED : link->state;
}

static void record(struct link *link) {
  uint32_t type = (uint32_t) below(RECORD_TYPES + 2) | (below(4) ? 0 : 0x100) | (below(4) ? 0 : LAST), to = target();
  uint32_t shown = below(16) ? 16 + 8 * (uint32_t) below(12) : number(), length = shown < 112 ? shown < 16 ? 16 : shown : 112;
  unsigned char *at = claim(link, length);
  if (!at) {
    return;
  }
  for (uint32_t i = 4; i + 4 <= length; i += 4) {
    uint32_t value = below(2) ? number() : target();
    memcpy(at + i, &value, 4);
  }
  memcpy(at + 4, &type, 4);
  memcpy(at + 8, &to, 4);
  publish(link, at, length, shown);
}

static void scribble(struct link *link) {
  unsigned char *memory = below(2) ? link->theirs : link->own;
  if (memory) {
    uint64_t value = below(2) ? number() : next();
    static const int words[] = {HEAD, WRITER_WAITS, PAGE, PAGE + 4};
    memcpy(memory + (below(2) ? words[below(4)] : below(PAGE + RECORDS - 8)), &value, 8);
  }
}

/* Takes memory away from the file of this side's ring, which the other side may have mapped. */
static void shrink(struct link *link) {
  if (!link->own || (below(2) && !fallocate(link->own_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE + RECORDS))
    || ftruncate(link->own_fd, 0)) {
    return;
  }
  /* The other side reads it after a wake-up; this process must not. */
  munmap(link->own, PAGE + RECORDS);
  close(link->own_fd);
  link->own = NULL;
  wake(link);
}

/* Stops this process for up to 20 ms. */
static void stop(void) {
  pid_t self = getpid();
  useconds_t micros = (useconds_t) below(20000);
  pid_t stopper = fork();
  if (!stopper) {
    kill(self, SIGSTOP);
    usleep(micros);
    kill(self, SIGCONT);
    _exit(0);
  }
  waitpid(stopper, NULL, 0);
}

static void garbage(struct link *link) {
  unsigned char bytes[1024];
  int files[MOST_FILES], count = below(3) ? 0 : below(8) ? below(4) : MOST_FILES;
  uint32_t type = (uint32_t) below(OTHER_USERS + 3);
  size_t length = (size_t) below(below(4) ? 64 : (int) sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; i += 8) {
    uint64_t value = below(2) ? next() : number();
    memcpy(bytes + i, &value, 8);
  }
  memcpy(bytes, &type, 4);
  int sent = 0;
  for (int i = 0; i < count; i++) {
    int fd = sent && count > 4 ? dup(files[0]) : descriptor(links, LINKS);
    if (fd >= 0) {
      files[sent++] = fd;
    }
  }
  say(link->fd, bytes, length, files, sent);
  for (int i = 0; i < sent; i++) {
    close(files[i]);
  }
}

static void send_ring(struct link *link) {
  uint32_t type = RING;
  uint64_t size = PAGE + RECORDS;
  unsigned char bytes[12];
  int file = below(2) ? sealed(size, 0, F_SEAL_SHRINK | F_SEAL_GROW) : descriptor(links, LINKS);
  put(bytes, put(bytes, 0, &type, 4), &size, 8);
  say(link->fd, bytes, sizeof bytes, &file, file >= 0);
  close(file);
}

static void move(struct link *link) {
  if (link->fd < 0) {
    begin(link);
    request(link);
    return;
  }
  if (is_member && link->state != UNMET && below(16)) {
    /* Continues as a peer that has proved the secret. */
    while (take(link)) {
    }
    if (link->state == ACCEPTED) {
      join(link);
    } else {
      member_plays(link);
    }
    return;
  }
  switch (below(17)) {
    case 0: begin(link); break;
    case 1: request(link); break;
    case 2: case 3: take(link); break;
    case 4: join(link); break;
    case 5: case 6: record(link); break;
    case 7: scribble(link); break;
    case 8: garbage(link); break;
    case 9: send_ring(link); break;
    case 10: end(link); break;
    case 11: shutdown(link->fd, below(3)); break;
    case 12: usleep((useconds_t) below(2000)); break;
    case 13: folder_plays(); break;
    case 14: shrink(link); break;
    case 15:
      if (!below(16)) {
        stop();
      }
      break;
    default:
      for (int i = below(64); i >= 0; i--) {
        wake(link);
      }
  }
}

static int play(int count, char **arguments) {
  if (count < 7) {
    return 2;
  }
  alarm(SECONDS);
  signal(SIGPIPE, SIG_IGN);
  seed = strtoull(arguments[0], NULL, 10);
  is_member = strlen(arguments[2]) == 2 * sizeof key;
  for (size_t i = 0; is_member && i < sizeof key; i++) {
    sscanf(arguments[2] + 2 * i, "%2hhx", key + i);
  }
  for (char *at = arguments[3]; region_count < REGIONS && *at; at += *at == ',') {
    regions[region_count++] = strtoull(at, &at, 10);
  }
  id = arguments[4];
  learn_all(arguments[5]);
  sockets = arguments + 6;
  socket_count = count - 6;
  folder_is(sockets[0]);
  for (int i = 0; i < LINKS; i++) {
    links[i] = (struct link) {.fd = -1, .next_fd = -1};
  }
  int greeted = 0;
  for (int moves = atoi(arguments[1]); moves > 0; moves--) {
    struct link *link = &links[below(LINKS)];
    move(link);
    greeted += link->state == GREETED;
    if (moves % 16 == 0) {
      /* Lets the others answer, so that later moves reach further. */
      usleep(500);
    }
  }
  folder_leaves();
  if (has_lingering() && !below(8)) {
    /* Until this process ends, closing those sockets blocks. */
    sleep(4);
  }
  printf("accepted %d greeted %d opened %d\n", accepted, greeted, opened_count);
  return 0;
}

int main(int count, char **arguments) {
  const char *attack = count > 1 ? arguments[1] : "";
  /* Lines are flushed, so that none is lost when a signal ends this process. */
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!strcmp(attack, "play")) {
    return play(count - 2, arguments + 2);
  }
  if (!strcmp(attack, "relay") && count == 5) {
    return relay(arguments[2], arguments[3], arguments[4]);
  }
  if (!strcmp(attack, "flood") && count == 4) {
    return flood(atoi(arguments[2]), arguments[3]);
  }
  return !strcmp(attack, "stuck") && count == 4 ? stuck(arguments[2], arguments[3]) : 2;
}
