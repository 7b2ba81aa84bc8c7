package io.github.vertxrdma.provider.verbs;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Table of what drivers do differently from others: the devices by the numbers that ibv_query_device(3) reports, the reason, and its
 * source. Everything that depends on a vendor is listed here.
 */
enum Quirk {
  /**
   * The user library takes the mmap offset 0x90000 for an error, but the kernel also assigns that offset: the queue that starts on page 144
   * of a context's mappings always fails with EINVAL, which is about the 70th queue pair. A large completion queue that is created first
   * covers the page, so that no other queue can start there.
   */
  SIW_QUEUE_OFFSET(Kind.DEFECT, Vendor.SIW, 0, "providers/siw/siw.c of rdma-core: SIW_INVAL_UOBJ_KEY"),
  /**
   * The kernel module copies the payload of a packet of up to 32 bytes (MAX_HDR_INLINE) wrongly if the payload crosses a page and the
   * device's thread sends it, not the post itself: bytes at its end come from other memory. So short messages and writes are posted inline,
   * and a short read that crosses a page of the peer is posted as two.
   */
  SIW_SHORT_PAYLOADS(Kind.DEFECT, Vendor.SIW, 32, "drivers/infiniband/sw/siw/siw_qp_tx.c of Linux: siw_try_1seg"),
  /**
   * Work requests of a page or more without a completion are sent from the application's pages without a copy. A later completion says only
   * that TCP has them: TCP may still send, or send again, what the application has written there since. So they request a completion, which
   * makes siw copy.
   */
  SIW_LATE_TRANSMISSION(Kind.DEFECT, Vendor.SIW, 4096, "drivers/infiniband/sw/siw/siw_qp_tx.c of Linux: siw_prepare_fpdu, SENDPAGE_THRESH"),
  /**
   * A message or write completes when TCP has it, even while an earlier read waits for its answer. So its completion does not cover that
   * read, which requests its own; {@link VerbsSendQueue} puts them in order.
   */
  SIW_READS_BEHIND(Kind.DEFECT, Vendor.SIW, 0, "drivers/infiniband/sw/siw/siw_qp_tx.c of Linux: siw_qp_sq_process"),
  /**
   * A write or read without elements moves the element that its request points to. So {@link SendRequests} points to none, which every
   * driver accepts.
   */
  IRDMA_EMPTY_GATHER(Kind.DEFECT, Vendor.INTEL, 0, "providers/irdma/uk.c of rdma-core: irdma_uk_rdma_write, irdma_uk_rdma_read"),
  /** X722 (i40iw, later irdma): I40IW_MAX_INLINE_DATA_SIZE. */
  X722_INLINE(Kind.INLINE_SIZE, Vendor.INTEL, 0x374c, 0x37d9, 48, "providers/irdma/i40iw_hw.c of rdma-core"),
  /** E810 and later. A search for the size would be refused six times. */
  IRDMA_INLINE(Kind.INLINE_SIZE, Vendor.INTEL, 0, Quirk.ANY, 101, "providers/irdma/defs.h of rdma-core: IRDMA_MAX_INLINE_DATA_SIZE"),
  /** The kernel logs an error for each queue pair that requests more. */
  BNXT_INLINE(Kind.INLINE_SIZE, Vendor.BROADCOM, 0, Quirk.ANY, 96,
    "drivers/infiniband/hw/bnxt_re/ib_verbs.c of Linux: bnxt_re_test_qp_limits");

  private static final int ANY = Integer.MAX_VALUE;

  /** Kind of a quirk. */
  enum Kind {
    /** A defect that a process can avoid. */
    DEFECT,
    /** {@link #bytes} that a queue pair sends inline, which no attribute reports. The first of a device counts. */
    INLINE_SIZE
  }

  /** Numbers of vendors, as in ibv_device_attr. */
  private static final class Vendor {
    /** SIW_VENDOR_ID. */
    static final int SIW = 0x626d74;
    static final int INTEL = 0x8086;
    static final int BROADCOM = 0x14e4;
  }

  final Kind kind;
  final int bytes;
  /** File and function in which the behaviour can be read. */
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

  /** Returns the quirks of a device, in the order of the table. */
  static Set<Quirk> of(int vendor, int part) {
    return Arrays.stream(values()).filter(quirk -> quirk.vendor == vendor && quirk.firstPart <= part && part <= quirk.lastPart)
      .collect(Collectors.toCollection(() -> EnumSet.noneOf(Quirk.class)));
  }
}
