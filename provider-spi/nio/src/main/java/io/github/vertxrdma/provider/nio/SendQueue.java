package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.Completions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The posted operations of an endpoint in a ring, by sequence number: from head (the oldest whose end is unknown) over next (the first
 * not yet on the wire) to tail. They end in order: sends when their last byte is in the socket, writes when acknowledged, reads and
 * atomics when answered.
 */
final class SendQueue {
  private final NioEndpoint endpoint;
  private final Completions completions;
  private final int depth;
  private final int mask;
  private final int elements;
  private final int inlineSize;
  private final Operation[] operations;
  private final int[] flags;
  private final long[] requestIds;
  private final int[] counts;
  private final NioMemoryRegion[] regions;
  private final long[] offsets;
  private final long[] lengths;
  private final long[] totals;
  private final int[] slots;
  private final long[] secrets;
  private final long[] remoteOffsets;
  private final long[] operands;
  private final long[] swaps;
  /** Sends: where in the output stream they end. Reads and atomics: bytes still missing. */
  private final long[] progress;
  private MemorySegment inline;
  private long head;
  private long next;
  private long tail;
  private long acknowledged = -1;
  private int readsOutstanding;
  /** Ends that were told in the completion queue and not drained: their places are free only then. */
  private int undrained;

  SendQueue(NioEndpoint endpoint, Completions completions, int depth, int elements, int inlineSize) {
    this.endpoint = endpoint;
    this.completions = completions;
    this.depth = depth;
    this.elements = elements;
    this.inlineSize = inlineSize;
    int size = Integer.highestOneBit(Math.max(1, depth * 2 - 1));
    mask = size - 1;
    operations = new Operation[size];
    flags = new int[size];
    requestIds = new long[size];
    counts = new int[size];
    regions = new NioMemoryRegion[size * elements];
    offsets = new long[size * elements];
    lengths = new long[size * elements];
    totals = new long[size];
    slots = new int[size];
    secrets = new long[size];
    remoteOffsets = new long[size];
    operands = new long[size];
    swaps = new long[size];
    progress = new long[size];
  }

  // Posting: begin, then elements or inline data, then the remote side, then commit.

  boolean isFull() {
    return outstanding() >= depth;
  }

  int elements() {
    return elements;
  }

  int inlineSize() {
    return inlineSize;
  }

  int depth() {
    return depth;
  }

  void begin(WorkRequest request, int postFlags) {
    int i = (int) tail & mask;
    requestIds[i] = request.id();
    operations[i] = request.operation();
    operands[i] = request.operation().hasImmediate() ? request.immediate() : request.operand();
    swaps[i] = request.swap();
    flags[i] = postFlags;
    counts[i] = 0;
    totals[i] = 0;
    progress[i] = 0;
  }

  void element(NioMemoryRegion region, long offset, long length) {
    int i = (int) tail & mask;
    int at = i * elements + counts[i]++;
    regions[at] = region;
    offsets[at] = offset;
    lengths[at] = length;
    totals[i] += length;
  }

  /** Copies the bytes of an inline operation. */
  void inline(NioMemoryRegion region, long offset, long length) {
    if (inline == null) {
      inline = Arena.ofAuto().allocate((long) (mask + 1) * inlineSize);
    }
    int i = (int) tail & mask;
    if (length > 0) {
      MemorySegment.copy(region.segment(), offset, inline, (long) i * inlineSize + totals[i], length);
    }
    totals[i] += length;
  }

  void remote(NioRemoteMemory memory, long offset) {
    int i = (int) tail & mask;
    slots[i] = memory.slot;
    secrets[i] = memory.secret;
    remoteOffsets[i] = memory.base + offset;
  }

  void commit() {
    tail++;
  }

  // Transmission.

  boolean hasNext() {
    return next < tail;
  }

  long next() {
    return next;
  }

  /** Whether the operation must wait for earlier reads and atomics, or for its turn among them. */
  boolean mustWait(long sequence, int readsInFlight) {
    int i = (int) sequence & mask;
    return operations[i].isRead() && readsOutstanding >= readsInFlight || (flags[i] & PostFlags.FENCE) != 0 && readsOutstanding > 0;
  }

  Operation operation(long sequence) {
    return operations[(int) sequence & mask];
  }

  int immediate(long sequence) {
    return (int) operands[(int) sequence & mask];
  }

