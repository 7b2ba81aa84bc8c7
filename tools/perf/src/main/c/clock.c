/*
 * Library for LD_PRELOAD that sets the wall clock of one process. clock_gettime(2) of CLOCK_REALTIME, gettimeofday(2) and time(2) are ahead
 * by the seconds in the file that VERTX_RDMA_CLOCK names, an int64_t that may change at any time. Other clocks are unchanged.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct timeval;

static const int64_t none;
static const volatile int64_t *ahead = &none;
static int (*real)(clockid_t, struct timespec *);

__attribute__((constructor)) static void open_clock(void) {
  const char *path = getenv("VERTX_RDMA_CLOCK");
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    ahead = mapped == MAP_FAILED ? &none : mapped;
    close(fd);
  }
  real = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int status = real ? real(clock, now) : syscall(SYS_clock_gettime, clock, now);
  if (!status && clock == CLOCK_REALTIME) {
    now->tv_sec += *ahead;
  }
  return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec read;
  (void) zone;
  clock_gettime(CLOCK_REALTIME, &read);
  ((long *) now)[0] = read.tv_sec;
  ((long *) now)[1] = read.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec read;
  clock_gettime(CLOCK_REALTIME, &read);
  if (now) {
    *now = read.tv_sec;
  }
  return read.tv_sec;
}
