/* The device's thread, which does what nobody's call does: work that waits for its time, and where a personality says so all of it. */
#define _GNU_SOURCE
#include "nic.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static pthread_t thread;
static int holders;
static int wake_fd = -1;
static bool ending, sleeping;

uint64_t nic_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

void nic_wake(void) {
  if (sleeping && wake_fd >= 0) {
    sleeping = false;
    eventfd_write(wake_fd, 1);
  }
}

static void *work(void *unused) {
  (void)unused;
  nic_lock();
  while (!ending) {
    uint64_t next = nic_run_waiting(nic_now());
    sleeping = true;
    nic_unlock();
    struct pollfd fd = {wake_fd, POLLIN, 0};
    uint64_t now = nic_now();
    struct timespec left = {0, 0};
    if (next > now) {
      left = (struct timespec){(next - now) / 1000000000, (next - now) % 1000000000};
    }
    ppoll(&fd, 1, next ? &left : NULL, NULL);
    eventfd_t count;
    if (fd.revents) {
      eventfd_read(wake_fd, &count);
    }
    nic_lock();
    sleeping = false;
  }
  nic_unlock();
  return NULL;
}

/* The thread runs while something is open. Called with the lock, unlike its opposite, which waits for the thread. */
void nic_hold(void) {
  if (holders++ == 0) {
    sigset_t all, before;
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ending = false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_create(&thread, NULL, work, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
}

void nic_release(void) {
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one);
  nic_lock();
  if (holders == 1) {
    ending = true;
    sleeping = true;
    nic_wake();
    nic_unlock();
    pthread_join(thread, NULL);
    nic_lock();
    if (holders == 1) {
      close(wake_fd);
      wake_fd = -1;
    } else {
      /* Somebody came meanwhile. */
      ending = false;
      pthread_create(&thread, NULL, work, NULL);
    }
  }
  holders--;
  nic_unlock();
  pthread_mutex_unlock(&one);
}
