/*
 * Links to other processes of this host: a ring of bytes in shared memory for each direction, and a socket for wake-ups. The end of the
 * socket shows the end of the process. VERTX_RDMA_NIC_FOLDER names the folder of the sockets.
 */
#define _GNU_SOURCE
#include "nic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

/* First message of a process: its build, and the address of nic_lives (far.c) in its memory. */
struct hello {
  uint64_t build;
  uint32_t process;
  const struct nic_lives *lives;
};

struct nic_lives nic_lives = {.magic = 0x6e69636e};
struct nic_page *nic_page;
int nic_linked;
uint32_t nic_polls;

void (*nic_cm_heard)(uint32_t process, const void *bytes, size_t length);
void (*nic_cm_gone)(uint32_t process);

static struct nic_link *links;
static int listener = -1, events = -1;
/* Value of this process's wake-up count when its rings were last read. */
static uint32_t heard;

static const uint64_t build = sizeof(struct nic_lives) ^ sizeof(struct nic_message) << 32;

/* Writes the address of a socket in the folder. The folder's path may be longer than the 108 bytes of unix(7). */
static bool address_of(uint32_t process, struct sockaddr_un *address, int *folder) {
  *folder = open(nic_folder(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/socket-%u", *folder, process);
  return *folder >= 0;
}

static void watch(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  epoll_ctl(events, EPOLL_CTL_ADD, fd, &event);
}

/* Accepts links of other processes. If the folder or sockets cannot be used, this process has no links. */
void nic_links_open(void) {
  struct sockaddr_un address;
  int folder;
  uint32_t number = nic_process();
  events = epoll_create1(EPOLL_CLOEXEC);
  if (address_of(number, &address, &folder)) {
    unlink(address.sun_path);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, BACKLOG) != 0) {
      fprintf(stderr, "nic: other processes cannot reach this one: %s/socket-%u: %s\n", nic_folder(), number, strerror(errno));
    } else {
      watch(listener);
    }
    close(folder);
  }
}

int nic_links_fd(void) { return events; }

static void free_link(struct nic_link *link) {
  close(link->fd);
  nic_ring_unmap(link->ring);
  if (link->page) {
    munmap(link->page, sizeof *link->page);
  }
  free(link->pending);
  free(link->whole);
  free(link);
  nic_linked--;
}

void nic_links_close(void) {
  struct sockaddr_un address;
  int folder;
  while (links) {
    struct nic_link *next = links->next;
    free_link(links);
    links = next;
  }
  if (listener >= 0 && address_of(nic_process(), &address, &folder)) {
    unlink(address.sun_path);
    close(folder);
  }
  if (listener >= 0) {
    close(listener);
  }
  close(events);
  listener = events = -1;
}

static struct nic_link *find(uint32_t process, bool ours) {
  for (struct nic_link *link = links; link; link = link->next) {
    if (link->process == process && link->ours == ours && !link->over) {
      return link;
    }
  }
  return NULL;
}

static struct nic_link *add(int fd, uint32_t process, bool ours) {
  struct nic_link *link = calloc(1, sizeof *link);
  link->fd = fd;
  link->process = process;
  link->ours = ours;
  link->next = links;
  links = link;
  nic_linked++;
  watch(fd);
  return link;
}

