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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One ibv_cq, or more where it cannot be made larger, with everything else its thread must hear of: the completion channel, the
 * connection manager's events, asynchronous events, messages of other threads and deadlines. See {@link QueueEvents}.
 */
final class VerbsCompletionQueue implements CompletionQueue {
  private static final int ENTRIES = 64;
  /** Polls and completions between two looks at connection events, which cost a system call: 10 to 100 µs of work. */
  private static final int BETWEEN_LOOKS = 256;
  /** Times a batch that one poll may fetch, when what it fetches is told to nobody. */
  private static final int ROUNDS = 4;

  private final VerbsDomain domain;
  private final QueueEvents events;
  private final List<VerbsQueue> queues = new ArrayList<>();
  private final Owners owners = new Owners();
  private final Map<Integer, VerbsEndpoint> byNumber = new HashMap<>();
  private final List<VerbsEndpoint> endpoints = new ArrayList<>();
  private final List<VerbsReceiveQueue> sharedReceives = new ArrayList<>();
  private final ArrayDeque<Leaving> leaving = new ArrayDeque<>();
  private final DrainingEndpoints draining = new DrainingEndpoints(this);
  private final ArrayDeque<Synthetic> synthetic = new ArrayDeque<>();
  /** Send queues that have more to tell than the last batch took. */
  private final ArrayDeque<VerbsSendQueue> keepers = new ArrayDeque<>();
  private final long entries;
  private final int depth;
  private int fetched;
  private int read;
  private int next;
  private int untilLook;
  /**
   * Counts rounds: one ends when all was fetched that the queues held as it began. By two where they are empty, since nothing is left then
   * of any time before; under lasting load they never are.
   */
  private long rounds;
  private boolean polling;
  private boolean closed;

  /** A completion that no device makes: of a request that was held back, or a receive of a shared queue that was closed. */
  private record Synthetic(VerbsEndpoint endpoint, long requestId, Operation operation, String words) {
  }

  /** Room that is free once what was in the queue at that count of rounds is past. */
  private record Leaving(QueueRoom room, long rounds) {
  }

  VerbsCompletionQueue(VerbsDomain domain, int depth) {
    this.domain = domain;
    this.depth = depth;
    events = new QueueEvents(domain);
    try {
      queues.add(new VerbsQueue(domain, depth, events.channel()));
    } catch (ProviderException e) {
      events.close();
      throw e;
    }
    entries = Memory.allocateAligned((long) ENTRIES * WC_SIZE, 64);
    domain.adopt(this);
  }

  Owners owners() {
    return owners;
  }

  QueueEvents events() {
    return events;
  }

  // Room

  QueueRoom reserve(int sends, int receives, VerbsReceiveQueue shared) {
    // Asked before anything is reserved: it may need another queue, which there may be none of.
    VerbsQueue ofShared = shared == null ? null : shared.room();
    VerbsQueue first = reserve(sends + receives);
    return new QueueRoom(first, sends + receives, shared == null ? first : ofShared, 0);
  }

  /** The queue in which that many entries were reserved; a further one if none can be made large enough. */
  VerbsQueue reserve(int entriesWanted) {
    for (VerbsQueue queue : queues) {
      if (queue.reserve(entriesWanted)) {
        return queue;
      }
    }
    VerbsQueue more = new VerbsQueue(domain, Math.max(depth, entriesWanted), events.channel());
    if (!more.reserve(entriesWanted)) {
      more.close();
      throw new ProviderException(ProviderException.Reason.LIMIT, "a completion queue of " + domain.device().name() + " has at most "
        + more.capacity() + " entries; " + entriesWanted + " work requests do not fit — ask for less");
    }
    queues.add(more);
    return more;
  }

  /** The queue pair of a closed endpoint is destroyed. What the device reported of it may still be in the queue, and keeps its room. */
  void destroyed(VerbsEndpoint endpoint, QueueRoom room) {
    byNumber.remove(endpoint.pair().number(), endpoint);
    if (closed) {
      room.release();
    } else {
      leaving.add(new Leaving(room, rounds));
    }
  }

  // Members

  int adopt(VerbsEndpoint endpoint) {
    endpoints.add(endpoint);
    byNumber.put(endpoint.pair().number(), endpoint);
    return owners.add(endpoint);
  }

