/* Addresses of ids: their hosts and devices, and the processes that own their ports. */
#define _GNU_SOURCE
#include "cm.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool cm_is_any(const struct sockaddr *address) {
  static const struct in6_addr any = IN6ADDR_ANY_INIT;
  return address->sa_family == AF_INET ? ((struct sockaddr_in *)address)->sin_addr.s_addr == 0
                                       : memcmp(&((struct sockaddr_in6 *)address)->sin6_addr, &any, sizeof any) == 0;
}

bool cm_same_host(const struct sockaddr *a, const struct sockaddr *b) {
  return a->sa_family == b->sa_family &&
    (a->sa_family == AF_INET ? ((struct sockaddr_in *)a)->sin_addr.s_addr == ((struct sockaddr_in *)b)->sin_addr.s_addr
                             : memcmp(&((struct sockaddr_in6 *)a)->sin6_addr, &((struct sockaddr_in6 *)b)->sin6_addr, 16) == 0);
}

/* sin_port and sin6_port are at the same place. */
__be16 *cm_port(struct sockaddr *address) { return &((struct sockaddr_in *)address)->sin_port; }

static size_t size_of(const struct sockaddr *address) {
  return address->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

static bool is_local(const struct sockaddr *address) {
  struct sockaddr_storage all[NIC_ADDRESSES];
  unsigned int interfaces[NIC_ADDRESSES];
  int count = nic_addresses(all, interfaces, NIC_ADDRESSES);
  for (int i = 0; i < count; i++) {
    if (cm_same_host(address, (struct sockaddr *)&all[i])) {
      return true;
    }
  }
  return false;
}

static bool first_local(int family, struct sockaddr *into) {
  struct sockaddr_storage all[NIC_ADDRESSES];
  unsigned int interfaces[NIC_ADDRESSES];
  int count = nic_addresses(all, interfaces, NIC_ADDRESSES);
  for (int i = 0; i < count; i++) {
    if (all[i].ss_family == family) {
      memcpy(into, &all[i], size_of((struct sockaddr *)&all[i]));
      return true;
    }
  }
  return false;
}

static void open_device(struct nic_device *device) {
  if (!device->cm_context) {
    device->cm_context = nic_open(device, false);
    device->cm_domain = ibv_alloc_pd(device->cm_context);
  }
}

void cm_use_device(struct cm_id *id, struct nic_device *device) {
  open_device(device);
  id->device = device;
  id->ibv.verbs = device->cm_context;
  id->ibv.pd = device->cm_domain;
  id->ibv.port_num = device->is.address_port;
}

/* Returns the devices of the connection manager. Each stays open until rdma_free_devices(3). */
struct ibv_context **rdma_get_devices(int *count) {
  nic_lock();
  nic_find_devices();
  int found = 0;
  for (struct nic_device *device = nic_devices; device; device = device->next) {
    found += !device->failed;
  }
  struct ibv_context **list = calloc(found + 1, sizeof *list);
  found = 0;
  for (struct nic_device *device = nic_devices; list && device; device = device->next) {
    if (!device->failed) {
      open_device(device);
      list[found++] = device->cm_context;
    }
  }
  nic_unlock();
  if (count) {
    *count = found;
  }
  return list;
}

void rdma_free_devices(struct ibv_context **list) { free(list); }

/* Writes the name of an address and port in a network namespace, which is the same in all processes. */
static void name_port(uint32_t network, const struct sockaddr *address, char *name) {
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
  bool four = address->sa_family == AF_INET;
  const uint8_t *bytes = four ? (uint8_t *)&((struct sockaddr_in *)address)->sin_addr : (uint8_t *)&six->sin6_addr;
  int at = snprintf(name, CM_PORT_NAME, "%u-", network);
  for (int i = 0; i < (four ? 4 : 16); i++) {
    at += snprintf(name + at, CM_PORT_NAME - at, "%02x", bytes[i]);
  }
  snprintf(name + at, CM_PORT_NAME - at, "-%u", ntohs(*cm_port((struct sockaddr *)address)));
}

/* Returns the process that owns a port, at this address or at the wildcard address; 0 for none. */
uint32_t cm_owner(const struct sockaddr *address) {
  char name[CM_PORT_NAME];
  struct sockaddr_storage any = {.ss_family = address->sa_family};
  uint32_t network = nic_network_of(address);
  name_port(network, address, name);
  uint32_t owner = nic_owner_of_port(name);
  if (!owner) {
    *cm_port((struct sockaddr *)&any) = *cm_port((struct sockaddr *)address);
    name_port(network, (struct sockaddr *)&any, name);
    owner = nic_owner_of_port(name);
  }
  return owner;
}

/* Claims the id's port. Port 0 stands for a free port of the dynamic range (RFC 6335). */
static int claim(struct cm_id *id) {
  bool chosen = *cm_port(&id->ibv.route.addr.src_addr) == 0;
  static unsigned int next;
  int error = EADDRINUSE;
  if (next == 0) {
    next = nic_process() * 131;
  }
  for (int tries = 0; tries < (chosen ? 16384 : 1) && error; tries++) {
    if (chosen) {
      *cm_port(&id->ibv.route.addr.src_addr) = htons(49152 + next++ % 16384);
    }
    name_port(nic_network_of(&id->ibv.route.addr.src_addr), &id->ibv.route.addr.src_addr, id->port_name);
    error = nic_claim_port(id->port_name);
  }
  id->claimed = !error;
  return error;
}

static int bind_to(struct cm_id *id, const struct sockaddr *address) {
  if (address->sa_family != AF_INET && address->sa_family != AF_INET6) {
    return EAFNOSUPPORT;
  }
  if (!cm_is_any(address) && !is_local(address)) {
    return EADDRNOTAVAIL;
  }
  memcpy(&id->ibv.route.addr.src_storage, address, size_of(address));
  int error = claim(id);
  if (error) {
    return error;
  }
  if (!cm_is_any(address)) {
    nic_find_devices();
    struct nic_device *device = nic_devices;
    while (device && !nic_has_address(device, address)) {
      device = device->next;
    }
    if (!device) {
      return ENODEV;
    }
    cm_use_device(id, device);
  }
  id->state = BOUND;
  return 0;
}

int rdma_bind_addr(struct rdma_cm_id *ibv, struct sockaddr *address) {
  struct cm_id *id = (struct cm_id *)ibv;
  nic_lock();
  int error = id->state != IDLE ? EINVAL : bind_to(id, address);
  nic_unlock();
  return cm_fail(error);
}

int rdma_listen(struct rdma_cm_id *ibv, int backlog) {
  struct cm_id *id = (struct cm_id *)ibv;
  nic_lock();
  int error = id->state == BOUND ? 0 : EINVAL;
  if (!error) {
    /* Backlogs above the kernel's limit, and 0, get this limit: net.rdma_ucm.max_backlog. */
    id->backlog = backlog > 0 && backlog < 1024 ? backlog : 1024;
    id->state = LISTENING;
  }
  nic_unlock();
  return cm_fail(error);
}

static bool has_route(const struct sockaddr *source, const struct sockaddr *destination) {
  struct sockaddr_storage from = {0};
  memcpy(&from, source, size_of(source));
  *cm_port((struct sockaddr *)&from) = 0;
  int fd = socket(destination->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  bool has = fd >= 0 && bind(fd, (struct sockaddr *)&from, size_of(source)) == 0 && connect(fd, destination, size_of(destination)) == 0;
  close(fd);
  return has;
}

/* Returns whether an address belongs to this host, or to another network namespace to which a route leads. */
static bool is_reachable(const struct sockaddr *source, const struct sockaddr *destination) {
  return is_local(destination) || (nic_network_of(destination) != nic_network_of(source) && has_route(source, destination));
}

int rdma_resolve_addr(struct rdma_cm_id *ibv, struct sockaddr *source, struct sockaddr *destination, int timeout) {
  struct cm_id *id = (struct cm_id *)ibv;
  struct sockaddr_storage chosen = {0};
  (void)timeout;
  nic_lock();
  int error = !destination || (id->state != IDLE && id->state != BOUND) ? EINVAL : 0;
  if (!error && id->state == IDLE) {
    if (!source && first_local(destination->sa_family, (struct sockaddr *)&chosen)) {
      source = (struct sockaddr *)&chosen;
    }
    error = source ? bind_to(id, source) : ENETUNREACH;
  }
  if (!error) {
    memcpy(&ibv->route.addr.dst_storage, destination, size_of(destination));
    if (cm_fails(id, RDMA_CM_EVENT_ADDR_RESOLVED)) {
      id->state = BOUND;
    } else if (id->device && is_reachable(&ibv->route.addr.src_addr, destination)) {
      id->state = RESOLVED;
      cm_tell(id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
    } else {
      cm_tell(id, RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
    }
  }
  nic_unlock();
  return cm_wait(id, error);
}

int rdma_resolve_route(struct rdma_cm_id *ibv, int timeout) {
  struct cm_id *id = (struct cm_id *)ibv;
  (void)timeout;
  nic_lock();
  int error = id->state == RESOLVED ? 0 : EINVAL;
  if (!error && !cm_fails(id, RDMA_CM_EVENT_ROUTE_RESOLVED)) {
    id->state = ROUTED;
    cm_tell(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
  }
  nic_unlock();
  return cm_wait(id, error);
}

__be16 rdma_get_src_port(struct rdma_cm_id *id) { return *cm_port(&id->route.addr.src_addr); }

__be16 rdma_get_dst_port(struct rdma_cm_id *id) { return *cm_port(&id->route.addr.dst_addr); }
