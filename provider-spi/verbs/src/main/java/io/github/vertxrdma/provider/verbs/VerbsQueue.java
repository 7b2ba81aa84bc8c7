package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * An ibv_cq with a count of reserved entries. Each work request reserves an entry, even an unsignalled one, which completes if it is
 * flushed. An overflow would end all queue pairs of the ibv_cq.
 */
final class VerbsQueue {
  /** Reserved entries of a queue. */
  record Room(VerbsQueue queue, int entries) {
    void release() {
      queue.reserved -= entries;
    }
  }

  final long pointer;
  private final VerbsDomain domain;
  int capacity;
  int reserved;
  /** Upper bound of the unfetched entries that were in the queue when the current {@link VerbsCompletionQueue#round round} began. */
  private int unfetched;
  private boolean resizable = true;
  /** True if completions were lost. Connections then use another queue. */
  boolean lost;

  VerbsQueue(VerbsDomain domain, int depth, long channel, int vector) {
    this.domain = domain;
    int entries = Math.clamp(depth, 1, domain.limits().completionQueueDepth());
    pointer = Calls.pointer(domain.verbs.createCq, domain.context, entries, 0, channel, vector);
    if (pointer == 0) {
      throw Errno.failure(ProviderException.Reason.LIMIT, "cannot create a completion queue of " + entries + " entries on "
        + domain.device().name());
    }
    NativeObjects.made(NativeObjects.Kind.COMPLETION_QUEUE);
    capacity = Memory.getInt(pointer + VerbsLayout.CQ_CQE);
  }

  /** Reserves entries, and resizes the queue if necessary. Returns false if that is impossible. */
  boolean reserve(int entries) {
    if (lost || capacity - reserved < entries && !grow(reserved + entries)) {
      return false;
    }
    reserved += entries;
    return true;
  }

  private boolean grow(int entries) {
    int most = domain.limits().completionQueueDepth();
    if (!resizable || entries > most) {
      return false;
    }
    int wanted = (int) Math.min(most, Math.max(entries, 2L * capacity));
    if (Calls.number(domain.verbs.resizeCq, pointer, wanted) != 0) {
      resizable = false;
      return false;
    }
    capacity = Memory.getInt(pointer + VerbsLayout.CQ_CQE);
    return capacity >= entries;
  }

  void beginRound() {
    unfetched = capacity;
  }

  /** Counts fetched entries. If fewer than {@code wanted} were fetched, the queue is empty. */
  void fetched(int entries, int wanted) {
    unfetched = entries < wanted ? 0 : unfetched - entries;
  }

  boolean isRoundOver() {
    return lost || unfetched <= 0;
  }

  void close() {
    // Fails while a queue pair still refers to the queue, which then counts as a leak.
    if (Calls.number(domain.verbs.destroyCq, pointer) == 0) {
      NativeObjects.destroyed(NativeObjects.Kind.COMPLETION_QUEUE);
    }
  }
}
