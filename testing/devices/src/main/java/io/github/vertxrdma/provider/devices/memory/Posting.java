package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.util.ArrayDeque;

/**
 * Queue of the operations posted to one peer, which end in order. As on a queue pair, the entry of an operation without a completion
 * becomes free with a later completion.
 */
final class Posting {
  /** Send queue entries in use, shared by all peers of a datagram endpoint. */
  static final class Budget {
    private int used;
    private int reads;
  }

  private final InMemoryDomain domain;
  final Owner owner;
  private final Budget budget;
  private final ArrayDeque<Posted> posted = new ArrayDeque<>();
  /** Messages with {@link PostFlags#MORE}, which a later post or flush sends. */
  private final ArrayDeque<Message> held = new ArrayDeque<>();
  /** Number of operations that ended without a completion since the last one with a completion. */
  private int silent;

  Posting(InMemoryDomain domain, Owner owner, Budget budget) {
    this.domain = domain;
    this.owner = owner;
    this.budget = budget;
  }

  int size() {
    return posted.size();
  }

  int post(WorkRequest request) {
    Operation operation = request.operation();
    int flags = operation.isRead() ? request.flags() & ~PostFlags.INLINE : request.flags();
    int status = owner.check(request, flags, budget.used);
    if (status != Status.OK) {
      return status;
    }
    ParcelPath path = owner.path();
    // Reads to heap memory complete during the post, so a courier cannot carry them.
    if (operation.isRead() && budget.reads >= domain.limits().readsInFlight() || request.memory() != null && !path.isDirect()) {
      return Status.AGAIN;
    }
    int refusal = domain.refusal(operation);
    if (refusal != Status.OK) {
      return refusal;
    }
    Posted added = add(request, path.isDirect() || path.completesEarly() || (flags & PostFlags.INLINE) != 0);
    if (!operation.isOneSided()) {
      held.add(new Message(this, added));
    }
    if (operation.isOneSided() || (flags & PostFlags.MORE) == 0) {
      flush();
    }
    if (operation.isOneSided()) {
      path.carry(Courier.Cargo.ACCESS, null, new RemoteAccess(this, path, added));
    }
    if (path.completesEarly() && (operation == Operation.WRITE && (flags & PostFlags.DELIVERY_COMPLETE) == 0 || !operation.isOneSided())) {
      end(added, Status.OK, null);
    }
    return Status.OK;
  }

  private Posted add(WorkRequest request, boolean loadsNow) {
    Posted added = new Posted(request);
    if (loadsNow) {
      added.load();
    }
    posted.add(added);
    budget.used++;
    budget.reads += added.isRead() ? 1 : 0;
    return added;
  }

  void flush() {
    for (Message message; (message = held.poll()) != null;) {
      owner.path().carry(Courier.Cargo.MESSAGE, null, message);
    }
  }

  /** Ends an operation. @param error used unless the status is {@link Status#OK} */
  void answered(Posted operation, int status, String error) {
    if (owner.isOpen()) {
      end(operation, status, error);
      if (status != Status.OK) {
        owner.failed(error);
      }
    }
  }

  private void end(Posted operation, int status, String error) {
    operation.end(status, error);
    for (Posted first; (first = posted.peek()) != null && first.isEnded();) {
      posted.remove();
      silent++;
      if (first.isSignaled() || first.status() != Status.OK) {
        budget.used -= silent;
        silent = 0;
      }
      budget.reads -= first.isRead() ? 1 : 0;
      owner.ended(first);
    }
  }

  /** Releases local memory: drops unsent messages, and copies the bytes of operations in flight. */
  void release() {
    held.clear();
    posted.forEach(Posted::load);
  }

  void end(String why) {
    release();
    while (!posted.isEmpty()) {
      end(posted.peek(), Status.FLUSHED, why);
    }
  }

  /** Connection, or entry of an address vector, to which operations are posted. */
  interface Owner {

    /** @param waiting number of send queue entries in use */
    int check(WorkRequest request, int flags, int waiting);

    ParcelPath path();

    ParcelPath pathBack();

    /** Returns null if there is no such peer. */
    Deliveries target();

    /** Returns whether answers still complete operations. */
    boolean isOpen();

    InMemoryQueue queue();

    /** Called when an operation and all earlier operations have ended. */
    void ended(Posted posted);

    void bounced(Message message);

    void failed(String why);
  }
}
