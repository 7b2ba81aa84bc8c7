/* Resolves names of hosts and services to addresses; rdma_getaddrinfo(3). */
#include "cm.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

static struct sockaddr *copy_of(const struct sockaddr *address, socklen_t size) {
  struct sockaddr *copy = address ? malloc(size) : NULL;
  return copy ? memcpy(copy, address, size) : NULL;
}

int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints, struct rdma_addrinfo **into) {
  bool passive = hints && (hints->ai_flags & RAI_PASSIVE);
  struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_family = hints ? hints->ai_family : 0, .ai_flags = passive ? AI_PASSIVE : 0};
  struct addrinfo *found = NULL;
  if (hints && (hints->ai_flags & RAI_NUMERICHOST)) {
    wanted.ai_flags |= AI_NUMERICHOST;
  }
  int error = node || service ? getaddrinfo(node, service, &wanted, &found) : 0;
  if (error) {
    return error;
  }
  struct rdma_addrinfo *made = calloc(1, sizeof *made);
  made->ai_flags = hints ? hints->ai_flags : 0;
  made->ai_qp_type = IBV_QPT_RC;
  made->ai_port_space = RDMA_PS_TCP;
  made->ai_family = found ? found->ai_family : hints ? hints->ai_family : AF_INET;
  struct sockaddr **address = passive ? &made->ai_src_addr : &made->ai_dst_addr;
  socklen_t *length = passive ? &made->ai_src_len : &made->ai_dst_len;
  if (found) {
    *address = copy_of(found->ai_addr, found->ai_addrlen);
    *length = found->ai_addrlen;
    freeaddrinfo(found);
  } else if (hints && hints->ai_dst_addr) {
    made->ai_dst_addr = copy_of(hints->ai_dst_addr, hints->ai_dst_len);
    made->ai_dst_len = hints->ai_dst_len;
  }
  if (!made->ai_src_addr && hints && hints->ai_src_addr) {
    made->ai_src_addr = copy_of(hints->ai_src_addr, hints->ai_src_len);
    made->ai_src_len = hints->ai_src_len;
  }
  *into = made;
  return 0;
}

void rdma_freeaddrinfo(struct rdma_addrinfo *made) {
  free(made->ai_src_addr);
  free(made->ai_dst_addr);
  free(made);
}

/* This library has no sockets of rsocket(7), so all polled ones are fds. */
int rpoll(struct pollfd *fds, nfds_t count, int timeout);
int rpoll(struct pollfd *fds, nfds_t count, int timeout) { return poll(fds, count, timeout); }
