/* The device's thread. It executes delayed work, and all work if the personality requires that. */
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
/* Time at which the thread wakes without a notification; 0 for never. */
static uint64_t wakes_at;
/*
 * A program that polls also does the device's work. Meanwhile the thread only checks at this interval, in nanoseconds, whether the program
 * still polls.
 */
static const uint64_t LOOK = 1000000;

uint64_t nic_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Makes the thread wake at this time or earlier. */
void nic_wake(uint64_t when) {
  if (sleeping && wake_fd >= 0 && (!wakes_at || when < wakes_at)) {
    sleeping = false;
    eventfd_write(wake_fd, 1);
  }
}

static void *work(void *unused) {
  (void)unused;
  uint32_t polls = 0;
  nic_lock();
  while (!ending) {
    nic_links_run();
    uint64_t now = nic_now(), next = nic_run_waiting(now), late = nic_complete_late(now, NULL);
    next = next && (!late || next < late) ? next : late;
    if (polls != nic_polls) {
      polls = nic_polls;
      next = next && next < now + LOOK ? next : now + LOOK;
    } else if (!nic_ask_to_be_woken()) {
      continue;
    }
    sleeping = true;
    wakes_at = next;
    nic_unlock();
    struct pollfd fds[] = {{wake_fd, POLLIN, 0}, {nic_links_fd(), POLLIN, 0}};
    now = nic_now();
    struct timespec left = {0, 0};
    if (next > now) {
      left = (struct timespec){(next - now) / 1000000000, (next - now) % 1000000000};
    }
    ppoll(fds, 2, next ? &left : NULL, NULL);
    eventfd_t count;
    if (fds[0].revents) {
      eventfd_read(wake_fd, &count);
    }
    nic_lock();
    sleeping = false;
  }
  nic_unlock();
  return NULL;
}

/*
 * Runs the thread while an object is open. Called with the lock. nic_release is called without the lock, because it waits for the thread.
 */
void nic_hold(void) {
  if (holders++ == 0) {
    sigset_t all, before;
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ending = false;
    nic_links_open();
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
    nic_wake(0);
    nic_unlock();
    pthread_join(thread, NULL);
    nic_lock();
    if (holders == 1) {
      nic_links_close();
      close(wake_fd);
      wake_fd = -1;
    } else {
      /* An object was opened while the thread ended. */
      ending = false;
      pthread_create(&thread, NULL, work, NULL);
    }
  }
  holders--;
  nic_unlock();
  pthread_mutex_unlock(&one);
}
