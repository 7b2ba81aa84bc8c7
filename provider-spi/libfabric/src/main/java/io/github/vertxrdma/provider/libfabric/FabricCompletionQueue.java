package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

final class FabricCompletionQueue extends NativeQueue implements CompletionQueue {
  private static final int AT_ONCE = 64;
  /** Bit in the context of a send without a completion. It shows that the context is a number, not an address. */
  static final long SILENT = Long.MIN_VALUE;
  /** Maximum number of operations, of 120 bytes each, if the provider prevents overruns. */
  private static final int MOST_CONTEXTS = 1 << 18;
  /** Additional entries for completions of operations that this side did not post. */
  private static final int SPARE_ENTRIES = 16;
  private static final int EVENT_POLLS = 16;
  private static final long EVENT_NANOS = 1_000_000;

  private final FabricDomain domain;
  /** Null for connectionless endpoints of a provider without event queues. */
  final EventQueue events;
  private final boolean connected;
  final QueueFd fd;
  final ContextSlab slab;
  private final Fid operands;
  final HeldCompletions held;
  private final ArrayDeque<Integer> flushed = new ArrayDeque<>();
  /** Connections by number. The context of a send without a completion contains the number, to identify the connection of an error. */
  final Map<Long, MsgEndpoint> numbers = new HashMap<>();
  private long lastNumber;
  /** Reports of ends of connections. They run in a later poll, after all completions that are in the queue now were reported. */
  final ArrayDeque<Runnable> ends = new ArrayDeque<>();
  final List<MsgEndpoint> connecting = new ArrayList<>();
  /** Failed endpoints that may have operations in flight. */
  final List<MsgEndpoint> broken = new ArrayList<>();
  final List<MsgListener> listeners = new ArrayList<>();
  /** Endpoints and listeners, which close with the queue. */
  final LinkedHashSet<AutoCloseable> members = new LinkedHashSet<>();
  /** True if the last read found no completions. */
  private boolean drained;
  /** True if the last read found fewer completions than requested. */
  private boolean cut;
  private boolean eventsDue;
  private boolean polling;
  private boolean closeAfterPoll;
  private volatile boolean closed;
  private int pollsToEvents;
  private long eventsRead;
  /** Number of reads, writes and atomics in flight. */
  int oneSided;

  FabricCompletionQueue(FabricDomain domain, int depth) {
    super(domain.library, domain.openCompletionQueue(depth + SPARE_ENTRIES, domain.waitsByFd()), "fi_cq_", AT_ONCE * Structs.CQ_ENTRY,
      Structs.CQ_OPS, Structs.CQ_READ, Structs.CQ_READERR, Structs.CQ_STRERROR);
    this.domain = domain;
    connected = domain.connected;
    boolean operandsAreRegistered = domain.capabilities().atomics() && domain.registersLocalMemory();
    try {
      slab = new ContextSlab(depth, domain.managesResources() && !operandsAreRegistered ? Math.max(depth, MOST_CONTEXTS) : depth);
      held = new HeldCompletions(slab);
      events = connected ? new EventQueue(domain.library, domain.fabric, domain.waitsByFd()) : domain.openEventQueue();
      fd = new QueueFd(domain, fid, connected ? events : null);
      operands = operandsAreRegistered ? domain.registerFid(slab.operandsBase(), slab.operandsSize(), Fi.SEND | Fi.WRITE) : null;
    } catch (RuntimeException | OutOfMemoryError e) {
      release();
      throw e;
    }
  }

  private void release() {
    if (fd != null) {
      fd.close();
    }
    destroy();
    if (events != null) {
      events.close();
    }
    if (operands != null) {
      operands.close();
    }
    if (slab != null) {
      slab.free();
    }
  }

  long operandDescriptor() {
    return operands == null ? 0 : Memory.getLong(operands.address() + Structs.MR_DESC);
  }

  /** Returns a new number for an endpoint, never 0. */
  long number(MsgEndpoint endpoint) {
    numbers.put(++lastNumber, endpoint);
    return lastNumber;
  }

