/*
 * Makes wake-ups slower: a library for LD_PRELOAD. A thread that waited in epoll_wait(2) and has something goes on so many microseconds later
 * as VERTX_RDMA_WAKE_DELAY says. Meanwhile it holds its processor, as one does that comes out of a deep idle state. What was there before it
 * waited is not delayed.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#define SIGNALS 8

static long delay;

__attribute__((constructor)) static void read_delay(void) {
  const char *micros = getenv("VERTX_RDMA_WAKE_DELAY");
  delay = micros ? atol(micros) * 1000 : 0;
}

static int woken(int found) {
  struct timespec begin, now;
  if (found > 0) {
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
      clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < delay);
  }
  return found;
}

int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout, const sigset_t *signals) {
  int found = syscall(SYS_epoll_pwait, fd, events, most, 0, signals, SIGNALS);
  return found || !timeout ? found : woken(syscall(SYS_epoll_pwait, fd, events, most, timeout, signals, SIGNALS));
}

int epoll_wait(int fd, struct epoll_event *events, int most, int timeout) {
  return epoll_pwait(fd, events, most, timeout, NULL);
}

int epoll_pwait2(int fd, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *signals) {
  int found = syscall(SYS_epoll_pwait, fd, events, most, 0, signals, SIGNALS);
  return found || (timeout && !timeout->tv_sec && !timeout->tv_nsec) ? found
    : woken(syscall(SYS_epoll_pwait2, fd, events, most, timeout, signals, SIGNALS));
}
