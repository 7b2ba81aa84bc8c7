package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Send queue of one queue pair: a ring of work requests. A slot becomes free when a poll has returned its completion or a later one. At
 * least one request per half of the ring is signalled.
 *
 * <p>Reports completions in the order of the posts. A completion is kept while an earlier one is missing, because siw completes messages
 * while an earlier read waits for its answer.
 *
 * <p>Allocates nothing after creation. Confined to one thread.
 */
final class VerbsSendQueue {

  interface Owner extends Endpoint {
    int tag();

    long queuePair();

    boolean isIwarp();

    int postFailed(Operation operation, int status, int errno);

    void heldBackLost(long requestId, Operation operation, int errno);

    void workFailed(Operation operation, WorkStatus why, String words);

    /** Called if the batch is full before {@link VerbsSendQueue#tellKept} has reported all kept completions. */
    void completionsKept();
  }

  private static final int CALL_FAILED = -1;
  private static final byte REPORTED = 1;
  private static final byte SIGNALLED = 2;
  private static final byte READ = 4;
  /** Marks the first part of a read that was posted in two parts. */
  private static final byte PART = 8;
  /** Marks a request that completed before an earlier one. */
  private static final byte KEPT = 16;

  private final Owner endpoint;
  private final MemorySegment function;
  final int depth;
  private final int mask;
  private final int alwaysInline;
  private final long alwaysSignalled;
  private final boolean readsSignalled;
  private final long[] requestIds;
  private final Operation[] operations;
  private final byte[] marks;
  /** Results of kept completions: the status in the lower half, the vendor's error in the upper half. */
  private final long[] results;
  private final SendRequests requests;
  private long head;
  private long tail;
  private long held;
  private int unsignalled;
  private int reads;
  int readLimit;
  private int kept;

  VerbsSendQueue(Owner endpoint, DeviceQuirks.Sends quirks, MemorySegment function, int depth, int elements, int inlineSize) {
    this.endpoint = endpoint;
    this.function = function;
    this.depth = depth;
    alwaysInline = Math.min(inlineSize, quirks.alwaysInline());
    alwaysSignalled = quirks.alwaysSignalled();
    readsSignalled = quirks.readsSignalled();
    int slots = Integer.highestOneBit(Math.max(1, depth) * 2 - 1);
    mask = slots - 1;
    requestIds = new long[slots];
    operations = new Operation[slots];
    marks = new byte[slots];
    results = new long[slots];
    requests = new SendRequests(slots, elements, inlineSize);
  }

  int outstanding() {
    return (int) (head - tail);
  }

  boolean hasRoom() {
    return head - tail < depth;
  }

  boolean hasRoomForReads(int count) {
    return head - tail <= depth - count && reads <= readLimit - count;
  }

  int post(WorkRequest request, int flags, long address, int key) {
    return post(request, 0, request.length(), flags, address, key);
  }

  /** Posts a read in two parts, of which the first has {@code first} bytes. The completion of the second part reports both. */
  int postInTwo(WorkRequest request, long first, int flags, long address, int key) {
    post(request, 0, first, flags & ~PostFlags.SIGNALED | PostFlags.MORE, address, key);
    marks[(int) (head - 1) & mask] |= PART;
    return post(request, first, request.length() - first, flags, address + first, key);
  }

