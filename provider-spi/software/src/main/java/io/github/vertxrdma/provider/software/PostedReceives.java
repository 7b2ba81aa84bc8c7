package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayDeque;

/** Posted receives, in order, and the endpoints whose next message waits for one. Confined to the completion queue's thread. */
public final class PostedReceives implements ReceiveQueue {
  /** Whoever has a message that found no receive. */
  public interface Waiter {
    /** A receive is there: goes on with the message in the next poll. */
    void receivePosted();
  }

  private static final class Receive {
    long requestId;
    SoftwareRegion region;
    long offset;
    int length;
  }

  private final CompletionQueue queue;
  private final Completions completions;
  private final RegionTable<?> table;
  private final SoftwareEndpoint owner;
  private final int capacity;
  private final EntryRing<Receive> receives = new EntryRing<>(Receive::new);
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
  private Runnable onClose = () -> { };
  private boolean closed;

  /**
   * @param completions of the queue
   * @param table regions that may be posted
   * @param owner the endpoint whose own queue it is, null for a shared one
   */
  public PostedReceives(CompletionQueue queue, Completions completions, RegionTable<?> table, int capacity, SoftwareEndpoint owner) {
    this.queue = queue;
    this.completions = completions;
    this.table = table;
    this.owner = owner;
    this.capacity = capacity;
  }

  /** The shared queue that an endpoint's options name. @throws ProviderException {@code INVALID} if it is of another completion queue */
  public static PostedReceives shared(EndpointOptions options, CompletionQueue queue) {
    if (options.receiveQueue() instanceof PostedReceives shared && shared.shared() && shared.queue == queue) {
      return shared;
    }
    throw new ProviderException(ProviderException.Reason.INVALID,
      "the receive queue of the endpoint's options is not a shared one of the same completion queue");
  }

  /** Sets what is run once when it is closed. */
  public PostedReceives onClose(Runnable action) {
    onClose = action;
    return this;
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public boolean shared() {
    return owner == null;
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    if (closed || owner != null && !owner.receives()) {
      return Status.NOT_CONNECTED;
    }
    if (receives.size() == capacity) {
      return Status.AGAIN;
    }
    if (!(region instanceof SoftwareRegion mine) || !mine.usable(table, offset, length, true)) {
      return Status.LOCAL_RANGE;
    }
    Receive receive = receives.next();
    receive.requestId = requestId;
    receive.region = mine;
    receive.offset = offset;
    receive.length = length;
    receives.add();
    wakeNext();
    return Status.OK;
  }

  private void wakeNext() {
    if (!waiting.isEmpty()) {
      waiting.poll().receivePosted();
    }
  }

  public boolean isEmpty() {
    return receives.isEmpty();
  }

  /** Notes that somebody goes on when a receive is posted. */
  public void await(Waiter waiter) {
    if (!waiting.contains(waiter)) {
      waiting.add(waiter);
    }
  }

  /** Somebody takes no more; a receive that he was told of goes to the next that waits. */
  public void forget(Waiter waiter) {
    if (!waiting.remove(waiter) && !isEmpty()) {
      wakeNext();
    }
  }

  public long requestId() {
    return receives.first().requestId;
  }

  public SoftwareRegion region() {
    return receives.first().region;
  }

  public long offset() {
    return receives.first().offset;
  }

  public int length() {
    return receives.first().length;
  }

  /** Takes the first receive, which the methods above describe. */
  public void take() {
    receives.first().region = null;
    receives.remove();
  }

  /** Gives every posted receive back. */
  public void flush() {
    while (!receives.isEmpty()) {
      completions.fail(requestId(), Operation.RECEIVE, owner, 0, Status.FLUSHED,
        owner == null ? "the shared receive queue was closed" : "the endpoint is no longer connected");
      take();
    }
  }

  @Override
  public void close() {
    if (owner == null && !closed) {
      closed = true;
      waiting.clear();
      flush();
      onClose.run();
    }
  }
}
