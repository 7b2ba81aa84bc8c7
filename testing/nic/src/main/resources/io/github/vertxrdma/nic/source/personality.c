/* Devices and their personalities, which are text files in the library's folder. */
#define _GNU_SOURCE
#include "nic.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nic_device *nic_devices;
uint32_t nic_changes = 1;

/* Writes the path of a personality's file in the library's folder. */
static void beside(const char *name, char *into, size_t size) {
  Dl_info info;
  const char *file = dladdr((void *)nic_find_devices, &info) && info.dli_fname ? info.dli_fname : "";
  const char *slash = strrchr(file, '/');
  snprintf(into, size, "%.*s%s.nic", slash ? (int)(slash + 1 - file) : 0, file, name);
}

/* Returns the index of a word in a list that ends with NULL; -1 if it is not listed. */
static int place_of(const char *word, const char *const *words) {
  int place = 0;
  while (words[place] && strcmp(word, words[place]) != 0) {
    place++;
  }
  return words[place] ? place : -1;
}

static bool set(struct nic_personality *is, const char *key, const char *value) {
  static const struct {
    const char *name;
    size_t offset;
  } numbers[] = {
#define NUMBER(name, field) {name, offsetof(struct nic_personality, field)}
    NUMBER("queue-pairs", max_qp), NUMBER("work-requests", max_qp_wr), NUMBER("elements", max_sge), NUMBER("completions", max_cqe),
    NUMBER("regions", max_mr), NUMBER("reads", max_reads), NUMBER("shared-receive-queues", max_srq), NUMBER("shared-receives", max_srq_wr),
    NUMBER("inline", max_inline), NUMBER("vendor", vendor), NUMBER("part", part), NUMBER("message", max_message), NUMBER("hurry", hurry),
    NUMBER("least-receive", min_receive_sge), NUMBER("ports", ports), NUMBER("ports-down", down), NUMBER("address-port", address_port),
    NUMBER("lid", lid), NUMBER("speed", speed), NUMBER("vectors", vectors),
    NUMBER("enhancements", enhancements),
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
    int place = place_of(value, (const char *const[]){"roce", "iwarp", "efa", "ib", NULL});
    is->transport = place;
    return place >= 0;
  } else if (strcmp(key, "atomics") == 0) {
    int place = place_of(value, (const char *const[]){"no", "yes", "global", "big-endian", NULL});
    is->atomics = place;
    return place >= 0;
  } else if (strcmp(key, "work") == 0) {
    is->work_in_thread = strcmp(value, "thread") == 0;
  } else if (strcmp(key, "destroy") == 0) {
    is->receives_vanish = strcmp(value, "drops-completions") == 0;
  } else if (strcmp(key, "last-receive") == 0) {
    is->last_receive_untold = strcmp(value, "untold") == 0;
  } else if (strcmp(key, "change-access") == 0) {
    is->rereg = yes;
  } else if (strcmp(key, "addresses") == 0) {
    int place = place_of(value, (const char *const[]){"all", "none", "ipv4", "ipv6", "link-local", NULL});
    is->addresses = place;
    return place >= 0;
  } else if (strcmp(key, "grh") == 0) {
    is->grh_required = strcmp(value, "required") == 0;
  } else if (strcmp(key, "gids") == 0) {
    is->mixed_gids = strcmp(value, "mixed") == 0;
  } else if (strcmp(key, "thread-domains") == 0) {
    is->thread_domains = yes;
  } else if (strcmp(key, "resize") == 0) {
    is->unresizable = !yes;
  } else if (strcmp(key, "empty-gathers") == 0) {
    is->takes_element_0 = strcmp(value, "read-element-0") == 0;
    is->needs_element = strcmp(value, "need-element-0") == 0;
  } else if (strcmp(key, "prefix") == 0) {
    is->prefix = strtoull(value, NULL, 0);
  } else if (strcmp(key, "partitions") == 0) {
    memset(is->pkeys, 0, sizeof is->pkeys);
    for (int i = 0; i < NIC_PKEYS && *value; i++) {
      char *end;
      is->pkeys[i] = strtoul(value, &end, 0);
      value = end + (*end == ',');
    }
  } else if (strcmp(key, "mtu") == 0) {
    for (is->mtu = IBV_MTU_256; is->mtu < IBV_MTU_4096 && 128 << is->mtu < number; is->mtu++) {
    }
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

static bool read_anew(const char *name, struct nic_personality *is) {
  *is = (struct nic_personality){.hurry = 1, .ports = 1, .address_port = 1, .speed = 100, .vectors = 1, .pkeys = {0xffff}};
  return read_personality(name, is);
}

static struct nic_device *all[64];
static int count;

/* Returns a device that was created before, even if VERTX_RDMA_NIC does not name it now. */
struct nic_device *nic_named(const char *name) {
  for (int i = 0; i < count; i++) {
    if (strcmp(all[i]->ibv.name, name) == 0) {
      return all[i];
    }
  }
  return NULL;
}

/* Changes a property of a device. Without a key, restores its personality. Returns false for an unknown key or value. */
bool nic_set(struct nic_device *device, const char *key, const char *value) {
  nic_changes++;
  return key ? set(&device->is, key, value) : read_anew(device->ibv.name, &device->is);
}

/* Finds the devices that VERTX_RDMA_NIC names, by default one. Each is created once and stays, since contexts refer to it. */
void nic_find_devices(void) {
  const char *wanted = getenv("VERTX_RDMA_NIC");
  char names[1024], *rest, *name;
  snprintf(names, sizeof names, "%s", wanted && *wanted ? wanted : "nic");
  struct nic_device **last = &nic_devices;
  *last = NULL;
  for (name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    struct nic_device *device = nic_named(name);
    if (!device && count < 64) {
      struct nic_personality is;
      if (!read_anew(name, &is)) {
        continue;
      }
      device = calloc(1, sizeof *device);
      device->is = is;
      device->port_state = IBV_PORT_ACTIVE;
      /* Types in the order of the transports. */
      static const enum ibv_node_type nodes[] = {IBV_NODE_CA, IBV_NODE_RNIC, IBV_NODE_UNSPECIFIED, IBV_NODE_CA};
      static const enum ibv_transport_type transports[] = {IBV_TRANSPORT_IB, IBV_TRANSPORT_IWARP, IBV_TRANSPORT_UNSPECIFIED, IBV_TRANSPORT_IB};
      device->ibv.node_type = nodes[is.transport];
      device->ibv.transport_type = transports[is.transport];
      snprintf(device->ibv.name, sizeof device->ibv.name, "%s", name);
      snprintf(device->ibv.dev_name, sizeof device->ibv.dev_name, "%s", name);
      all[count++] = device;
    }
    if (device) {
      const char *sysfs = getenv("VERTX_RDMA_NIC_SYSFS");
      char path[sizeof device->ibv.ibdev_path] = "";
      snprintf(path, sizeof path, "%s/class/infiniband/%s", sysfs && *sysfs ? sysfs : "/sys", name);
      /* Another thread may be reading the path, which snprintf would empty first. */
      if (strcmp(device->ibv.ibdev_path, path) != 0) {
        memcpy(device->ibv.ibdev_path, path, sizeof path);
      }
      *last = device;
      last = &device->next;
      *last = NULL;
    }
  }
}