  /** Writes a work request. This is one method, because the JIT compiler does not inline native memory access into a deeper caller. */
  private int post(WorkRequest work, long from, long length, int flags, long address, int key) {
    Operation operation = work.operation();
    boolean read = operation.isRead();
    long request = requests.at(head);
    boolean inline = !read && ((flags & PostFlags.INLINE) != 0 || length <= alwaysInline && length > 0);
    if (work.list() == null) {
      requests.element(head, (VerbsRegion) work.region(), work.offset() + from, length, flags, inline);
    } else {
      requests.elements(head, work.list(), flags, inline);
    }
    if (operation.isOneSided()) {
      Memory.putLong(request + SEND_WR_REMOTE_ADDRESS, address);
      if (operation.isAtomic()) {
        Memory.putLong(request + SEND_WR_COMPARE_ADD, work.operand());
        Memory.putLong(request + SEND_WR_SWAP, work.swap());
        Memory.putInt(request + SEND_WR_ATOMIC_RKEY, key);
      } else {
        Memory.putInt(request + SEND_WR_RKEY, key);
      }
    }
    if (operation.hasImmediate()) {
      // Big-endian on the wire, as C programs write it with htonl(3).
      Memory.putInt(request + SEND_WR_IMMEDIATE, Integer.reverseBytes((int) work.immediate()));
    }
    if (!read && length >= alwaysSignalled) {
      unsignalled = depth;
    }
    long sequence = head++;
    int slot = (int) sequence & mask;
    if (read) {
      reads++;
    }
    boolean reported = (flags & PostFlags.SIGNALED) != 0;
    boolean signalled = reported || unsignalled + 1 >= depth >> 1 || read && (readsSignalled || reads >= readLimit);
    unsignalled = signalled ? 0 : unsignalled + 1;
    requestIds[slot] = work.id();
    if (operations[slot] != operation) {
      operations[slot] = operation;
    }
    marks[slot] = (byte) ((reported ? REPORTED : 0) | (signalled ? SIGNALLED : 0) | (read ? READ : 0));
    Memory.putLong(request + SEND_WR_ID, (long) endpoint.tag() << 32 | slot);
    Memory.putLong(request + SEND_WR_NEXT, 0);
    Memory.putInt(request + SEND_WR_OPCODE, SendRequests.opcode(operation));
    Memory.putInt(request + SEND_WR_FLAGS, (signalled ? SEND_SIGNALED : 0)
      | (inline ? SEND_INLINE : 0)
      | ((flags & PostFlags.FENCE) != 0 ? SEND_FENCE : 0)
      | ((flags & PostFlags.SOLICITED) != 0 ? SEND_SOLICITED : 0));
    if (sequence > held) {
      Memory.putLong(requests.at(sequence - 1) + SEND_WR_NEXT, request);
    }
    return (flags & PostFlags.MORE) != 0 ? Status.OK : submit(1);
  }

  int flush() {
    return held == head ? Status.OK : submit(0);
  }

