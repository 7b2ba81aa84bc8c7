/* Registered memory; fi_mr(3). */
#include "fi.h"
#include <stdio.h>
#include <sys/random.h>

/* Maximum number of ranges in the cache of registrations; cxip_iomm.c. */
#define CACHED 4096
static struct { const void *address; size_t length; } cache[CACHED];
static int cached;

/* Parts of struct cxip_mr_key of cxip.h: the number of a region, then a sequence number, and bits. */
#define KEY_NUMBER 0xffffULL
#define KEY_OPTIMIZED (1ULL << 61)
#define KEY_OF_PROVIDER (1ULL << 63)
/* CXIP_PTL_IDX_PROV_MR_OPT_CNT: number of optimized regions. */
#define OPTIMIZED 92

/*
 * Returns whether a key remains valid after its region was closed. As in cxip_mr_enable and fi_cxi(7), a key that the provider chooses
 * belongs to the cache of registrations. It stays valid while the cache has the memory, unless accesses are counted.
 */
static bool key_stays(const struct region *region) {
  return personality.numbered_keys && region->domain->mr_mode & FI_MR_PROV_KEY && region->enabled && cache_is_on()
    && !is_on("FI_CXI_MR_MATCH_EVENTS", false);
}

static int memory_close(struct fid *fid) {
  struct region *region = (struct region *)fid;
  pthread_mutex_lock(&lock);
  if (personality.numbered_keys && region->enabled) {
    region->domain->numbers[region->fid.key & KEY_NUMBER] = false;
  }
  bool stays = key_stays(region);
  if (!stays) {
    struct region **at = &region->domain->regions;
    while (*at != region) {
      at = &(*at)->next;
    }
    *at = region->next;
  }
  region->domain->users--;
  if (region->endpoint) {
    region->endpoint->regions--;
  }
  regions_open--;
  pthread_mutex_unlock(&lock);
  if (!stays) {
    free(region);
  }
  return 0;
}

/* Like cxip_mr.c: a region is bound to one endpoint before it is enabled. */
static int memory_bind(struct fid *fid, struct fid *other, uint64_t flags) {
  struct region *region = (struct region *)fid;
  if (other->fclass != FI_CLASS_EP || flags || region->endpoint || !(region->domain->mr_mode & FI_MR_ENDPOINT)) {
    return -FI_EINVAL;
  }
  region->endpoint = (struct endpoint *)other;
  region->endpoint->regions++;
  return 0;
}

/* Returns a key with the lowest free number, like cxip_domain_prov_mr_id_alloc. */
static uint64_t numbered_key(struct domain *domain) {
  static uint64_t sequence;
  if (!sequence && getrandom(&sequence, 4, 0) < 0) {
    abort();
  }
  uint64_t number = 0;
  while (domain->numbers[number]) {
    number++;
  }
  domain->numbers[number] = true;
  bool optimized = number < OPTIMIZED && is_on("FI_CXI_OPTIMIZED_MRS", true);
  return number | ++sequence << 16 | (optimized ? KEY_OPTIMIZED : 0) | KEY_OF_PROVIDER;
}

static uint64_t fresh_key(struct domain *domain) {
  if (personality.numbered_keys) {
    return numbered_key(domain);
  }
  uint64_t key = 0;
  bool taken;
  do {
    if (getrandom(&key, 4, 0) < 0) {
      abort();
    }
    /* FI_KEY_NOTAVAIL must not be used as a key. */
    taken = key == FI_KEY_NOTAVAIL;
    for (struct region *other = domain->regions; other; other = other->next) {
      taken |= other->fid.key == key;
    }
  } while (taken);
  return key;
}

static int memory_control(struct fid *fid, int command, void *arg) {
  (void)arg;
  struct region *region = (struct region *)fid;
  if (command != FI_ENABLE || region->enabled || !region->endpoint) {
    return -FI_EINVAL;
  }
  pthread_mutex_lock(&lock);
  region->fid.key = fresh_key(region->domain);
  region->enabled = true;
  pthread_mutex_unlock(&lock);
  return 0;
}

static struct fi_ops memory_fid_ops = FID_OPS(memory_close, memory_bind, memory_control);

