package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayDeque;

/** Posted receives, and the endpoints that wait for one. Confined to the completion queue's thread. */
public class SoftwareReceives implements ReceiveQueue {
  public interface Waiter {
    void receivePosted();
  }

  private final CompletionQueue queue;
  private final Completions completions;
  private final RegionTable<?> table;
  private final SoftwareEndpoint owner;
  private final boolean inPlace;
  private final int capacity;
  private final EntryRing<Receive> posted = new EntryRing<>(Receive::new);
  private ArrayDeque<Waiter> waiting;
  private Runnable onClose = () -> {};
  private boolean closed;

  private static final class Receive {
    private long requestId;
    private SoftwareRegion region;
    private long offset;
    private int length;
  }

  /**
   * @param owner null for a shared queue
   * @param inPlace whether receives can be posted without memory
   */
  public SoftwareReceives(CompletionQueue queue, Completions completions, RegionTable<?> table, int capacity, SoftwareEndpoint owner,
    boolean inPlace) {
    this.queue = queue;
    this.completions = completions;
    this.table = table;
    this.owner = owner;
    this.inPlace = inPlace;
    this.capacity = capacity;
  }

  public static SoftwareReceives shared(EndpointOptions options, CompletionQueue queue) {
    if (options.receiveQueue() instanceof SoftwareReceives shared && shared.shared() && shared.queue == queue) {
      return shared;
    }
    throw new ProviderException(ProviderException.Reason.INVALID,
      "the receive queue in the endpoint's options is not a shared receive queue of the same completion queue");
  }

  public SoftwareReceives onClose(Runnable action) {
    onClose = action;
    return this;
  }

  @Override
  public final int capacity() {
    return capacity;
  }

  @Override
  public final boolean shared() {
    return owner == null;
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    if (closed || owner != null && !owner.receives()) {
      return Status.NOT_CONNECTED;
    }
    if (posted.size() == capacity) {
      return Status.AGAIN;
    }
    SoftwareRegion own = region instanceof SoftwareRegion known ? known : null;
    if (own == null ? region != null || !inPlace || offset != 0 || length < 0 : !own.usable(table, offset, length, true)) {
      return Status.LOCAL_RANGE;
    }
    Receive receive = posted.next();
    receive.requestId = requestId;
    receive.region = own;
    receive.offset = offset;
    receive.length = length;
    posted.add();
    wakeNext();
    return Status.OK;
  }

  private void wakeNext() {
    Waiter next = waiting == null ? null : waiting.poll();
    if (next != null) {
      next.receivePosted();
    }
  }

  public final boolean isEmpty() {
    return posted.isEmpty();
  }

  public final void await(Waiter waiter) {
    if (waiting == null) {
      waiting = new ArrayDeque<>(1);
    }
    if (!waiting.contains(waiter)) {
      waiting.add(waiter);
    }
  }

  /** Removes a waiting endpoint. If it was notified but took no receive, notifies the next one. */
  public final void forget(Waiter waiter) {
    if ((waiting == null || !waiting.remove(waiter)) && !isEmpty()) {
      wakeNext();
    }
  }

  public final long requestId() {
    return posted.first().requestId;
  }

  /** Returns the region of the first receive; null if it has none. */
  public final SoftwareRegion region() {
    return posted.first().region;
  }

  public final long offset() {
    return posted.first().offset;
  }

  public final int length() {
    return posted.first().length;
  }

  /** Removes the first receive, and ends the wait of its taker. */
  public final void take(Waiter taker) {
    if (waiting != null) {
      waiting.remove(taker);
    }
    remove();
  }

  private void remove() {
    posted.first().region = null;
    posted.remove();
  }

  public final void flush() {
    while (!isEmpty()) {
      completions.fail(requestId(), Operation.RECEIVE, owner, 0, Status.FLUSHED,
        owner == null ? "the shared receive queue was closed" : "the endpoint is no longer connected");
      remove();
    }
  }

  @Override
  public final void close() {
    if (owner == null && !closed) {
      closed = true;
      waiting = null;
      flush();
      onClose.run();
    }
  }
}
