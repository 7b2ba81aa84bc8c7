/* Devices with their personalities, the device's thread, and what processes of a host must agree on. */
#define _GNU_SOURCE
#include "nic.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct nic_device *nic_devices;

/* ---- personalities ---- */

/* Where this library lies, with the personalities beside it. */
static void beside(const char *name, char *into, size_t size) {
  Dl_info info;
  const char *file = dladdr((void *)nic_find_devices, &info) && info.dli_fname ? info.dli_fname : "";
  const char *slash = strrchr(file, '/');
  snprintf(into, size, "%.*s%s.nic", slash ? (int)(slash + 1 - file) : 0, file, name);
}

static bool set(struct nic_personality *is, const char *key, const char *value) {
  static const struct {
    const char *name;
    size_t offset;
  } numbers[] = {
#define NUMBER(name, field) {name, offsetof(struct nic_personality, field)}
    NUMBER("queue-pairs", max_qp), NUMBER("work-requests", max_qp_wr), NUMBER("elements", max_sge), NUMBER("completions", max_cqe),
    NUMBER("regions", max_mr), NUMBER("reads", max_reads), NUMBER("shared-receive-queues", max_srq), NUMBER("shared-receives", max_srq_wr),
    NUMBER("inline", max_inline), NUMBER("vendor", vendor), NUMBER("message", max_message), NUMBER("hurry", hurry),
#undef NUMBER
  };
  long long number = strtoll(value, NULL, 0);
  bool yes = strcmp(value, "yes") == 0;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(key, numbers[i].name) == 0) {
      *(uint32_t *)((char *)is + numbers[i].offset) = number;
      return true;
    }
  }
  if (strcmp(key, "transport") == 0) {
    is->iwarp = strcmp(value, "iwarp") == 0;
  } else if (strcmp(key, "atomics") == 0) {
    is->atomics = yes;
  } else if (strcmp(key, "work") == 0) {
    is->work_in_thread = strcmp(value, "thread") == 0;
  } else if (strcmp(key, "destroy") == 0) {
    is->receives_vanish = strcmp(value, "drops-completions") == 0;
  } else if (strcmp(key, "last-receive") == 0) {
    is->last_receive_untold = strcmp(value, "untold") == 0;
  } else if (strcmp(key, "change-access") == 0) {
    is->rereg = yes;
  } else if (strcmp(key, "mtu") == 0) {
    for (is->mtu = IBV_MTU_256; is->mtu < IBV_MTU_4096 && 128 << is->mtu < number; is->mtu++) {
    }
  } else if (strcmp(key, "memlock") == 0) {
    is->memlock = number;
  } else {
    return false;
  }
  return true;
}

static bool read_personality(const char *name, struct nic_personality *is) {
  char path[PATH_MAX], line[256], key[64], value[64];
  beside(name, path, sizeof path);
  FILE *file = fopen(path, "re");
  if (!file) {
    fprintf(stderr, "nic: no personality %s\n", path);
    return false;
  }
  bool good = true;
  while (good && fgets(line, sizeof line, file)) {
    line[strcspn(line, "#")] = 0;
    int words = sscanf(line, "%63s %63s", key, value);
    good = words < 1 || (words == 2 && set(is, key, value));
  }
  if (!good) {
    fprintf(stderr, "nic: %s: '%s' is not understood\n", path, key);
  }
  fclose(file);
  return good;
}