static int memory_attr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags, struct fid_mr **mr) {
  struct domain *domain = CONTAINER(fid, struct domain, fid.fid);
  /* Like efa_mr.c: refuses flags and several ranges. */
  if (flags || attr->iov_count != 1 || !attr->mr_iov->iov_len) {
    return -FI_EINVAL;
  }
  /* Prints a message about remote rights that the domain does not have; see efa_mr_reg in efa_mr.c. */
  if ((attr->access & FI_REMOTE_WRITE && !(domain->caps & FI_REMOTE_WRITE))
    || (attr->access & FI_REMOTE_READ && !(domain->caps & FI_REMOTE_READ))) {
    fprintf(stderr, "stand-in %s: memory is registered for remote access in a domain without that capability\n", personality.name);
  }
  struct region *region = calloc(1, sizeof *region);
  region->domain = domain;
  region->base = (uint64_t)attr->mr_iov->iov_base;
  region->length = attr->mr_iov->iov_len;
  region->access = attr->access;
  region->enabled = !(domain->mr_mode & FI_MR_ENDPOINT);
  region->fid.fid = (struct fid){FI_CLASS_MR, attr->context, &memory_fid_ops};
  region->fid.mem_desc = region;
  pthread_mutex_lock(&lock);
  if (regions_open >= regions_most()) {
    pthread_mutex_unlock(&lock);
    free(region);
    return -personality.full;
  }
  if (personality.own_keys || domain->mr_mode & FI_MR_PROV_KEY) {
    region->fid.key = region->enabled ? fresh_key(domain) : FI_KEY_NOTAVAIL;
  } else {
    region->fid.key = attr->requested_key;
    for (struct region *other = domain->regions; other; other = other->next) {
      if (other->fid.key == attr->requested_key) {
        pthread_mutex_unlock(&lock);
        free(region);
        return -FI_ENOKEY;
      }
    }
  }
  region->next = domain->regions;
  domain->regions = region;
  domain->users++;
  regions_open++;
  pthread_mutex_unlock(&lock);
  *mr = &region->fid;
  return 0;
}

static int memory_v(struct fid *fid, const struct iovec *iov, size_t count, uint64_t access, uint64_t offset, uint64_t key, uint64_t flags,
  struct fid_mr **mr, void *context) {
  struct fi_mr_attr attr = {.mr_iov = iov, .iov_count = count, .access = access, .offset = offset, .requested_key = key, .context = context};
  return memory_attr(fid, &attr, flags, mr);
}

static int memory_reg(struct fid *fid, const void *buffer, size_t length, uint64_t access, uint64_t offset, uint64_t key, uint64_t flags,
  struct fid_mr **mr, void *context) {
  struct iovec iov = {(void *)buffer, length};
  return memory_v(fid, &iov, 1, access, offset, key, flags, mr, context);
}

struct fi_ops_mr memory_ops = {sizeof(struct fi_ops_mr), memory_reg, memory_v, memory_attr};

/* Returns whether a key names a region. The device compares only the number of an optimized region; fi_cxi(7). */
static bool names(uint64_t key, const struct region *region) {
  uint64_t compared = personality.numbered_keys && key & region->fid.key & KEY_OPTIMIZED ? KEY_NUMBER : ~0ULL;
  return !((key ^ region->fid.key) & compared);
}

/* Returns the memory that a request names, or NULL if the access is refused. */
void *memory_check(struct endpoint *endpoint, const struct frame *frame, uint64_t right) {
  bool virtual = personality.own_keys || endpoint->domain->mr_mode & FI_MR_VIRT_ADDR;
  for (struct region *region = endpoint->domain->regions; region; region = region->next) {
    uint64_t offset = virtual ? frame->address - region->base : frame->address;
    if (names(frame->key, region) && region->enabled && (!region->endpoint || region->endpoint == endpoint)
      && (region->access & right) == right && offset <= region->length && frame->length <= region->length - offset) {
      return (char *)region->base + offset;
    }
  }
  return NULL;
}

/* Counts kernel registrations for single operations. Like cxip_map, registers local memory that the cache does not have; cxip_iomm.c. */
void memory_map(const void *address, size_t length) {
  if (!personality.maps || !length) {
    return;
  }
  for (int i = 0; i < cached; i++) {
    if ((const char *)address >= (const char *)cache[i].address
      && (const char *)address + length <= (const char *)cache[i].address + cache[i].length) {
      return;
    }
  }
  maps++;
  if (cache_is_on() && cached < CACHED) {
    cache[cached].address = address;
    cache[cached++].length = length;
  }
}