  long operand(long sequence) {
    return operands[(int) sequence & mask];
  }

  long swap(long sequence) {
    return swaps[(int) sequence & mask];
  }

  long total(long sequence) {
    return totals[(int) sequence & mask];
  }

  int slot(long sequence) {
    return slots[(int) sequence & mask];
  }

  long secret(long sequence) {
    return secrets[(int) sequence & mask];
  }

  long remoteOffset(long sequence) {
    return remoteOffsets[(int) sequence & mask];
  }

  /** Elements of its list; 0 if its bytes are inline (or there are none). */
  int count(long sequence) {
    return counts[(int) sequence & mask];
  }

  NioMemoryRegion region(long sequence, int element) {
    return regions[((int) sequence & mask) * elements + element];
  }

  long offset(long sequence, int element) {
    return offsets[((int) sequence & mask) * elements + element];
  }

  long length(long sequence, int element) {
    return lengths[((int) sequence & mask) * elements + element];
  }

  MemorySegment inlineBytes() {
    return inline;
  }

  long inlineOffset(long sequence) {
    return (long) ((int) sequence & mask) * inlineSize;
  }

  /** Its last frame is in the output; @param end where in the output stream that frame ends */
  void transmitted(long end) {
    int i = (int) next++ & mask;
    if (operations[i].isRead()) {
      progress[i] = totals[i];
      readsOutstanding++;
    } else {
      progress[i] = end;
    }
  }

  // Ends.

  /** Whether the peer's answer is to an operation that waits for one of that kind. */
  boolean awaits(long sequence, boolean read, long offset, long bytes) {
    if (sequence < head || sequence >= next) {
      return false;
    }
    int i = (int) sequence & mask;
    if (read) {
      return operations[i] == Operation.READ && bytes <= progress[i] && offset == totals[i] - progress[i];
    }
    return operations[i].isAtomic() && progress[i] == bytes;
  }

  /** Bytes of an answer are in place. */
  void arrived(long sequence, long bytes) {
    int i = (int) sequence & mask;
    progress[i] -= bytes;
    if (progress[i] == 0) {
      readsOutstanding--;
      progress[i] = -1;
    }
  }

  boolean acknowledge(long sequence) {
    if (sequence < acknowledged || sequence >= next) {
      return false;
    }
    acknowledged = sequence;
    return true;
  }

  private boolean ended(long sequence, long written) {
    int i = (int) sequence & mask;
    return switch (operations[i]) {
      case SEND, SEND_IMMEDIATE -> progress[i] <= written;
      case WRITE, WRITE_IMMEDIATE -> sequence <= acknowledged;
      default -> progress[i] < 0;
    };
  }

  /** Ends what can end, in order. @param written bytes of the output stream in the socket */
  void complete(long written) {
    while (head < next && ended(head, written)) {
      int i = (int) head & mask;
      if ((flags[i] & PostFlags.SIGNALED) != 0) {
        completions.add(requestIds[i], operations[i], endpoint, totals[i]);
        undrained++;
      }
      endpoint.counters().succeeded(operations[i]);
      release(i);
    }
  }

  /** Ends everything that is left. @param failed the sequence that the peer refused, with its status; -1 if none */
  void flush(long written, long failed, int status, String reason) {
    while (head < tail) {
      int i = (int) head & mask;
      if (head < next && head != failed && ended(head, written)) {
        if ((flags[i] & PostFlags.SIGNALED) != 0) {
          completions.add(requestIds[i], operations[i], endpoint, totals[i]);
        undrained++;
        }
        endpoint.counters().succeeded(operations[i]);
      } else {
        completions.fail(requestIds[i], operations[i], endpoint, 0, head == failed ? status : Status.FLUSHED, reason);
        undrained++;
        endpoint.counters().failed();
      }
      release(i);
    }
    next = tail;
    readsOutstanding = 0;
  }

  /** One of its completions was drained. */
  void drained() {
    undrained--;
  }

  /** The endpoint was closed: its completions will not be drained. */
  void silence() {
    undrained = 0;
  }

  private void release(int i) {
    for (int e = 0; e < counts[i]; e++) {
      regions[i * elements + e] = null;
    }
    head++;
  }

  int outstanding() {
    return (int) (tail - head) + undrained;
  }
}
