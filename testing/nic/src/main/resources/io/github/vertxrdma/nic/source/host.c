/* Processes of a host: their addresses, and the files that they share in a private folder. */
#define _GNU_SOURCE
#include "nic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether an interface is a bridge of virtual networks. Adapters do not have its addresses, which change with containers. */
static bool is_bridge(const char *name) {
  char path[IF_NAMESIZE + 32];
  snprintf(path, sizeof path, "/sys/class/net/%s/bridge", name);
  return access(path, F_OK) == 0;
}

/* Writes the addresses of this host that other hosts could reach, as struct sockaddr_in or sockaddr_in6 without a port. */
int nic_addresses(struct sockaddr_storage *into, unsigned int *interfaces, int most) {
  struct ifaddrs *list;
  int count = 0;
  if (getifaddrs(&list) != 0) {
    return 0;
  }
  for (struct ifaddrs *entry = list; entry && count < most; entry = entry->ifa_next) {
    if (!entry->ifa_addr || !(entry->ifa_flags & IFF_UP) || (entry->ifa_flags & IFF_LOOPBACK) || is_bridge(entry->ifa_name)) {
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

const char *nic_folder(void) {
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

/* Locks the file of a process number. Returns -1 if a living process has the number. */
static int lock_process(uint32_t number) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/process-%u", nic_folder(), number);
  int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* Maps the page of a process, which other processes write to. Returns NULL if no process had this number. */
static struct nic_page *map_page(int fd) {
  struct stat is;
  if (fd < 0 || fstat(fd, &is) != 0 || is.st_size < (off_t)sizeof(struct nic_page)) {
    return NULL;
  }
  void *page = mmap(NULL, sizeof(struct nic_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return page == MAP_FAILED ? NULL : page;
}

struct nic_page *nic_page_of(uint32_t process) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/process-%u", nic_folder(), process);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  struct nic_page *page = map_page(fd);
  close(fd);
  return page;
}

/* Removes the port names of an ended process that had this number. */
static void forget_ports(uint32_t number) {
  DIR *all = opendir(nic_folder());
  for (struct dirent *entry; all && (entry = readdir(all));) {
    if (strncmp(entry->d_name, "port-", 5) == 0 && nic_owner_of_port(entry->d_name + 5) == number) {
      nic_release_port(entry->d_name + 5);
    }
  }
  if (all) {
    closedir(all);
  }
}

static struct in6_addr six(const struct sockaddr *address) {
  struct in6_addr mapped = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
  if (address->sa_family != AF_INET) {
    return ((const struct sockaddr_in6 *)address)->sin6_addr;
  }
  memcpy(&mapped.s6_addr[12], &((const struct sockaddr_in *)address)->sin_addr, 4);
  return mapped;
}

static void describe(struct nic_page *page) {
  struct sockaddr_storage all[NIC_ADDRESSES];
  unsigned int interfaces[NIC_ADDRESSES];
  struct stat is;
  page->network = stat("/proc/self/ns/net", &is) == 0 ? is.st_ino : 0;
  page->count = nic_addresses(all, interfaces, NIC_ADDRESSES);
  for (uint32_t i = 0; i < page->count; i++) {
    page->addresses[i] = six((struct sockaddr *)&all[i]);
  }
}

static bool has_address(const struct nic_page *page, const struct in6_addr *address) {
  for (uint32_t i = 0; i < page->count && i < NIC_ADDRESSES; i++) {
    if (memcmp(&page->addresses[i], address, sizeof *address) == 0) {
      return true;
    }
  }
  return false;
}

static bool lives(uint32_t number) {
  int fd = lock_process(number);
  if (fd >= 0) {
    close(fd);
  }
  return fd < 0;
}

/*
 * Returns the network namespace of an address: this process's own, or that of another living process. If neither has the address, returns
 * its own.
 */
uint32_t nic_network_of(const struct sockaddr *address) {
  struct in6_addr wanted = six(address);
  struct nic_page own, *page;
  describe(&own);
  uint32_t found = own.network;
  bool local = has_address(&own, &wanted);
  for (uint32_t n = 1; !local && (page = nic_page_of(n)); n++) {
    if (has_address(page, &wanted) && lives(n)) {
      found = page->network;
    }
    munmap(page, sizeof *page);
  }
  return found;
}

uint32_t nic_number;

/* Returns the number of this process. No other living process has it. */
uint32_t nic_process(void) {
  static const uint32_t most = 1u << (24 - NIC_QP_BITS);
  while (!nic_number) {
    for (uint32_t n = 1; n < most && !nic_number; n++) {
      int fd = lock_process(n);
      if (fd >= 0) {
        if (ftruncate(fd, sizeof(struct nic_page)) != 0 || !(nic_page = map_page(fd))) {
          fprintf(stderr, "nic: %s has no room for a page: %s\n", nic_folder(), strerror(errno));
          abort();
        }
        /*
         * Cleared in place, not truncated: processes that have not noticed the end of the number's former process still write to the page.
         */
        memset(nic_page, 0, sizeof *nic_page);
        describe(nic_page);
        forget_ports(n);
        nic_number = n;
      }
    }
  }
  return nic_number;
}

/* Claims a name that only one process of the host can have. Returns EADDRINUSE if a living process has it. */
int nic_claim_port(const char *name) {
  char path[PATH_MAX], owner[16], text[16];
  snprintf(path, sizeof path, "%s/port-%s", nic_folder(), name);
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

/* Returns the process that has a name, even if it has ended; 0 if there is none. */
uint32_t nic_owner_of_port(const char *name) {
  char path[PATH_MAX], owner[16];
  snprintf(path, sizeof path, "%s/port-%s", nic_folder(), name);
  ssize_t n = readlink(path, owner, sizeof owner - 1);
  owner[n > 0 ? n : 0] = 0;
  return strtoul(owner, NULL, 10);
}

void nic_release_port(const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/port-%s", nic_folder(), name);
  unlink(path);
}