  /**
   * Posts all queued requests.
   *
   * @param refusable number of last requests whose refusal is returned as status; others stay queued, or complete with the error
   */
  private int submit(int refusable) {
    long first = held;
    held = head;
    try {
      int result = (int) IbVerbs.POST.invokeExact(function, endpoint.queuePair(), requests.at(first), requests.bad);
      return result == 0 ? Status.OK : refused(first, refusable, errno(result));
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
  }

  /** Returns the errno of a failed post. Drivers return either sign, and siw returns -1 if the connection has ended. */
  private int errno(int result) {
    return result == CALL_FAILED && endpoint.isIwarp() ? Errno.ENOTCONN : Math.abs(result);
  }

  private int refused(long first, int refusable, int errno) {
    int refused = requests.refused();
    long from = refused < 0 ? first : first + (refused - first & mask);
    int status = switch (errno) {
      case Errno.ENOMEM, Errno.EAGAIN -> Status.AGAIN;
      case Errno.ENOTCONN, Errno.ECONNRESET, Errno.EPIPE -> Status.NOT_CONNECTED;
      case Errno.EOPNOTSUPP, Errno.ENOSYS -> Status.UNSUPPORTED;
      default -> Status.FAILED;
    };
    status = endpoint.postFailed(operations[(int) from & mask], status, errno);
    long keep = status == Status.AGAIN ? withoutPart(from, head - refusable) : from;
    for (long sequence = keep; sequence < head; sequence++) {
      int slot = (int) sequence & mask;
      endRead(slot);
      if (sequence < head - refusable && (marks[slot] & PART) == 0) {
        endpoint.heldBackLost(requestIds[slot], operations[slot], errno);
      }
    }
    head = keep;
    held = from;
    if (held < head) {
      Memory.putLong(requests.at(head - 1) + SEND_WR_NEXT, 0);
    }
    unsignalled = 0;
    for (long sequence = head - 1; sequence >= tail && (marks[(int) sequence & mask] & SIGNALLED) == 0; sequence--) {
      unsignalled++;
    }
    return status;
  }

  /** Excludes the first part of a read that the user must post again. Returns the end of the requests that stay queued. */
  private long withoutPart(long from, long end) {
    return end < head && end > from && (marks[(int) (end - 1) & mask] & PART) != 0 ? end - 1 : end;
  }

  void dropHeld() {
    for (; head > held; head--) {
      int slot = (int) (head - 1) & mask;
      endRead(slot);
      lost(slot);
    }
  }

  private void lost(int slot) {
    if ((marks[slot] & PART) == 0) {
      endpoint.heldBackLost(requestIds[slot], operations[slot], 0);
    }
  }

  /** Completes a request and all earlier unsignalled ones. The batch has room for at least one. */
  void completed(int slot, int status, int vendorError, CompletionBatch batch) {
    long sequence = tail + (slot - tail & mask);
    if (sequence >= head) {
      return;
    }
    for (long earlier = tail; earlier < sequence; earlier++) {
      if ((marks[(int) earlier & mask] & SIGNALLED) != 0) {
        keep(slot, status, vendorError);
        return;
      }
    }
    finish(sequence, status, vendorError, batch);
    if (status != 0) {
      failed(slot, status, vendorError);
    }
    if (kept > 0) {
      tellKept(batch);
    }
  }

  private void keep(int slot, int status, int vendorError) {
    if ((marks[slot] & KEPT) == 0) {
      marks[slot] |= KEPT;
      results[slot] = (long) vendorError << 32 | status;
      kept++;
      if (status != 0) {
        // The completion is kept, but the failure of the connection is reported now.
        failed(slot, status, vendorError);
      }
    }
  }

  /** Reports kept completions whose earlier requests are complete, while the batch has room. */
  void tellKept(CompletionBatch batch) {
    while (kept > 0) {
      long sequence = tail;
      while ((marks[(int) sequence & mask] & (SIGNALLED | KEPT)) == 0) {
        sequence++;
      }
      int slot = (int) sequence & mask;
      if ((marks[slot] & KEPT) == 0) {
        return;
      }
      if (batch.isFull()) {
        endpoint.completionsKept();
        return;
      }
      kept--;
      finish(sequence, (int) results[slot], (int) (results[slot] >>> 32), batch);
    }
  }

  private void finish(long sequence, int status, int vendorError, CompletionBatch batch) {
    for (; tail < sequence; tail++) {
      endRead((int) tail & mask);
    }
    tail++;
    int slot = (int) sequence & mask;
    endRead(slot);
    if (status == 0) {
      if ((marks[slot] & REPORTED) != 0) {
        batch.add(requestIds[slot], operations[slot], endpoint, 0);
      }
    } else if ((marks[slot] & PART) == 0) {
      WorkStatus why = WorkStatus.of(status, false, endpoint.isIwarp());
      int entry = batch.add(requestIds[slot], operations[slot], endpoint, 0);
      batch.error(entry, why.status, why.describe(status, vendorError));
    }
  }

  private void failed(int slot, int status, int vendorError) {
    WorkStatus why = WorkStatus.of(status, false, endpoint.isIwarp());
    endpoint.workFailed(operations[slot], why, why.describe(status, vendorError));
  }

  private void endRead(int slot) {
    if ((marks[slot] & READ) != 0) {
      reads--;
    }
  }

  void flushForgotten() {
    for (; tail < head; tail++) {
      lost((int) tail & mask);
    }
    forget();
  }

  void forget() {
    tail = head;
    held = head;
    kept = 0;
  }

  void close() {
    requests.close();
  }
}
