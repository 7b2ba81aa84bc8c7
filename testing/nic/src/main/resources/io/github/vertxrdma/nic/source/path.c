/* Paths between queue pairs: which paths a port accepts, and whether packets reach their target. */
#include "nic.h"

#include <errno.h>
#include <string.h>

/* Refuses address vectors as ib_modify_qp of Linux does: rdma_check_ah_attr, rdma_fill_sgid_attr. */
int nic_check_path(const struct nic_qp *qp, const struct ibv_qp_attr *attr) {
  const struct ibv_ah_attr *path = &attr->ah_attr;
  const struct nic_device *device = qp->device;
  struct ibv_gid_entry gids[NIC_GIDS];
  if (nic_is_iwarp(device)) {
    return 0;
  }
  if (path->port_num != qp->attr.port_num || (!path->is_global && (device->is.transport != NIC_IB || device->is.grh_required))) {
    return EINVAL;
  }
  if (!path->is_global) {
    return path->dlid ? 0 : EINVAL;
  }
  static const union ibv_gid empty;
  int index = path->grh.sgid_index, count = nic_gids(device, path->port_num, gids);
  /* An entry of another network namespace, whose interface has the index 0, cannot be used. */
  bool used = index < count && memcmp(&gids[index].gid, &empty, sizeof empty) != 0;
  return used && (device->is.transport == NIC_IB || gids[index].ndev_ifindex) ? 0 : EINVAL;
}

static uint16_t pkey(const struct nic_qp *qp) { return qp->device->is.pkeys[qp->attr.pkey_index]; }

/* Returns whether the target's port accepts packets with this destination, and this version of RoCE. */
static bool is_at(const struct nic_qp *qp, const struct nic_qp *target) {
  struct ibv_gid_entry own[NIC_GIDS], theirs[NIC_GIDS];
  const struct ibv_ah_attr *path = &qp->attr.ah_attr;
  int count = nic_gids(target->device, target->attr.port_num, theirs);
  int known = nic_gids(qp->device, qp->attr.port_num, own);
  for (int i = 0; i < count && path->grh.sgid_index < known; i++) {
    if (memcmp(&theirs[i].gid, &path->grh.dgid, sizeof path->grh.dgid) == 0 && theirs[i].gid_type == own[path->grh.sgid_index].gid_type) {
      return true;
    }
  }
  return false;
}

static bool arrives(const struct nic_qp *qp, const struct nic_qp *target) {
  const struct nic_personality *from = &qp->device->is, *to = &target->device->is;
  const struct ibv_ah_attr *path = &qp->attr.ah_attr;
  if (from->transport != to->transport) {
    return false;
  }
  /* The partitions must be equal, and at least one of the two must be a full member; IBA 10.9.3. */
  uint16_t own = pkey(qp), other = pkey(target);
  if ((own & 0x7fff) != (other & 0x7fff) || !((own | other) & 0x8000)) {
    return false;
  }
  if (to->transport == NIC_IB) {
    /* Packets are routed by the LID within a subnet, and by the GRH to other subnets; IBA 8.3. */
    bool local = from->prefix == to->prefix;
    if ((local && path->dlid != nic_lid(target->device, target->attr.port_num)) || (!path->is_global && (!local || to->grh_required))) {
      return false;
    }
  }
  return !path->is_global || is_at(qp, target);
}

/* Returns whether packets of a queue pair reach another one of this process. Packets between processes always do. */
bool nic_finds(struct nic_qp *qp, const struct nic_qp *target) {
  if (qp->arrives_at == nic_changes || nic_is_iwarp(qp->device)) {
    return true;
  }
  bool finds = arrives(qp, target);
  qp->arrives_at = finds ? nic_changes : 0;
  return finds;
}
