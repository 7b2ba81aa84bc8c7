package io.github.vertxrdma.provider.verbs;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Deviations of drivers, selected by the vendor and part id from ibv_query_device(3). */
enum Quirk {
  /**
   * The library mistakes the mmap offset 0x90000 for an error. So the queue on page 144 of a context, at about the 70th queue pair, fails
   * with EINVAL. {@link DeviceQuirks} first creates a large completion queue that covers this page.
   */
  SIW_QUEUE_OFFSET(Kind.DEFECT, Vendor.SIW, 0, "providers/siw/siw.c of rdma-core: SIW_INVAL_UOBJ_KEY"),
  /**
   * The driver's thread copies payloads of at most 32 bytes (MAX_HDR_INLINE) wrongly if they cross a page. So short messages and writes are
   * inline. A short read that crosses a page of the peer is posted as two.
   */
  SIW_SHORT_PAYLOADS(Kind.DEFECT, Vendor.SIW, 32, "drivers/infiniband/sw/siw/siw_qp_tx.c of Linux: siw_try_1seg"),
  /**
   * Unsignalled requests of at least a page are sent from the application's memory, perhaps after a later request has completed. Signalled
   * ones are copied, so all requests of this size are signalled.
   */
  SIW_LATE_TRANSMISSION(Kind.DEFECT, Vendor.SIW, 4096, "drivers/infiniband/sw/siw/siw_qp_tx.c of Linux: siw_prepare_fpdu, SENDPAGE_THRESH"),
  /** A message completes when TCP has accepted it, perhaps before an earlier read. {@link VerbsSendQueue} restores the order. */
  SIW_READS_BEHIND(Kind.DEFECT, Vendor.SIW, 0, "drivers/infiniband/sw/siw/siw_qp_tx.c of Linux: siw_qp_sq_process"),
  /** A request with 0 elements transfers the element that sg_list points to. So {@link SendRequests} sets its length to 0. */
  IRDMA_EMPTY_GATHER(Kind.DEFECT, Vendor.INTEL, 0, "providers/irdma/uk.c of rdma-core: irdma_uk_rdma_write, irdma_uk_rdma_read"),
  /** A read with 0 elements reads the address in the element that sg_list points to, so sg_list is never NULL. cxgb4 is alike. */
  ERDMA_EMPTY_GATHER(Kind.DEFECT, Vendor.ALIBABA, 0, "providers/erdma/erdma_verbs.c of rdma-core: IBV_WR_RDMA_READ"),
  /** Inline limit of Intel X722 (drivers i40iw and irdma); I40IW_MAX_INLINE_DATA_SIZE. */
  X722_INLINE(Kind.INLINE_SIZE, Vendor.INTEL, 0x374c, 0x37d9, 48, "providers/irdma/i40iw_hw.h of rdma-core"),
  /** Inline limit of Intel E810 and later. Saves refused attempts of {@link DeviceQuirks#findInlineSize}. */
  IRDMA_INLINE(Kind.INLINE_SIZE, Vendor.INTEL, 0, Quirk.ANY, 101, "providers/irdma/user.h of rdma-core: IRDMA_MAX_INLINE_DATA_SIZE"),
  /** Inline limit of Broadcom. The kernel logs an error for each queue pair that requests more. */
  BNXT_INLINE(Kind.INLINE_SIZE, Vendor.BROADCOM, 0, Quirk.ANY, 96,
    "drivers/infiniband/hw/bnxt_re/ib_verbs.c of Linux: bnxt_re_test_qp_limits");

  private static final int ANY = Integer.MAX_VALUE;

  enum Kind {
    DEFECT,
    /** Maximum {@link #bytes} that a queue pair sends inline. The first constant for a device counts. */
    INLINE_SIZE
  }

  private static final class Vendor {
    static final int SIW = 0x626d74;
    static final int INTEL = 0x8086;
    static final int ALIBABA = 0x1ded;
    static final int BROADCOM = 0x14e4;
  }

  final Kind kind;
  final int bytes;
  final String source;
  private final int vendor;
  private final int firstPart;
  private final int lastPart;

  Quirk(Kind kind, int vendor, int bytes, String source) {
    this(kind, vendor, 0, Integer.MAX_VALUE, bytes, source);
  }

  Quirk(Kind kind, int vendor, int firstPart, int lastPart, int bytes, String source) {
    this.kind = kind;
    this.vendor = vendor;
    this.firstPart = firstPart;
    this.lastPart = lastPart;
    this.bytes = bytes;
    this.source = source;
  }

  static Set<Quirk> of(int vendor, int part) {
    return Arrays.stream(values()).filter(quirk -> quirk.vendor == vendor && quirk.firstPart <= part && part <= quirk.lastPart)
      .collect(Collectors.toCollection(() -> EnumSet.noneOf(Quirk.class)));
  }
}