  void orphan(PostOwner work) {
    held.drop(work);
    if (!flushed.isEmpty()) {
      flushed.removeIf(slot -> slab.works[slot] == work);
    }
    oneSided -= slab.orphan(work);
  }

  /** Lets later polls report operations as flushed, because their endpoint ended before the provider completed them. */
  void flush(PostOwner work) {
    for (int slot : slab.underWay(work)) {
      slab.owed(slot);
      flushed.add(slot);
    }
  }

  boolean isReading(PostOwner work) {
    return Arrays.stream(slab.underWay(work)).anyMatch(slot -> slab.operations[slot] == Operation.READ);
  }

  private void reportFlushed(CompletionBatch batch) {
    while (!flushed.isEmpty() && !batch.isFull()) {
      failed(flushed.poll(), Status.FLUSHED, "flushed: the connection is closed", 0, batch);
    }
  }

  @Override
  public int capacity() {
    return slab.capacity();
  }

  @Override
  public int poll(CompletionBatch batch) {
    batch.clear();
    if (closed) {
      return 0;
    }
    if (polling) {
      throw new IllegalStateException("a handler must not poll the completion queue that called it");
    }
    polling = true;
    try {
      if (drained) {
        for (int n = ends.size(); n > 0; n--) {
          ends.poll().run();
        }
      }
      held.report(batch);
      reportFlushed(batch);
      drain(batch);
      if (events != null) {
        // A completion may be the first message of a peer. The endpoint must report its connection before that message.
        eventsDue |= batch.size() > 0 && !connecting.isEmpty();
        if (eventsDue || (batch.size() > 0 ? connected && System.nanoTime() - eventsRead > EVENT_NANOS : pollsToEvents-- <= 0)) {
          pollEvents();
        }
      }
      return batch.size();
    } finally {
      polling = false;
      if (closeAfterPoll) {
        close();
      }
    }
  }

  private void drain(CompletionBatch batch) {
    drained = false;
    cut = false;
    while (!batch.isFull()) {
      int want = Math.min(AT_ONCE, batch.capacity() - batch.size());
      long n = Calls.plain(read, fid.address(), entries, want);
      if (n > 0) {
        long entry = entries;
        for (long end = entry + n * Structs.CQ_ENTRY; entry != end; entry += Structs.CQ_ENTRY) {
          completed(entry, batch);
        }
        // The batch has room, because at most as many completions are read as fit.
        held.report(batch);
        if (n < want) {
          cut = true;
          return;
        }
      } else if (n == -Fi.EAVAIL) {
        eventsDue = true;
        if (!readError()) {
          return;
        }
        failed(batch);
      } else {
        drained = true;
        slab.drained();
        return;
      }
    }
  }

  void progress() {
    Calls.plain(read, fid.address(), entries, 0);
  }

  private void completed(long entry, CompletionBatch batch) {
    int slot = slab.returned(Memory.getLong(entry + Structs.CQ_CONTEXT));
    if (slot < 0) {
      return;
    }
    PostOwner work = slab.works[slot];
    Operation operation = slab.operations[slot];
    if (operation == Operation.RECEIVE) {
      // Another program's write with immediate takes a receive on some fabrics.
      boolean write = (Memory.getLong(entry + Structs.CQ_FLAGS) & Fi.REMOTE_WRITE) != 0;
      Operation what = write ? Operation.REMOTE_WRITE : Operation.RECEIVE;
      batch.add(slab.requestIds[slot], what, work.endpoint, Memory.getLong(entry + Structs.CQ_LEN));
      work.returned(true, false);
      slab.release(slot);
      return;
    }
    finished(slot);
    if (!slab.signalled[slot]) {
      slab.release(slot);
    } else if (held.count == 0 && slab.isCovered(slot)) {
      batch.add(slab.requestIds[slot], operation, work.endpoint, 0);
      slab.release(slot);
    } else {
      held.add(slot);
    }
  }

