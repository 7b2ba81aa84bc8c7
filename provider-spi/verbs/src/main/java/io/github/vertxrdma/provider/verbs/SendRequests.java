package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * Native memory of a {@link VerbsSendQueue}: a ring of struct ibv_send_wr, each with room for elements and inline bytes. Allocates nothing
 * after creation.
 */
final class SendRequests {
  private final int mask;
  private final int elements;
  private final int copy;
  private final long requests;
  private final long gather;
  private final long copies;
  /** Address where the driver stores the address of a refused request. */
  final long bad;

  SendRequests(int slots, int elements, int inlineSize) {
    mask = slots - 1;
    this.elements = elements;
    copy = inlineSize + 7 & -8;
    requests = Memory.allocateAligned((long) slots * (SEND_WR_SIZE + (long) elements * SGE_SIZE + copy) + Long.BYTES, 64);
    gather = requests + (long) slots * SEND_WR_SIZE;
    copies = gather + (long) slots * elements * SGE_SIZE;
    bad = copies + (long) slots * copy;
  }

  long at(long sequence) {
    return requests + (sequence & mask) * SEND_WR_SIZE;
  }

  private long gather(long sequence) {
    return gather + (sequence & mask) * elements * SGE_SIZE;
  }

  private long copy(long sequence) {
    return copies + (sequence & mask) * copy;
  }

  /** Returns the slot of the refused request; -1 if the driver reported none. */
  int refused() {
    long slot = (Memory.getLong(bad) - requests) / SEND_WR_SIZE;
    return slot < 0 || slot > mask ? -1 : (int) slot;
  }

  private static boolean isCopied(int flags) {
    return (flags & (PostFlags.INLINE | PostFlags.MORE)) == (PostFlags.INLINE | PostFlags.MORE);
  }

  /** Sets the only element of a request. {@code inline} means that the library reads the bytes during the post, not the device. */
  void element(long sequence, VerbsRegion region, long offset, long length, int flags, boolean inline) {
    if (length > 0) {
      long from = region.address + offset;
      if (isCopied(flags) || inline && region.fromFile) {
        copy(region, offset, copy(sequence), length);
        from = copy(sequence);
      }
      element(gather(sequence), from, length, region.localKey);
    } else if (region != null) {
      element(gather(sequence), region.address + offset, 0, region.localKey);
    }
    count(sequence, length == 0 ? 0 : 1);
  }

  /** Copies bytes of a region. Native code must not read a mapped file, because a truncated file would end the process. */
  private static void copy(VerbsRegion region, long offset, long to, long length) {
    if (region.fromFile) {
      Memory.copyFromFile(region.segment(), offset, to, length);
    } else {
      Memory.copy(region.address + offset, to, length);
    }
  }

  void elements(long sequence, ScatterGather list, int flags, boolean inline) {
    boolean copied = isCopied(flags);
    long to = copy(sequence);
    int used = 0;
    for (int i = 0; i < list.size(); i++) {
      int length = list.length(i);
      if (length > 0) {
        VerbsRegion region = (VerbsRegion) list.region(i);
        long from = region.address + list.offset(i);
        if (copied || inline && region.fromFile) {
          copy(region, list.offset(i), to, length);
          from = to;
          to += length;
        }
        element(gather(sequence) + (long) used++ * SGE_SIZE, from, length, region.localKey);
      }
    }
    if (used == 0 && list.size() > 0) {
      VerbsRegion region = (VerbsRegion) list.region(0);
      element(gather(sequence), region.address + list.offset(0), 0, region.localKey);
    }
    count(sequence, used);
  }

  /**
   * Sets the number of elements. Without bytes it is 0, because InfiniBand reads a length of 0 in an element as 2^31 bytes. Some drivers
   * use the first element nevertheless ({@link Quirk#IRDMA_EMPTY_GATHER}, {@link Quirk#ERDMA_EMPTY_GATHER}), so it is always valid.
   */
  private void count(long sequence, int elements) {
    long request = at(sequence);
    Memory.putLong(request + SEND_WR_SGES, gather(sequence));
    Memory.putInt(request + SEND_WR_SGE_COUNT, elements);
  }

  private static void element(long element, long address, long length, int key) {
    Memory.putLong(element + SGE_ADDR, address);
    Memory.putInt(element + SGE_LENGTH, (int) length);
    Memory.putInt(element + SGE_LKEY, key);
  }

  static int opcode(Operation operation) {
    return switch (operation) {
      case SEND_IMMEDIATE -> WR_SEND_IMMEDIATE;
      case WRITE -> WR_WRITE;
      case WRITE_IMMEDIATE -> WR_WRITE_IMMEDIATE;
      case READ -> WR_READ;
      case FETCH_ADD -> WR_FETCH_ADD;
      case COMPARE_SWAP -> WR_COMPARE_SWAP;
      default -> WR_SEND;
    };
  }

  void close() {
    Memory.free(requests);
  }
}
