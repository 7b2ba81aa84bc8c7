/* Compares the rules of info.c with those of libfabric's static library, with random hints for the linked personality. */
#include "fi.h"
#include <stdio.h>

int ofi_check_info(const void *util_prov, const struct fi_info *info, uint32_t version, const struct fi_info *hints);
void ofi_alter_info(struct fi_info *info, const struct fi_info *hints, uint32_t version);

static uint64_t random_bits(void) {
  return (uint64_t)random() << 42 ^ (uint64_t)random() << 21 ^ (uint64_t)random();
}

static bool one_in(int n) { return random() % n == 0; }

/* Returns some of the bits at random, and sometimes adds one. */
static uint64_t some(uint64_t of) {
  uint64_t bits = one_in(3) ? 0 : of & (one_in(2) ? ~0ULL : random_bits());
  return one_in(8) ? bits | 1ULL << random() % 62 : bits;
}

static size_t size(size_t of) {
  return one_in(2) ? 0 : one_in(8) && of + 1 ? of + 1 : random() % (of < 1000000 ? of + 1 : 1000000);
}

static void hints_like(struct fi_info *hints) {
  hints->caps = some(hints->caps);
  hints->mode = some(hints->mode | FI_CONTEXT | LOCAL_MR);
  hints->addr_format = one_in(2) ? 0 : one_in(8) ? FI_SOCKADDR_IN : hints->addr_format;
  hints->tx_attr->caps = one_in(2) ? 0 : some(hints->tx_attr->caps);
  hints->tx_attr->mode = one_in(2) ? 0 : some(hints->tx_attr->mode);
  hints->tx_attr->op_flags = some(hints->tx_attr->op_flags);
  hints->tx_attr->msg_order = some(hints->tx_attr->msg_order);
  hints->tx_attr->inject_size = size(hints->tx_attr->inject_size);
  hints->tx_attr->size = size(hints->tx_attr->size);
  hints->tx_attr->iov_limit = size(hints->tx_attr->iov_limit);
  hints->tx_attr->rma_iov_limit = size(hints->tx_attr->rma_iov_limit);
  hints->rx_attr->caps = one_in(2) ? 0 : some(hints->rx_attr->caps);
  hints->rx_attr->mode = one_in(2) ? 0 : some(hints->rx_attr->mode);
  hints->rx_attr->op_flags = some(hints->rx_attr->op_flags);
  hints->rx_attr->msg_order = some(hints->rx_attr->msg_order);
  hints->rx_attr->size = size(hints->rx_attr->size);
  hints->rx_attr->iov_limit = size(hints->rx_attr->iov_limit);
  hints->ep_attr->type = one_in(16) ? FI_EP_MSG : one_in(2) ? FI_EP_UNSPEC : FI_EP_RDM;
  hints->ep_attr->protocol = one_in(16) ? FI_PROTO_UDP : one_in(2) ? FI_PROTO_UNSPEC : hints->ep_attr->protocol;
  hints->ep_attr->protocol_version = size(hints->ep_attr->protocol_version);
  hints->ep_attr->max_msg_size = size(hints->ep_attr->max_msg_size);
  hints->ep_attr->max_order_raw_size = size(hints->ep_attr->max_order_raw_size);
  hints->ep_attr->max_order_war_size = size(hints->ep_attr->max_order_war_size);
  hints->ep_attr->max_order_waw_size = size(hints->ep_attr->max_order_waw_size);
  hints->ep_attr->tx_ctx_cnt = size(1);
  hints->ep_attr->rx_ctx_cnt = size(1);
  hints->ep_attr->mem_tag_format = 0;
  hints->ep_attr->msg_prefix_size = 0;
  hints->ep_attr->auth_key_size = 0;
  struct fi_domain_attr *domain = hints->domain_attr;
  domain->threading = random() % 6;
  domain->control_progress = random() % 3;
  domain->data_progress = domain->control_progress;
  domain->resource_mgmt = random() % 3;
  domain->av_type = random() % 3;
  domain->mr_mode = one_in(8) ? 1 << random() % 2
                              : (int)some(FI_MR_LOCAL | FI_MR_RAW | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT) & 0x7fc;
  domain->cq_data_size = size(domain->cq_data_size);
  domain->cntr_cnt = size(domain->cntr_cnt);
  domain->mr_iov_limit = size(domain->mr_iov_limit);
  domain->caps = one_in(2) ? 0 : some(domain->caps);
  domain->mode = 0;
  domain->mr_cnt = size(domain->mr_cnt);
}

static bool same(const struct fi_info *ours, const struct fi_info *theirs) {
  return ours->caps == theirs->caps && ours->mode == theirs->mode && ours->domain_attr->mr_mode == theirs->domain_attr->mr_mode
    && ours->domain_attr->caps == theirs->domain_attr->caps && ours->domain_attr->threading == theirs->domain_attr->threading
    && ours->domain_attr->control_progress == theirs->domain_attr->control_progress
    && ours->domain_attr->av_type == theirs->domain_attr->av_type && !memcmp(ours->tx_attr, theirs->tx_attr, sizeof *ours->tx_attr)
    && !memcmp(ours->rx_attr, theirs->rx_attr, sizeof *ours->rx_attr) && !memcmp(ours->ep_attr, theirs->ep_attr, sizeof *ours->ep_attr);
}

int main(void) {
  struct fi_provider provider = {.name = personality.name};
  const void *util_prov[8] = {&provider};
  int accepted = 0, differ = 0;
  srandom(1);
  for (int i = 0; i < 100000 && differ < 10; i++) {
    int count = 0;
    while (personality.infos[count]) {
      count++;
    }
    const struct fi_info *info = personality.infos[random() % count];
    struct fi_info *hints = info_copy(info);
    free(hints->fabric_attr->name);
    hints->fabric_attr->name = NULL;
    free(hints->domain_attr->name);
    hints->domain_attr->name = NULL;
    hints_like(hints);
    uint32_t version = FI_VERSION(1, 17);
    int ours = info_check(info, version, hints), theirs = ofi_check_info(util_prov, info, version, hints);
    if (ours != theirs) {
      printf("%s, hints %d: ours %d, libfabric's %d: %s\n", personality.name, i, ours, theirs, fi_tostr(hints, FI_TYPE_INFO));
      differ++;
    } else if (!ours) {
      struct fi_info *first = info_copy(info), *second = info_copy(info);
      info_alter(first, hints, version);
      ofi_alter_info(second, hints, version);
      accepted++;
      if (!same(first, second)) {
        printf("%s, hints %d: %s", personality.name, i, fi_tostr(hints, FI_TYPE_INFO));
        printf("ours: %s", fi_tostr(first, FI_TYPE_INFO));
        printf("libfabric's: %s\n", fi_tostr(second, FI_TYPE_INFO));
        differ++;
      }
    }
  }
  printf("accepted %d, differ %d\n", accepted, differ);
  return differ > 0 || accepted < 1000;
}
