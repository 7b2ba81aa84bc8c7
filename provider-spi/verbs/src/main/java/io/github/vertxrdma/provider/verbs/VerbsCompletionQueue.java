package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Completion queue with one ibv_cq, or several if an ibv_cq cannot be resized. Also handles the other {@link QueueEvents events} of its
 * thread.
 */
final class VerbsCompletionQueue implements CompletionQueue {
  private static final int ENTRIES = 64;
  /** Number of polls and completions between two looks at the clock. */
  private static final int BETWEEN_LOOKS = 32;
  /** Time between two checks for other events, which need a system call. */
  private static final long LOOK_NANOS = 50_000;
  /** Maximum number of batches that one poll fetches if few of their completions are reported. */
  private static final int FETCHES = 4;

  private final VerbsDomain domain;
  final QueueEvents events;
  private final List<VerbsQueue> queues = new ArrayList<>();
  final Owners owners = new Owners();
  private final List<VerbsEndpoint> endpoints = new ArrayList<>();
  private final ArrayDeque<Leaving> leaving = new ArrayDeque<>();
  final ThreadDomain threadDomain;
  final SparePairs spares;
  private final ArrayDeque<Synthetic> synthetic = new ArrayDeque<>();
  private final ArrayDeque<byte[]> heldBack = new ArrayDeque<>();
  /** Send queues with completions that did not fit into the last batch. */
  private final ArrayDeque<VerbsSendQueue> keepers = new ArrayDeque<>();
  private final long entries;
  private final int depth;
  private final int vector;
  private int fetched;
  private int read;
  private int next;
  private int untilLook;
  private long looked = System.nanoTime();
  /**
   * Number of the current round. A round ends when all entries are fetched that were in the queues at its beginning. Increases by two when
   * the queues are empty, which may never happen under load.
   */
  private long round;
  private boolean polling;
  private boolean closed;

  /** Error completion that the device did not report. */
  private record Synthetic(VerbsEndpoint endpoint, long requestId, Operation operation, String words) {
  }

  /** Reserved entries of a destroyed queue pair. They are released when {@link #reportedRound} reaches {@code round}. */
  private record Leaving(VerbsQueue.Room room, long round) {
  }

  VerbsCompletionQueue(VerbsDomain domain, int depth) {
    this.domain = domain;
    this.depth = depth;
    vector = domain.nextVector();
    spares = new SparePairs(this, domain);
    events = new QueueEvents(domain);
    try {
      queues.add(new VerbsQueue(domain, depth, events.channel, vector));
    } catch (ProviderException e) {
      events.close();
      throw e;
    }
    threadDomain = new ThreadDomain(domain);
    entries = Memory.allocateAligned((ENTRIES + 1L) * WC_SIZE, 64);
    domain.adopt(this);
  }

  /** Reserves entries. Creates another queue if none can be made large enough. */
  VerbsQueue.Room reserve(int entriesWanted) {
    for (VerbsQueue queue : queues) {
      if (queue.reserve(entriesWanted)) {
        return new VerbsQueue.Room(queue, entriesWanted);
      }
    }
    VerbsQueue more = new VerbsQueue(domain, Math.max(depth, entriesWanted), events.channel, vector);
    if (!more.reserve(entriesWanted)) {
      more.close();
      throw new ProviderException(ProviderException.Reason.LIMIT, "a completion queue of " + domain.device().name() + " has at most "
        + more.capacity + " entries, but " + entriesWanted + " work requests are needed. Use smaller queues");
    }
    queues.add(more);
    return new VerbsQueue.Room(more, entriesWanted);
  }

  void destroyed(VerbsQueue.Room room) {
    if (closed) {
      room.release();
    } else {
      leaving.add(new Leaving(room, round));
    }
  }

  int adopt(VerbsEndpoint endpoint) {
    endpoints.add(endpoint);
    return owners.add(endpoint);
  }

  void disown(VerbsEndpoint endpoint) {
    endpoints.remove(endpoint);
    owners.remove(endpoint.tag());
    events.forget(endpoint);
    synthetic.removeIf(lost -> lost.endpoint == endpoint);
    keepers.remove(endpoint.sends);
  }