  private void finished(int slot) {
    Operation operation = slab.operations[slot];
    slab.works[slot].returned(slab.signalled[slot], operation.isRead());
    if (operation.isOneSided()) {
      oneSided--;
    }
  }

  private void failed(CompletionBatch batch) {
    long context = Memory.getLong(error + Structs.CQ_ERR_CONTEXT);
    int slot = context < 0 ? -1 : slab.returned(context);
    if (context < 0) {
      silentFailed(context & ~SILENT, batch);
    } else if (slot >= 0) {
      failed(slot, status(), words(slab.operations[slot], slab.works[slot].endpoint), Memory.getLong(error + Structs.CQ_ERR_LEN), batch);
    }
  }

  private int status() {
    return FabricErrors.completionStatus(Memory.getInt(error + Structs.CQ_ERR_ERR));
  }

  private String words(Operation operation, Endpoint endpoint) {
    return operation + (endpoint == null ? "" : " with " + endpoint.remoteAddress()) + ": "
      + describe(Math.abs(Memory.getInt(error + Structs.CQ_ERR_ERR)), Memory.getInt(error + Structs.CQ_ERR_PROV_ERRNO),
        Memory.getLong(error + Structs.CQ_ERR_DATA));
  }

  /**
   * Reports a failed send that has no completion. {@code number} is the endpoint's number, or the request id of a connectionless endpoint.
   */
  private void silentFailed(long number, CompletionBatch batch) {
    MsgEndpoint endpoint = connected ? numbers.get(number) : null;
    if (!connected || endpoint != null) {
      int i = batch.add(connected ? -1 : number, Operation.SEND, endpoint, 0);
      batch.error(i, status(), words(Operation.SEND, endpoint));
    }
  }

  private void failed(int slot, int status, String words, long length, CompletionBatch batch) {
    PostOwner work = slab.works[slot];
    Operation operation = slab.operations[slot];
    if (operation == Operation.RECEIVE) {
      work.returned(true, false);
    } else {
      finished(slot);
    }
    int i = batch.add(slab.requestIds[slot], operation, work.endpoint, operation == Operation.RECEIVE ? length : 0);
    batch.error(i, status, words);
    slab.release(slot);
  }

  private void pollEvents() {
    eventsDue = false;
    pollsToEvents = EVENT_POLLS;
    eventsRead = System.nanoTime();
    events.poll();
    if (!connecting.isEmpty()) {
      // Iterates over a copy, because handlers may close other endpoints.
      List.copyOf(connecting).forEach(endpoint -> endpoint.expire(eventsRead));
    }
    for (int i = 0; i < listeners.size(); i++) {
      listeners.get(i).poll(eventsRead);
    }
    for (int i = broken.size() - 1; i >= 0; i--) {
      if (broken.get(i).settled(eventsRead)) {
        broken.remove(i);
      }
    }
  }

  @Override
  public Waiting waiting() {
    return fd.isNone() ? Waiting.NONE : Waiting.FD;
  }

  @Override
  public int fd() {
    return fd.fd;
  }

  @Override
  public boolean arm() {
    pollsToEvents = 0;
    // With an fd, a short read is sufficient, because fi_trywait(3) also finds unread completions.
    if (closed || !drained && (fd.isNone() || !cut) || !ends.isEmpty() || !broken.isEmpty() || !flushed.isEmpty() || held.isDue()) {
      return false;
    }
    return fd.isNone() || fd.maySleep();
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    throw new ProviderException(ProviderException.Reason.UNSUPPORTED, domain.device().name() + " can only wait by a file "
      + "descriptor, or not at all");
  }

  @Override
  public int unannounced() {
    return fd.isNone() ? oneSided : 0;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    while (!members.isEmpty()) {
      try {
        members.removeFirst().close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    if (polling) {
      closeAfterPoll = true;
      return;
    }
    closed = true;
    release();
    domain.forget(this);
  }
}
