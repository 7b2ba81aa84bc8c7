/* Protection domains, memory regions with their keys, and copies between lists of memory ranges. */
#include "nic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
  if (nic_is_dead(context)) {
    return NULL;
  }
  struct nic_pd *pd = calloc(1, sizeof *pd);
  pd->ibv.context = context;
  return &pd->ibv;
}

/* The field handle counts the domain's objects: ibv_dealloc_pd(3) fails with EBUSY while there are any. */
int ibv_dealloc_pd(struct ibv_pd *pd) {
  struct nic_pd *parent = (struct nic_pd *)pd;
  nic_lock();
  bool busy = pd->handle != 0;
  if (!busy && parent->of) {
    parent->of->ibv.handle--;
    parent->td->users--;
  }
  nic_unlock();
  if (busy) {
    return EBUSY;
  }
  free(pd);
  return 0;
}

struct ibv_td *nic_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr) {
  struct nic_device *device = nic_device(context);
  if (nic_is_dead(context)) {
    return NULL;
  }
  if (!device->is.thread_domains || attr->comp_mask) {
    errno = device->is.thread_domains ? EINVAL : EOPNOTSUPP;
    return NULL;
  }
  struct nic_td *td = calloc(1, sizeof *td);
  td->ibv.context = context;
  static int last;
  nic_lock();
  device->tds++;
  td->number = ++last;
  nic_unlock();
  return &td->ibv;
}

int nic_dealloc_td(struct ibv_td *ibv) {
  struct nic_td *td = (struct nic_td *)ibv;
  nic_lock();
  bool busy = td->users != 0;
  nic_device(ibv->context)->tds -= !busy;
  nic_unlock();
  if (busy) {
    return EBUSY;
  }
  free(td);
  return 0;
}

/* Requires a thread domain, which ibv_alloc_parent_domain(3) leaves optional. */
struct ibv_pd *nic_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr) {
  if (!nic_device(context)->is.thread_domains || !attr->pd || !attr->td || attr->comp_mask) {
    errno = nic_device(context)->is.thread_domains ? EINVAL : EOPNOTSUPP;
    return NULL;
  }
  struct nic_pd *parent = calloc(1, sizeof *parent);
  parent->ibv.context = context;
  parent->of = nic_pd(attr->pd);
  parent->td = (struct nic_td *)attr->td;
  nic_lock();
  parent->of->ibv.handle++;
  parent->td->users++;
  nic_unlock();
  return &parent->ibv;
}

/*
 * Ends the process if two threads use queue pairs of one thread domain at the same time, which is forbidden. Returns the thread domain for
 * nic_exit, or NULL.
 */
struct nic_td *nic_enter(struct ibv_qp *qp) {
  struct nic_td *td = ((struct nic_pd *)qp->pd)->td;
  if (td && __atomic_exchange_n(&td->busy, true, __ATOMIC_ACQUIRE)) {
    fprintf(stderr, "nic: two threads post to queue pairs of one thread domain at once\n");
    abort();
  }
  return td;
}

void nic_exit(struct nic_td *td) {
  if (td) {
    __atomic_store_n(&td->busy, false, __ATOMIC_RELEASE);
  }
}

static struct nic_mr **mrs;
static uint8_t *generations;
static uint32_t mr_room, mr_next;

static struct nic_mr *find_mr(uint32_t key) {
  uint32_t index = key >> NIC_KEY_BITS;
  return index < mr_room && mrs[index] && mrs[index]->ibv.lkey == key ? mrs[index] : NULL;
}

/* Assigns a key: an index with a generation, so that a revoked key is not reused soon. */
static bool assign_key(struct nic_mr *mr) {
  for (uint32_t tries = 0; tries < mr_room; tries++) {
    uint32_t index = mr_next++ % mr_room;
    if (!mrs[index]) {
      mrs[index] = mr;
      mr->ibv.lkey = mr->ibv.rkey = index << NIC_KEY_BITS | ++generations[index];
      return true;
    }
  }
  uint32_t room = mr_room ? 2 * mr_room : 1024;
  if (room > 1u << (32 - NIC_KEY_BITS)) {
    return false;
  }
  mrs = realloc(mrs, room * sizeof *mrs);
  generations = realloc(generations, room);
  memset(mrs + mr_room, 0, (room - mr_room) * sizeof *mrs);
  memset(generations + mr_room, 0, room - mr_room);
  mr_next = mr_room ? mr_room : 1;
  mr_room = room;
  return assign_key(mr);
}