  /** Returns the number of the last round whose completions are all in batches. */
  private long reportedRound() {
    return round - 2;
  }

  void ending(VerbsEndpoint endpoint) {
    events.ending(endpoint, round);
  }

  void synthesize(VerbsEndpoint endpoint, long requestId, Operation operation, String words) {
    synthetic.add(new Synthetic(endpoint, requestId, operation, words));
  }

  void report(List<byte[]> held) {
    heldBack.addAll(held);
  }

  void completionsKept(VerbsSendQueue sends) {
    if (!keepers.contains(sends)) {
      keepers.add(sends);
    }
  }

  void lost(long pointer, String words) {
    queues.stream().filter(queue -> queue.pointer == pointer).findFirst().ifPresent(queue -> lost(queue, words));
  }

  private void lost(VerbsQueue queue, String words) {
    if (!queue.lost) {
      queue.lost = true;
      for (VerbsEndpoint endpoint : List.copyOf(endpoints)) {
        if (endpoint.room.queue() == queue) {
          endpoint.broke(new ProviderException(ProviderException.Reason.OTHER, endpoint.named() + ": " + words));
          endpoint.late(EndpointDeadline.Kind.FLUSH);
        }
      }
    }
  }

  private void closeLost() {
    for (VerbsQueue queue : List.copyOf(queues)) {
      if (queue.lost && queue.reserved == 0) {
        queues.remove(queue);
        whenDestroyed(queue::close);
      }
    }
  }

  private void whenDestroyed(Runnable action) {
    if (domain.control.busy()) {
      domain.control.later(action);
    } else {
      action.run();
    }
  }

  @Override
  public int capacity() {
    return queues.stream().mapToInt(queue -> queue.capacity).sum();
  }

  @Override
  public int poll(CompletionBatch batch) {
    if (polling) {
      throw new IllegalStateException("a handler must not poll the completion queue that called it");
    }
    batch.clear();
    if (closed) {
      return 0;
    }
    polling = true;
    try {
      if (--untilLook < 0 || events.urgent()) {
        untilLook = BETWEEN_LOOKS;
        turn();
      }
      if (!closed) {
        long before = round;
        fill(batch);
        if (round != before) {
          releaseLeaving();
        }
      }
      if (closed) {
        // A handler has closed this queue, so completions of its endpoints are not delivered.
        batch.clear();
      }
      untilLook -= batch.size();
      return batch.size();
    } finally {
      polling = false;
      if (closed) {
        release();
      }
    }
  }

  private void turn() {
    long now = System.nanoTime();
    if (now - looked >= LOOK_NANOS || events.urgent()) {
      looked = now;
      events.turn(reportedRound());
    }
  }

  private void fill(CompletionBatch batch) {
    while (!synthetic.isEmpty() && !batch.isFull()) {
      Synthetic lost = synthetic.poll();
      int entry = batch.add(lost.requestId, lost.operation, lost.endpoint, 0);
      batch.error(entry, Status.FLUSHED, lost.words);
    }
    while (!keepers.isEmpty() && !batch.isFull()) {
      keepers.poll().tellKept(batch);
    }
    while (!heldBack.isEmpty() && !batch.isFull()) {
      long entry = entries + (long) ENTRIES * WC_SIZE;
      Memory.putBytes(entry, heldBack.poll());
      read(entry, batch);
    }
    int most = FETCHES * batch.capacity();
    boolean more = true;
    while (true) {
      while (read < fetched && !batch.isFull()) {
        read(entries + (long) read++ * WC_SIZE, batch);
      }
      if (read < fetched || batch.isFull() || most <= 0) {
        return;
      }
      if (!more) {
        endRound(2);
        return;
      }
      if (isRoundOver()) {
        endRound(1);
      }
      int wanted = Math.min(ENTRIES, batch.capacity() - batch.size());
      fetch(wanted);
      // A queue that returns fewer entries than requested is empty; ib_poll_cq of Linux, which drivers follow.
      more = fetched == wanted;
      most -= fetched;
    }
  }

