/*
 * Functions that programs are linked with, and that this device does not implement. Programs such as perftest are linked with drivers such
 * as mlx5, which need functions of libibverbs because they register when they are loaded. Drivers find no devices of their own, so most of
 * these functions are not called.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdlib.h>

bool verbs_allow_disassociate_destroy;

void verbs_register_driver_34(const void *driver) { (void)driver; }

/* Called by a driver for a device of another driver: libfabric asks EFA's driver about each device. */
void __verbs_log(void *context, uint32_t level, const char *format, ...) {
  (void)context;
  (void)level;
  (void)format;
}

#define UNCALLED(name) void name(void); void name(void) { abort(); }
UNCALLED(_verbs_init_and_alloc_context) UNCALLED(execute_ioctl) UNCALLED(ibv_cmd_advise_mr)
UNCALLED(ibv_cmd_alloc_dm) UNCALLED(ibv_cmd_alloc_mw) UNCALLED(ibv_cmd_alloc_pd) UNCALLED(ibv_cmd_attach_mcast)
UNCALLED(ibv_cmd_close_xrcd) UNCALLED(ibv_cmd_create_ah) UNCALLED(ibv_cmd_create_counters) UNCALLED(ibv_cmd_create_cq_ex)
UNCALLED(ibv_cmd_create_flow) UNCALLED(ibv_cmd_create_flow_action_esp) UNCALLED(ibv_cmd_create_qp_ex) UNCALLED(ibv_cmd_create_qp_ex2)
UNCALLED(ibv_cmd_create_rwq_ind_table) UNCALLED(ibv_cmd_create_srq) UNCALLED(ibv_cmd_create_srq_ex) UNCALLED(ibv_cmd_create_wq)
UNCALLED(ibv_cmd_dealloc_mw) UNCALLED(ibv_cmd_dealloc_pd) UNCALLED(ibv_cmd_dereg_mr) UNCALLED(ibv_cmd_destroy_ah)
UNCALLED(ibv_cmd_destroy_counters) UNCALLED(ibv_cmd_destroy_cq) UNCALLED(ibv_cmd_destroy_flow) UNCALLED(ibv_cmd_destroy_flow_action)
UNCALLED(ibv_cmd_destroy_qp) UNCALLED(ibv_cmd_destroy_rwq_ind_table) UNCALLED(ibv_cmd_destroy_srq) UNCALLED(ibv_cmd_destroy_wq)
UNCALLED(ibv_cmd_detach_mcast) UNCALLED(ibv_cmd_free_dm) UNCALLED(ibv_cmd_get_context) UNCALLED(ibv_cmd_modify_cq)
UNCALLED(ibv_cmd_modify_flow_action_esp) UNCALLED(ibv_cmd_modify_qp) UNCALLED(ibv_cmd_modify_qp_ex) UNCALLED(ibv_cmd_modify_srq)
UNCALLED(ibv_cmd_modify_wq) UNCALLED(ibv_cmd_open_qp) UNCALLED(ibv_cmd_open_xrcd) UNCALLED(ibv_cmd_query_context)
UNCALLED(ibv_cmd_query_device_any) UNCALLED(ibv_cmd_query_mr) UNCALLED(ibv_cmd_query_port) UNCALLED(ibv_cmd_query_qp)
UNCALLED(ibv_cmd_query_srq) UNCALLED(ibv_cmd_read_counters) UNCALLED(ibv_cmd_reg_dm_mr) UNCALLED(ibv_cmd_reg_dmabuf_mr)
UNCALLED(ibv_cmd_reg_mr) UNCALLED(ibv_cmd_rereg_mr) UNCALLED(ibv_cmd_resize_cq) UNCALLED(verbs_init_cq) UNCALLED(verbs_open_device)
UNCALLED(verbs_set_ops) UNCALLED(verbs_uninit_context)

/* Functions for datagrams, multicast and extended posts, which no queue pair of this device supports. */
struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp) {
  (void)qp;
  return NULL;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *domain, struct ibv_ah_attr *attributes) {
  (void)domain;
  (void)attributes;
  errno = EOPNOTSUPP;
  return NULL;
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *domain, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port) {
  (void)wc;
  (void)grh;
  (void)port;
  return ibv_create_ah(domain, NULL);
}

int ibv_destroy_ah(struct ibv_ah *handle) {
  (void)handle;
  return EOPNOTSUPP;
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) {
  (void)qp;
  (void)gid;
  (void)lid;
  return EOPNOTSUPP;
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) { return ibv_attach_mcast(qp, gid, lid); }

int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attributes, uint8_t mac[6], uint16_t *vlan) {
  (void)context;
  (void)attributes;
  (void)mac;
  (void)vlan;
  return EOPNOTSUPP;
}

/* No page is pinned, so a child may share all pages; ibv_fork_init(3). */
int ibv_dontfork_range(void *base, size_t size) {
  (void)base;
  (void)size;
  return 0;
}

int ibv_dofork_range(void *base, size_t size) { return ibv_dontfork_range(base, size); }

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *domain, uint64_t offset, size_t length, uint64_t iova, int fd, int access) {
  (void)domain;
  (void)offset;
  (void)length;
  (void)iova;
  (void)fd;
  (void)access;
  errno = EOPNOTSUPP;
  return NULL;
}