/* Checks whether the pages could be pinned: all are mapped, and writable if the device has to write. Returns an errno, or 0. */
static int pinnable(char *address, size_t length, unsigned int access) {
  enum { PAGE = 4096, STEP = 65536 };
  unsigned char resident[STEP];
  char *first = (char *)((uintptr_t)address & ~(uintptr_t)(PAGE - 1));
  char *end = (char *)(((uintptr_t)address + length + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
  for (char *at = first; at < end; at += (size_t)STEP * PAGE) {
    size_t bytes = (size_t)(end - at) < (size_t)STEP * PAGE ? (size_t)(end - at) : (size_t)STEP * PAGE;
    if (mincore(at, bytes, resident) != 0) {
      return EFAULT;
    }
  }
#ifdef MADV_POPULATE_WRITE
  int advice = access & (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
  if ((madvise(first, PAGE, advice) != 0 || madvise(end - PAGE, PAGE, advice) != 0) && errno != EINVAL) {
    return EFAULT;
  }
#endif
  return 0;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned int access) {
  struct nic_device *device = nic_device(pd->context);
  nic_control(NIC_REG_MR);
  if (nic_is_dead(pd->context)) {
    return NULL;
  }
  /* Remote writes and atomics need local write: ibv_reg_mr(3). */
  if ((access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) && !(access & IBV_ACCESS_LOCAL_WRITE)) {
    errno = EINVAL;
    return NULL;
  }
  if ((errno = pinnable(address, length, access)) != 0) {
    return NULL;
  }
  struct nic_mr *mr = calloc(1, sizeof *mr);
  mr->ibv.context = pd->context;
  mr->ibv.pd = pd;
  mr->ibv.addr = address;
  mr->ibv.length = length;
  mr->access = access & 0xff;
  mr->relaxed = access & IBV_ACCESS_RELAXED_ORDERING;
  mr->iova = iova;
  nic_lock();
  bool fits = device->mrs < device->is.max_mr && nic_may_pin(length) && assign_key(mr);
  if (fits) {
    device->mrs++;
    device->relaxed += mr->relaxed;
    device->pinned += length;
    pd->handle++;
  }
  nic_unlock();
  if (!fits) {
    free(mr);
    errno = ENOMEM;
    return NULL;
  }
  return &mr->ibv;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access) {
  return ibv_reg_mr_iova2(pd, address, length, (uintptr_t)address, access);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access) {
  return ibv_reg_mr_iova2(pd, address, length, iova, access);
}

int ibv_rereg_mr(struct ibv_mr *ibv, int flags, struct ibv_pd *pd, void *address, size_t length, int access) {
  struct nic_mr *mr = (struct nic_mr *)ibv;
  (void)address;
  (void)length;
  if (!nic_device(ibv->context)->is.rereg || (flags & IBV_REREG_MR_CHANGE_TRANSLATION)) {
    errno = EOPNOTSUPP;
    return IBV_REREG_MR_ERR_INPUT;
  }
  nic_lock();
  if (flags & IBV_REREG_MR_CHANGE_ACCESS) {
    mr->access = access;
  }
  if (flags & IBV_REREG_MR_CHANGE_PD) {
    ibv->pd->handle--;
    ibv->pd = pd;
    pd->handle++;
  }
  /* The keys change when the region changes, as with mlx5. */
  mrs[ibv->lkey >> NIC_KEY_BITS] = NULL;
  nic_key_ends(ibv->lkey);
  assign_key(mr);
  nic_unlock();
  return 0;
}

int ibv_dereg_mr(struct ibv_mr *ibv) {
  struct nic_mr *mr = (struct nic_mr *)ibv;
  nic_control(NIC_DEREG_MR);
  nic_lock();
  mrs[ibv->lkey >> NIC_KEY_BITS] = NULL;
  nic_key_ends(ibv->lkey);
  nic_device(ibv->context)->mrs--;
  nic_device(ibv->context)->relaxed -= mr->relaxed;
  nic_device(ibv->context)->pinned -= ibv->length;
  ibv->pd->handle--;
  nic_unlock();
  free(mr);
  return 0;
}

/* Turns elements into addresses. Each key must belong to an open region of the same protection domain, with the rights; IBA 10.6.3. */
bool nic_resolve(const struct nic_qp *qp, const struct ibv_sge *sge, int count, unsigned int rights, struct iovec *to) {
  for (int i = 0; i < count; i++) {
    struct nic_mr *mr = find_mr(sge[i].lkey);
    if (!mr || nic_pd(mr->ibv.pd) != nic_pd(qp->ibv.pd) || (mr->access & rights) != rights || sge[i].addr < mr->iova ||
        sge[i].length > mr->ibv.length || sge[i].addr - mr->iova > mr->ibv.length - sge[i].length) {
      return false;
    }
    to[i].iov_base = (char *)mr->ibv.addr + (sge[i].addr - mr->iova);
    to[i].iov_len = sge[i].length;
  }
  return true;
}

/* Copies between two lists of ranges. The target must have room. */
void nic_copy(struct iovec *to, const struct iovec *from, int count) {
  size_t at = 0;
  for (int i = 0; i < count; i++) {
    const char *source = from[i].iov_base;
    size_t left = from[i].iov_len;
    while (left > 0) {
      while (at == to->iov_len) {
        to++;
        at = 0;
      }
      size_t n = left < to->iov_len - at ? left : to->iov_len - at;
      memcpy((char *)to->iov_base + at, source, n);
      at += n;
      source += n;
      left -= n;
    }
  }
}

/* Returns the memory that a peer's key permits, or NULL; IBA 9.7.4.1.5, 10.6.3.4. */
char *nic_remote(const struct nic_qp *target, uint32_t key, uint64_t address, uint64_t length, unsigned int right) {
  struct nic_mr *mr = find_mr(key);
  if (!mr || nic_pd(mr->ibv.pd) != nic_pd(target->ibv.pd) || !(mr->access & right) || !(target->attr.qp_access_flags & right) ||
      address < mr->iova || length > mr->ibv.length || address - mr->iova > mr->ibv.length - length) {
    return NULL;
  }
  return (char *)mr->ibv.addr + (address - mr->iova);
}