  void disown(VerbsEndpoint endpoint) {
    endpoints.remove(endpoint);
    owners.remove(endpoint.tag());
    events.forget(endpoint);
    synthetic.removeIf(lost -> lost.endpoint == endpoint);
    keepers.remove(endpoint.sends());
  }

  void adopt(VerbsReceiveQueue shared) {
    sharedReceives.add(shared);
  }

  void forget(VerbsReceiveQueue shared) {
    sharedReceives.remove(shared);
  }

  /** Whether endpoints that are open take their receives from it. */
  boolean isUsed(VerbsReceiveQueue shared) {
    return endpoints.stream().anyMatch(endpoint -> endpoint.receives() == shared);
  }

  /** Closed endpoints that still have to tell which receives they took. */
  DrainingEndpoints draining() {
    return draining;
  }

  /** The endpoint of a queue pair, which may be closed; null once it is destroyed. */
  VerbsEndpoint endpoint(int queuePairNumber) {
    return byNumber.get(queuePairNumber);
  }

  /** The count of rounds: what is in the queue now is in batches once {@link #past} has reached it. */
  long rounds() {
    return rounds;
  }

  /** The count of rounds at which all that was in the queue is in batches by now: one round has begun since, and ended. */
  private long past() {
    return rounds - 2;
  }

  void ending(VerbsEndpoint endpoint) {
    events.ending(endpoint, rounds);
  }

  void synthesize(VerbsEndpoint endpoint, long requestId, Operation operation, String words) {
    synthetic.add(new Synthetic(endpoint, requestId, operation, words));
  }

  /** It tells them at the next poll. */
  void completionsKept(VerbsSendQueue sends) {
    if (!keepers.contains(sends)) {
      keepers.add(sends);
    }
  }

  void synthesizeReceive(VerbsEndpoint endpoint, long requestId, String words) {
    if (!closed) {
      synthetic.add(new Synthetic(endpoint, requestId, Operation.RECEIVE, words));
    }
  }

  /** The device lost one of the queues, which it names by its ibv_cq. */
  void lost(long pointer, String words) {
    for (VerbsQueue queue : queues) {
      if (queue.pointer == pointer) {
        lost(queue, words);
      }
    }
  }

  /** Ends the endpoints of a queue that the device lost, where nothing tells any more what became of what they posted. */
  private void lost(VerbsQueue queue, String words) {
    if (!queue.isLost()) {
      queue.lose();
      for (VerbsEndpoint endpoint : List.copyOf(endpoints)) {
        if (endpoint.isOn(queue)) {
          endpoint.broke(new ProviderException(ProviderException.Reason.OTHER, endpoint.named() + ": " + words));
          endpoint.late(EndpointDeadline.Kind.FLUSH);
        }
      }
    }
  }

  /** The device lost a shared receive queue, which it names by its ibv_srq: the endpoints that use it end. */
  void receivesLost(long pointer, String words) {
    for (VerbsReceiveQueue shared : sharedReceives) {
      if (shared.pointer() == pointer) {
        shared.lose();
        for (VerbsEndpoint endpoint : List.copyOf(endpoints)) {
          if (endpoint.receives() == shared) {
            endpoint.broke(new ProviderException(ProviderException.Reason.OTHER, endpoint.named() + ": " + words));
          }
        }
      }
    }
  }

  /** Closes lost queues that no queue pair refers to any more. */
  private void closeLost() {
    for (VerbsQueue queue : List.copyOf(queues)) {
      if (queue.isLost() && queue.isUnused()) {
        queues.remove(queue);
        whenDestroyed(queue::close);
      }
    }
  }

  /** Runs something once queue pairs that are being destroyed are. */
  private void whenDestroyed(Runnable action) {
    if (domain.reaper().busy()) {
      domain.reaper().later(action);
    } else {
      action.run();
    }
  }

  // Polling

  @Override
  public int capacity() {
    int sum = 0;
    for (VerbsQueue queue : queues) {
      sum += queue.capacity();
    }
    return sum;
  }