/* Returns the PID of the process at a socket; 0 if it is in another PID namespace. */
static pid_t pid_of(int fd) {
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

/* Returns whether a process is stopped by a signal or a debugger, by its state in proc_pid_stat(5). */
bool nic_is_stopped(uint32_t process) {
  struct nic_link *link = find(process, true);
  pid_t pid = link ? pid_of(link->fd) : 0;
  char name[32], stat[512];
  snprintf(name, sizeof name, "/proc/%d/stat", pid);
  int fd = pid ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  ssize_t n = fd < 0 ? 0 : read(fd, stat, sizeof stat - 1);
  if (fd >= 0) {
    close(fd);
  }
  stat[n > 0 ? n : 0] = 0;
  char *state = strrchr(stat, ')');
  return state && state[1] == ' ' && (state[2] == 'T' || state[2] == 't');
}

/* ---- sent messages ---- */

/* Returns the link to a process, which the first call creates; NULL if the process does not exist. */
struct nic_link *nic_link_to(uint32_t process) {
  struct nic_link *link = find(process, true);
  struct sockaddr_un address;
  int folder;
  if (link || process == 0 || process == nic_process() || events < 0 || !address_of(process, &address, &folder)) {
    return link;
  }
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int memory = memfd_create("nic", MFD_CLOEXEC);
  struct ring *ring = NULL;
  struct nic_page *page = NULL;
  struct hello hello = {build, nic_process(), &nic_lives};
  struct iovec bytes = {&hello, sizeof hello};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.header), &memory, sizeof memory);
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room};
  if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 && (page = nic_page_of(process)) && nic_ring_make(memory) &&
      (ring = nic_ring_map(memory)) && sendmsg(fd, &message, MSG_NOSIGNAL) == sizeof hello) {
    /* Yama permits a process to name only one other that may read it, but there are several peers: prctl(2), PR_SET_PTRACER. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    link = add(fd, process, true);
    link->ring = ring;
    link->page = page;
  } else {
    nic_ring_unmap(ring);
    if (page) {
      munmap(page, sizeof *page);
    }
    close(fd);
  }
  close(memory);
  close(folder);
  return link;
}

bool nic_send_cm(uint32_t process, const void *bytes, size_t length) {
  struct nic_link *link = nic_link_to(process);
  struct nic_message message = {.kind = NIC_CM};
  struct iovec payload = {(void *)bytes, length};
  if (link) {
    nic_send(link, &message, &payload, 1);
  }
  return link != NULL;
}

/* ---- received messages ---- */

void nic_deliver(struct nic_link *link, const struct nic_message *message, char *payload) {
  switch (message->kind) {
    case NIC_REQUEST: nic_hear_request(link, message, payload); break;
    case NIC_ANSWER: nic_hear_answer(link, message, payload); break;
    case NIC_READABLE: {
      struct nic_link *back = find(link->process, true);
      if (back) {
        back->reads_us = true;
      }
      break;
    }
    default:
      if (nic_cm_heard) {
        nic_cm_heard(link->process, payload, message->bytes);
      }
  }
}

static void read_rings(void) {
  for (bool more = true; more;) {
    more = false;
    heard = __atomic_load_n(&nic_page->rung, __ATOMIC_SEQ_CST);
    for (struct nic_link *link = links; link; link = link->next) {
      while (!link->ours && link->ring && nic_ring_take(link)) {
        more = true;
      }
    }
  }
}

bool nic_rung(void) { return __atomic_load_n(&nic_page->rung, __ATOMIC_RELAXED) != heard; }

/* Accepts a process and the ring that it writes. Tries to read a word of the process's memory, and reports to it whether that succeeded. */
static void greet(struct nic_link *link, const struct hello *hello, int memory) {
  link->ring = nic_ring_map(memory);
  if (hello->build != build || !link->ring) {
    link->over = true;
    return;
  }
  link->process = hello->process;
  link->lives = hello->lives;
  struct nic_link *back = nic_link_to(hello->process);
  link->pid = pid_of(link->fd);
  const char *moves = getenv("VERTX_RDMA_NIC_MEMORY");
  bool readable = (!moves || strcmp(moves, "rings") != 0) && link->pid && nic_lives_on(link, &nic_lives.magic, nic_lives.magic);
  if (back && readable) {
    struct nic_message message = {.kind = NIC_READABLE};
    nic_send(back, &message, NULL, 0);
  }
}

/* Reads a socket: the first message, or bytes that were sent to wake this thread. */
static void read_socket(struct nic_link *link) {
  struct hello hello;
  char bytes[256];
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  bool first = !link->ours && !link->ring;
  struct iovec to = {first ? (void *)&hello : bytes, first ? sizeof hello : sizeof bytes};
  struct msghdr message = {.msg_iov = &to, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room};
  ssize_t n = recvmsg(link->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (first && n == sizeof hello && CMSG_FIRSTHDR(&message)) {
    int memory;
    memcpy(&memory, CMSG_DATA(&control.header), sizeof memory);
    greet(link, &hello, memory);
    close(memory);
  } else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || (first && n > 0)) {
    link->over = true;
  }
}

/* Removes the links of ended processes after their messages were handled. */
static void bury(void) {
  for (struct nic_link *link = links; link; link = link->next) {
    if (link->over && link->process) {
      uint32_t process = link->process;
      for (struct nic_link *other = links; other; other = other->next) {
        other->over |= other->process == process;
      }
      if (nic_cm_gone) {
        nic_cm_gone(process);
      }
      nic_gone(process);
    }
  }
  struct nic_link **place = &links;
  while (*place) {
    struct nic_link *link = *place;
    if (link->over) {
      *place = link->next;
      free_link(link);
    } else {
      place = &link->next;
    }
  }
}

void nic_links_run(void) {
  struct epoll_event ready[16];
  bool over = false;
  int count = nic_linked || listener >= 0 ? epoll_wait(events, ready, 16, 0) : 0;
  for (int i = 0; i < count; i++) {
    if (ready[i].data.fd == listener) {
      int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd >= 0) {
        add(fd, 0, false);
      }
    } else {
      for (struct nic_link *link = links; link; link = link->next) {
        if (link->fd == ready[i].data.fd) {
          read_socket(link);
          over |= link->over;
          break;
        }
      }
    }
  }
  nic_hear();
  if (over) {
    bury();
  }
}

void nic_hear(void) {
  read_rings();
  for (struct nic_link *link = links; link; link = link->next) {
    if (link->ours && link->pending_end) {
      nic_ring_flush(link);
    }
  }
}

/* Requests a wake-up. Returns false if something has arrived meanwhile. */
bool nic_ask_to_be_woken(void) {
  __atomic_store_n(&nic_page->sleeping, 1, __ATOMIC_SEQ_CST);
  return !nic_rung();
}
