package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointCounters;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Send queue of one queue pair: a ring of work requests written in place. A slot is free only when its own or a later completion was
 * drained. At least one request per half queue is signalled, even if not requested; completions that were not requested are not reported.
 * {@link PostFlags#MORE} chains requests, which are posted with one call.
 *
 * <p>Completions are reported in the order of the posts. A device may report them in another order: siw has sent a message while an earlier
 * read still waits for its answer. A completion that comes before an earlier one is kept until that one has come. So no read counts as
 * completed too early, and its completion is not taken for that of the next request in its slot.
 *
 * <p>Confined to one thread; nothing is allocated after creation.
 */
final class VerbsSendQueue {

  /** The endpoint of the queue. */
  interface Owner extends Endpoint {
    /** Returns the tag that its work requests carry, see {@link Owners}. */
    int tag();

    /** Returns the ibv_qp. */
    long queuePair();

    boolean isIwarp();

    EndpointCounters counters();

    /** Called when a post was refused. @return the status to return */
    int postFailed(Operation operation, int status, int errno);

    /** Called when a request that was held back is lost. */
    void heldBackLost(long requestId, Operation operation, int errno);

    /** Called when a work request failed. */
    void workFailed(Operation operation, WorkStatus why, String words);

    /** Called when the batch is full: {@link VerbsSendQueue#tellKept} has more completions for the next one. */
    void completionsKept();
  }

  /** No errno, but the result of a system call. */
  private static final int CALL_FAILED = -1;
  private static final byte REPORTED = 1;
  private static final byte SIGNALLED = 2;
  private static final byte READ = 4;
  /** The first part of a read that was posted as two: the second part completes for both. */
  private static final byte PART = 8;
  /** Its completion has come, before that of an earlier request. */
  private static final byte KEPT = 16;

  private final Owner endpoint;
  private final MemorySegment function;
  private final int depth;
  private final int mask;
  private final int alwaysInline;
  private final long alwaysSignalled;
  private final boolean readsSignalled;
  private final long[] requestIds;
  private final Operation[] operations;
  private final byte[] marks;
  /** Results of kept completions: the status, and the vendor's error above it. */
  private final long[] results;
  private final SendRequests requests;
  private long head;
  private long tail;
  /** First request that {@link PostFlags#MORE} holds back; equal to head if there is none. */
  private long held;
  private int unsignalled;
  private int reads;
  private int readLimit;
  /** Number of kept completions. */
  private int kept;

  /** @param function ibv_post_send of the device */
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

  int depth() {
    return depth;
  }

  /** Sets the maximum number of reads and atomics in flight, which is known when it is connected. */
  void readLimit(int limit) {
    readLimit = limit;
  }

  int readLimit() {
    return readLimit;
  }

  int outstanding() {
    return (int) (head - tail);
  }

  /** Returns whether one more request may be posted. */
  boolean hasRoom() {
    return head - tail < depth;
  }

  /** Returns whether that many more reads or atomics may be posted. */
  boolean hasRoomForReads(int count) {
    return head - tail <= depth - count && reads <= readLimit - count;
  }

  /**
   * Posts a request, or holds it back.
   *
   * @param address in the peer's memory, for operations that have one
   * @param key of that memory
   */
  int post(WorkRequest request, int flags, long address, int key) {
    return post(request, 0, request.length(), flags, address, key);
  }

  /** Posts a read in two parts. The first is held back, and the second completes for both. @param first bytes of the first part */
  int postInTwo(WorkRequest request, long first, int flags, long address, int key) {
    post(request, 0, first, flags & ~PostFlags.SIGNALED | PostFlags.MORE, address, key);
    marks[(int) (head - 1) & mask] |= PART;
    return post(request, first, request.length() - first, flags, address + first, key);
  }

  /**
   * Writes a request in place, all of it in this method. The accessors of native memory are a dozen methods deep, so the JIT compiler does
   * not inline them if the caller is deep already; it compiles a method of this size separately.
   *
   * @param from first byte of the local range
   */
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
    operations[slot] = operation;
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

  /** Posts the requests that are held back. They were promised to complete, so they stay held back if there is no room for them. */
  int flush() {
    return held == head ? Status.OK : submit(0);
  }

  /**
   * @param refusable number of requests at the end of the chain whose refusal the caller gets as the status; the others stay held back if
   * there is no room, and complete with any other error
   */
  private int submit(int refusable) {
    long first = held;
    held = head;
    try {
      int result = (int) IbVerbs.POST.invokeExact(function, endpoint.queuePair(), requests.at(first), requests.bad());
      return result == 0 ? Status.OK : refused(first, refusable, errno(result));
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
  }

  /**
   * Providers return errno with either sign. siw, which notifies the kernel by write(2), returns the result of that call: there is no
   * connection to send over.
   */
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
      if ((marks[slot] & READ) != 0) {
        reads--;
      }
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

  /**
   * Returns the end of the requests that stay held back, which are posted once there is room: without the first part of a read that has to
   * be posted again.
   */
  private long withoutPart(long from, long end) {
    return end < head && end > from && (marks[(int) (end - 1) & mask] & PART) != 0 ? end - 1 : end;
  }

  /** Drops operations that {@link PostFlags#MORE} holds back: they complete as flushed. */
  void dropHeld() {
    for (; head > held; head--) {
      int slot = (int) (head - 1) & mask;
      if ((marks[slot] & READ) != 0) {
        reads--;
      }
      lost(slot);
    }
  }

  private void lost(int slot) {
    if ((marks[slot] & PART) == 0) {
      endpoint.heldBackLost(requestIds[slot], operations[slot], 0);
    }
  }

  /**
   * Called when a completion was drained: it covers all earlier requests without one. Requested completions and errors go into the batch,
   * which has room for at least one.
   */
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
        // The connection has ended, so its completion does not wait for earlier ones.
        failed(slot, status, vendorError);
      }
    }
  }

  /** Reports kept completions that need not wait any more, while the batch has room. */
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
      covered((int) tail & mask);
    }
    tail++;
    int slot = (int) sequence & mask;
    if (status == 0) {
      covered(slot);
      if ((marks[slot] & REPORTED) != 0) {
        batch.add(requestIds[slot], operations[slot], endpoint, 0);
      }
    } else {
      if ((marks[slot] & READ) != 0) {
        reads--;
      }
      if ((marks[slot] & PART) == 0) {
        WorkStatus why = WorkStatus.of(status, false, endpoint.isIwarp());
        int entry = batch.add(requestIds[slot], operations[slot], endpoint, 0);
        batch.error(entry, why.status, why.describe(status, vendorError));
      }
    }
  }

  private void failed(int slot, int status, int vendorError) {
    WorkStatus why = WorkStatus.of(status, false, endpoint.isIwarp());
    endpoint.workFailed(operations[slot], why, why.describe(status, vendorError));
  }

  private void covered(int slot) {
    if ((marks[slot] & READ) != 0) {
      reads--;
    }
    if ((marks[slot] & PART) == 0) {
      endpoint.counters().succeeded(operations[slot]);
    }
  }

  /** Called when the queue pair was destroyed without returning these requests: they complete as flushed. */
  void flushForgotten() {
    for (; tail < head; tail++) {
      lost((int) tail & mask);
    }
    forget();
  }

  /** Drops all requests, because the queue pair is about to be destroyed, or cannot be used. */
  void forget() {
    tail = head;
    held = head;
    kept = 0;
  }

  /** Frees the work requests, after the queue pair was destroyed. */
  void close() {
    requests.close();
  }
}