  @Override
  public int poll(CompletionBatch batch) {
    if (polling) {
      throw new IllegalStateException("a handler polls the completion queue that called it");
    }
    batch.clear();
    if (closed) {
      return 0;
    }
    polling = true;
    try {
      if (--untilLook < 0 || events.urgent()) {
        untilLook = BETWEEN_LOOKS;
        events.turn(past());
      }
      if (!closed) {
        drain(batch);
      }
      if (closed) {
        // Closed by a handler: no completion of its endpoints is delivered afterwards.
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

  private void drain(CompletionBatch batch) {
    long before = rounds;
    fill(batch);
    if (rounds != before) {
      roundsEnded();
    }
  }

  /** Moves completions into the batch. */
  private void fill(CompletionBatch batch) {
    while (!synthetic.isEmpty() && !batch.isFull()) {
      Synthetic lost = synthetic.poll();
      int entry = batch.add(lost.requestId, lost.operation, lost.endpoint, 0);
      batch.error(entry, Status.FLUSHED, lost.words);
    }
    while (!keepers.isEmpty() && !batch.isFull()) {
      keepers.poll().tellKept(batch);
    }
    int most = ROUNDS * batch.capacity();
    boolean more = true;
    while (true) {
      while (read < fetched && !batch.isFull()) {
        CompletionReader.read(owners, entries + (long) read++ * WC_SIZE, batch);
      }
      if (read < fetched || batch.isFull() || most <= 0) {
        return;
      }
      // Here all that was fetched is in batches.
      if (!more) {
        endRound(2);
        return;
      }
      if (isRoundOver()) {
        endRound(1);
      }
      int wanted = Math.min(ENTRIES, batch.capacity() - batch.size());
      fetch(wanted);
      // Fewer than were asked for are all that there were; ib_poll_cq of Linux, which drivers follow.
      more = fetched == wanted;
      most -= fetched;
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
    rounds += count;
    for (int i = 0; i < queues.size(); i++) {
      queues.get(i).beginRound();
    }
  }

  /** Fetches entries of the device, as far as there are some. */
  private void fetch(int wanted) {
    read = 0;
    fetched = 0;
    for (int i = 0; i < queues.size() && fetched < wanted; i++) {
      next = next + 1 < queues.size() ? next + 1 : 0;
      try {
        VerbsQueue queue = queues.get(next);
        int n = (int) IbVerbs.POLL_CQ.invokeExact(domain.pollCq(), queue.pointer, wanted - fetched, entries + (long) fetched * WC_SIZE);
        if (n < 0) {
          lost(queue, "ibv_poll_cq of its completion queue failed with " + n
            + ", so completions are lost: connect again, which takes another one");
        } else {
          queue.fetched(n, wanted - fetched);
          fetched += n;
        }
      } catch (Throwable t) {
        throw Calls.rethrow(t);
      }
    }
  }

  private void roundsEnded() {
    draining.destroy(past());
    if (!leaving.isEmpty()) {
      while (!leaving.isEmpty() && leaving.peek().rounds <= past()) {
        leaving.poll().room.release();
      }
      closeLost();
    }
  }

  // Waiting

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
    if (read < fetched || !synthetic.isEmpty() || !keepers.isEmpty() || !events.arm()) {
      return false;
    }
    for (VerbsQueue queue : queues) {
      try {
        int ignored = (int) IbVerbs.REQ_NOTIFY_CQ.invokeExact(domain.requestNotify(), queue.pointer, 0);
      } catch (Throwable t) {
        throw Calls.rethrow(t);
      }
    }
    // Completions before the request make no event; those that come now do.
    fetch(ENTRIES);
    return fetched == 0 && !events.pending();
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    // Waiting is by fd.
  }

  @Override
  public int unannounced() {
    return 0;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    events.closeListeners();
    for (VerbsEndpoint endpoint : List.copyOf(endpoints)) {
      endpoint.close();
    }
    draining.destroyAll();
    for (VerbsReceiveQueue shared : List.copyOf(sharedReceives)) {
      shared.close();
    }
    domain.forget(this);
    if (!polling) {
      release();
    }
  }

  /** Frees all that is native: a poll whose handler closes the queue goes on with it until it ends. */
  private void release() {
    whenDestroyed(this::destroy);
  }

  private void destroy() {
    for (VerbsQueue queue : queues) {
      queue.close();
    }
    events.close();
    Memory.free(entries);
    domain.left();
  }
}