/* The devices that VERTX_RDMA_NIC names, one without it; each is made once and stays, since contexts refer to it. */
void nic_find_devices(void) {
  const char *wanted = getenv("VERTX_RDMA_NIC");
  char names[1024], *rest, *name;
  snprintf(names, sizeof names, "%s", wanted && *wanted ? wanted : "nic");
  struct nic_device **last = &nic_devices;
  static struct nic_device *all[64];
  static int count;
  *last = NULL;
  for (name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    struct nic_device *device = NULL;
    for (int i = 0; i < count; i++) {
      if (strcmp(all[i]->ibv.name, name) == 0) {
        device = all[i];
      }
    }
    if (!device && count < 64) {
      struct nic_personality is = {.hurry = 1};
      if (!read_personality(name, &is)) {
        continue;
      }
      device = calloc(1, sizeof *device);
      device->is = is;
      device->port_state = IBV_PORT_ACTIVE;
      device->ibv.node_type = is.iwarp ? IBV_NODE_RNIC : IBV_NODE_CA;
      device->ibv.transport_type = is.iwarp ? IBV_TRANSPORT_IWARP : IBV_TRANSPORT_IB;
      snprintf(device->ibv.name, sizeof device->ibv.name, "%s", name);
      snprintf(device->ibv.dev_name, sizeof device->ibv.dev_name, "%s", name);
      all[count++] = device;
    }
    if (device) {
      *last = device;
      last = &device->next;
      *last = NULL;
    }
  }
}

/* Addresses of this host that others could reach, as struct sockaddr_in or sockaddr_in6 without a port. */
int nic_addresses(struct sockaddr_storage *into, unsigned int *interfaces, int most) {
  struct ifaddrs *list;
  int count = 0;
  if (getifaddrs(&list) != 0) {
    return 0;
  }
  for (struct ifaddrs *entry = list; entry && count < most; entry = entry->ifa_next) {
    if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP) || (entry->ifa_flags & IFF_LOOPBACK)) {
      continue;
    }
    size_t size = entry->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in)
      : entry->ifa_addr->sa_family == AF_INET6          ? sizeof(struct sockaddr_in6)
                                                        : 0;
    if (size) {
      memset(&into[count], 0, sizeof *into);
      memcpy(&into[count], entry->ifa_addr, size);
      interfaces[count++] = if_nametoindex(entry->ifa_name);
    }
  }
  freeifaddrs(list);
  return count;
}

/* ---- what processes agree on, in a folder of this user ---- */

static const char *folder(void) {
  static char path[PATH_MAX - 64];
  if (!*path) {
    const char *given = getenv("VERTX_RDMA_NIC_FOLDER");
    if (given && *given) {
      snprintf(path, sizeof path, "%s", given);
    } else {
      snprintf(path, sizeof path, "/tmp/vertx-rdma-nic-%u", (unsigned int)geteuid());
    }
    struct stat is;
    if ((mkdir(path, 0700) != 0 && errno != EEXIST) || lstat(path, &is) != 0 || !S_ISDIR(is.st_mode) || is.st_uid != geteuid() ||
        (is.st_mode & 077)) {
      fprintf(stderr, "nic: %s is not a folder of this user's own with mode 0700; set VERTX_RDMA_NIC_FOLDER\n", path);
      abort();
    }
  }
  return path;
}

/* Takes the lock of a process's number; -1 if a living process has it. */
static int lock_process(uint32_t number) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/process-%u", folder(), number);
  int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* The number of this process, for as long as it lives. */
uint32_t nic_process(void) {
  static uint32_t number;
  static const uint32_t most = 1u << (24 - NIC_QP_BITS);
  while (!number) {
    for (uint32_t n = 1; n < most && !number; n++) {
      if (lock_process(n) >= 0) {
        number = n;
      }
    }
  }
  return number;
}

/* Takes a name that one process of the host has at a time; EADDRINUSE if a living one has it. */
int nic_claim_port(const char *name) {
  char path[PATH_MAX], owner[16], text[16];
  snprintf(path, sizeof path, "%s/port-%s", folder(), name);
  snprintf(text, sizeof text, "%u", nic_process());
  for (int tries = 0; tries < 100; tries++) {
    if (symlink(text, path) == 0) {
      return 0;
    }
    ssize_t n = readlink(path, owner, sizeof owner - 1);
    if (n > 0) {
      owner[n] = 0;
      uint32_t other = strtoul(owner, NULL, 10);
      int fd = other == nic_process() ? -1 : lock_process(other);
      if (fd < 0) {
        return EADDRINUSE;
      }
      unlink(path);
      close(fd);
    }
  }
  return EADDRINUSE;
}

void nic_release_port(const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/port-%s", folder(), name);
  unlink(path);
}

/* ---- the thread ---- */

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