  private void read(long wc, CompletionBatch batch) {
    long id = Memory.getLong(wc + WC_WR_ID);
    if (!(owners.find(id) instanceof VerbsEndpoint endpoint)) {
      return;
    }
    int status = Memory.getInt(wc + WC_STATUS);
    int slot = (int) id & Owners.SLOT;
    if ((id & Owners.RECEIVE) != 0) {
      endpoint.receives.completed(slot, wc, status, batch);
    } else if (slot == ExchangedConnection.EMPTY_WRITE) {
      endpoint.connection.emptyWriteCompleted(status, Memory.getInt(wc + WC_VENDOR_ERROR));
    } else {
      endpoint.sends.completed(slot, status, status == 0 ? 0 : Memory.getInt(wc + WC_VENDOR_ERROR), batch);
    }
  }

  private boolean isRoundOver() {
    for (int i = 0; i < queues.size(); i++) {
      if (!queues.get(i).isRoundOver()) {
        return false;
      }
    }
    return true;
  }

  private void endRound(int count) {
    round += count;
    for (int i = 0; i < queues.size(); i++) {
      queues.get(i).beginRound();
    }
  }

  private void fetch(int wanted) {
    read = 0;
    fetched = 0;
    for (int i = 0; i < queues.size() && fetched < wanted; i++) {
      next = next + 1 < queues.size() ? next + 1 : 0;
      try {
        VerbsQueue queue = queues.get(next);
        int n = (int) IbVerbs.POLL_CQ.invokeExact(domain.pollCq, queue.pointer, wanted - fetched, entries + (long) fetched * WC_SIZE);
        if (n < 0) {
          lost(queue, "ibv_poll_cq of its completion queue failed with " + n
            + ", so completions are lost. Connect again: the connection then uses another queue");
        } else {
          queue.fetched(n, wanted - fetched);
          fetched += n;
        }
      } catch (Throwable t) {
        throw Calls.rethrow(t);
      }
    }
  }

  private void releaseLeaving() {
    if (!leaving.isEmpty()) {
      while (!leaving.isEmpty() && leaving.peek().round <= reportedRound()) {
        leaving.poll().room.release();
      }
      closeLost();
    }
  }

  @Override
  public Waiting waiting() {
    return Waiting.FD;
  }

  @Override
  public int fd() {
    return events.fd();
  }

  @Override
  public boolean arm() {
    if (closed) {
      return true;
    }
    if (read < fetched || !synthetic.isEmpty() || !keepers.isEmpty() || !heldBack.isEmpty() || !events.arm()) {
      return false;
    }
    for (VerbsQueue queue : queues) {
      try {
        int ignored = (int) IbVerbs.REQ_NOTIFY_CQ.invokeExact(domain.requestNotify, queue.pointer, 0);
      } catch (Throwable t) {
        throw Calls.rethrow(t);
      }
    }
    // Fetches completions that came before the request, because they cause no event.
    fetch(ENTRIES);
    return fetched == 0 && !events.pending();
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    // Not needed, because the event loop waits for the fd.
  }

  @Override
  public int unannounced() {
    return 0;
  }

  @Override
  public ProviderException failure() {
    ProviderException lost = domain.async.lost;
    return lost == null || closed || !synthetic.isEmpty() || !keepers.isEmpty() || !heldBack.isEmpty() || events.isReporting() ? null
      : lost;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (events.cm != null) {
      events.cm.closeListeners();
    }
    for (VerbsEndpoint endpoint : List.copyOf(endpoints)) {
      endpoint.close();
    }
    spares.close();
    domain.queues.remove(this);
    if (!polling) {
      release();
    }
  }

  /** Frees all native objects. If a handler closes the queue, the end of the poll calls this method. */
  private void release() {
    whenDestroyed(this::destroy);
  }

  private void destroy() {
    for (VerbsQueue queue : queues) {
      queue.close();
    }
    threadDomain.close();
    events.close();
    Memory.free(entries);
    domain.left();
  }
}
