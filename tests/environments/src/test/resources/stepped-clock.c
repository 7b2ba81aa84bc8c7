/* Adds the seconds in the file STEPPED_CLOCK to the wall clock of a process. The monotonic clock is left alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const long long *seconds;

__attribute__((constructor)) static void map(void) {
  const char *name = getenv("STEPPED_CLOCK");
  int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *seconds, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) {
    seconds = mapped;
  }
  if (fd >= 0) {
    close(fd);
  }
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && seconds && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += *seconds;
  }
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec time;
  (void) zone;
  if (clock_gettime(CLOCK_REALTIME, &time) != 0) {
    return -1;
  }
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *to) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
    return -1;
  }
  if (to) {
    *to = now.tv_sec;
  }
  return now.tv_sec;
}
