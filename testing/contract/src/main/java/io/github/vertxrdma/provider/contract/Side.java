package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * One side of a test: a completion queue with its completions, messages and memory. Copies received messages, and posts their receives
 * ("slots") again. Confined to one thread.
 */
public final class Side implements EndpointHandler, AutoCloseable {
  private static final long SLOT = 0x510_7000_0000_0000L;
  private static final AtomicLong IDS = new AtomicLong(1);

  public record Message(Endpoint endpoint, byte[] data, boolean hasImmediate, long immediate) {
  }

  private final Domain domain;
  private final CompletionQueue queue;
  private final PairOptions options;
  private final CompletionBatch batch = new CompletionBatch(64);
  private final Arena arena = Arena.ofShared();
  private final List<AutoCloseable> resources = new ArrayList<>();
  private final ReceiveQueue shared;
  private final int prefix;
  private IntSupplier whileBusy = this::poll;
  private MemoryRegion slab;
  private int slabUsed;
  /** All receives that this side posts, by request id. */
  private final Map<Long, Slot> slots = new HashMap<>();
  private final ArrayDeque<Long> unposted = new ArrayDeque<>();
  private boolean reposting = true;
  private Thread poller;
  private boolean closed;

  /** Completions except messages and failed receives. */
  public final List<Completion> completions = new ArrayList<>();
  public final ArrayDeque<Message> messages = new ArrayDeque<>();
  public final List<Completion> failedSlots = new ArrayList<>();
  public final List<ConnectionRequest> requests = new ArrayList<>();
  public final List<Endpoint> connected = new ArrayList<>();
  public final List<Endpoint> disconnected = new ArrayList<>();
  public ProviderException cause;
  public byte[] connectedData;
  public Endpoint endpoint;

  public Side(Domain domain, PairOptions options) {
    this.domain = domain;
    this.options = options;
    prefix = domain.capabilities().messagePrefix();
    queue = domain.createCompletionQueue(options.queueDepth());
    shared = options.sharedReceives() || domain.capabilities().sharedReceiveOnly() ? shareReceives(slotCount()) : null;
  }

  private int slotCount() {
    return options.slots() + domain.capabilities().reservedReceives();
  }

  private ReceiveQueue shareReceives(int count) {
    ReceiveQueue receives = domain.createSharedReceiveQueue(queue, Math.max(count, 1));
    postSlots(receives, count);
    return receives;
  }

  public Domain domain() {
    return domain;
  }

  public CompletionQueue queue() {
    return queue;
  }

  /** Returns the receive queue of all endpoints, or null if each endpoint has its own. */
  public ReceiveQueue shared() {
    return shared;
  }

  public EndpointOptions endpointOptions() {
    return options.endpoint().withReceiveQueue(shared);
  }

  public Listener listenAndAccept() {
    return listen(null, this::accept);
  }

  public Listener listen(EndpointAddress local, ListenHandler handler) {
    Listener listener = domain.listen(queue, local, endpointOptions(), ListenHandler.here(handler));
    resources.add(listener);
    return listener;
  }

  public Endpoint accept(ConnectionRequest request) {
    requests.add(request);
    endpoint = request.createEndpoint(queue, endpointOptions(), this);
    own(endpoint);
    request.accept(options.acceptData());
    return endpoint;
  }

  public Endpoint createEndpoint() {
    endpoint = domain.createEndpoint(queue, endpointOptions(), this);
    return own(endpoint);
  }

  public Endpoint createExchangedEndpoint() {
    endpoint = domain.createExchangedEndpoint(queue, endpointOptions(), this);
    return own(endpoint);
  }

  public Endpoint connect(EndpointAddress remote) {
    Endpoint made = createEndpoint();
    made.connect(remote, options.connectData());
    return made;
  }

  private Endpoint own(Endpoint made) {
    resources.add(made);
    if (shared == null) {
      postSlots(made.receiveQueue(), options.slots());
    }
    return made;
  }

  private void postSlots(ReceiveQueue receives, int count) {
    int size = options.slotSize() + prefix;
    MemoryRegion region = options.inPlace() ? null : region((long) Math.max(1, count) * size, Access.LOCAL_WRITE);
    for (int i = 0; i < count; i++) {
      long id = SLOT + slots.size();
      slots.put(id, new Slot(receives, region, region == null ? 0 : (long) i * size, size));
      repost(id);
    }
  }

  private record Slot(ReceiveQueue receives, MemoryRegion region, long offset, int size) {
  }

  public int slotsPosted() {
    return slots.size();
  }

  public void reposting(boolean on) {
    reposting = on;
    while (on && !unposted.isEmpty()) {
      repost(unposted.poll());
    }
  }

  private void repost(long requestId) {
    Slot slot = slots.get(requestId);
    int status = slot.receives.post(requestId, slot.region, slot.offset, slot.size);
    if (status != Status.OK && status != Status.NOT_CONNECTED) {
      throw new AssertionError("posting slot " + (requestId - SLOT) + ": " + Status.name(status));
    }
  }

  @Override
  public void connected(Endpoint which, byte[] privateData) {
    onPollingThread("connected");
    connected.add(which);
    connectedData = privateData;
  }

  @Override
  public void disconnected(Endpoint which, ProviderException why) {
    onPollingThread("disconnected");
    if (disconnected.contains(which)) {
      throw new AssertionError("disconnected was reported twice: " + why);
    }
    disconnected.add(which);
    cause = why;
  }

  private void onPollingThread(String what) {
    if (poller != null && poller != Thread.currentThread()) {
      throw new AssertionError(what + " was reported on " + Thread.currentThread() + ", not on the polling thread " + poller);
    }
  }

  public static long nextId() {
    return IDS.getAndIncrement();
  }

  /** Closes what this side would close at its end, and keeps nothing of it. */
  public void forget(AutoCloseable... made) {
    for (AutoCloseable each : made) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      resources.remove(each);
      if (each instanceof Endpoint ended) {
        connected.remove(ended);
        disconnected.remove(ended);
      }
    }
  }

  /** Registers zeroed memory until this side is closed. */
  public MemoryRegion region(long bytes, Access... access) {
    Set<Access> rights = EnumSet.noneOf(Access.class);
    rights.addAll(List.of(access));
    MemoryRegion region = domain.register(domain.allocate(bytes, rights, arena), rights);
    resources.add(region);
    return region;
  }

  public MemoryRegion openRegion(long bytes) {
    return domain.capabilities().atomics()
      ? region(bytes, Access.LOCAL_WRITE, Access.READ_SINK, Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC)
      : region(bytes, Access.LOCAL_WRITE, Access.READ_SINK, Access.REMOTE_READ, Access.REMOTE_WRITE);
  }

  public RemoteMemory remote(MemoryRegion peers) {
    return remote(peers, 0, peers.size());
  }

  public RemoteMemory remote(MemoryRegion peers, long offset, long length) {
    RemoteMemory memory = domain.remoteMemory(peers.remoteAddress() + offset, length, peers.remoteKey());
    resources.add(memory);
    return memory;
  }

  /** Returns the number of bytes before the payload, which the provider uses. */
  public int prefix() {
    return prefix;
  }

  void whileBusy(IntSupplier polling) {
    whileBusy = polling;
  }

  /** Posts a signalled request with a new id. @return the id */
  public long post(WorkRequest request) {
    assertPost(Status.OK, endpoint, request);
    return request.id();
  }

  static void assertPost(int expected, Endpoint endpoint, WorkRequest request) {
    int status = endpoint.post(request.id(nextId()).flags(request.flags() | PostFlags.SIGNALED));
    assertEquals(Status.name(expected), Status.name(status),
      () -> request + " at " + request.offset() + ", remotely at " + request.remoteOffset());
  }

  public long send(Endpoint to, byte[] data, int flags) {
    int length = data.length + prefix;
    if (slab == null || slabUsed + length > slab.size()) {
      slab = region(Math.max(slab == null ? 1 << 16 : slab.size(), 4L * length));
      slabUsed = 0;
    }
    MemorySegment.copy(MemorySegment.ofArray(data), 0, slab.segment(), slabUsed + prefix, data.length);
    WorkRequest request = new WorkRequest().send(slab, slabUsed, length).id(nextId()).flags(flags);
    slabUsed += length;
    int status = to.post(request);
    for (long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Await.PATIENCE_MILLIS); status == Status.AGAIN
      && System.nanoTime() - end < 0; status = to.post(request)) {
      whileBusy.getAsInt();
    }
    if (status != Status.OK) {
      throw new AssertionError("postSend of " + data.length + " bytes: " + Status.name(status) + ", " + to.failure());
    }
    return request.id();
  }

  /** Sends a message from memory that the endpoint offers. @return false if it offers none */
  public boolean sendClaimed(Endpoint to, byte[] data) {
    long at = to.claim(data.length);
    if (at < 0) {
      return false;
    }
    MemorySegment.copy(data, 0, to.claimed(), ValueLayout.JAVA_BYTE, at, data.length);
    to.sendClaimed(data.length);
    return true;
  }

  public int poll() {
    poller = Thread.currentThread();
    if (Thread.interrupted()) {
      throw new AssertionError("the test's time is up: " + this);
    }
    int n = queue.poll(batch);
    for (int i = 0; i < n; i++) {
      Completion completion = Completion.of(batch, i);
      Operation operation = completion.operation();
      if (slots.containsKey(completion.requestId())
        && (operation == null || operation == Operation.RECEIVE || operation == Operation.REMOTE_WRITE)) {
        slotCompleted(completion, i);
      } else {
        completions.add(completion);
      }
    }
    return n;
  }

  private void slotCompleted(Completion completion, int i) {
    if (!completion.ok()) {
      failedSlots.add(completion);
      return;
    }
    long id = completion.requestId();
    Slot slot = slots.get(id);
    if (completion.operation() == Operation.RECEIVE) {
      byte[] data = new byte[Math.toIntExact(completion.length() - prefix)];
      MemorySegment place = batch.memory(i);
      if ((place == null) != (slot.region != null)) {
        throw new AssertionError("a message in place: " + (place != null) + ", a receive with memory: " + (slot.region != null));
      }
      MemorySegment.copy(place == null ? slot.region.segment() : place, ValueLayout.JAVA_BYTE,
        (place == null ? slot.offset : batch.offset(i)) + prefix, data, 0, data.length);
      messages.add(new Message(completion.endpoint(), data, completion.hasImmediate(), completion.immediate()));
    } else {
      completions.add(completion);
    }
    if (reposting) {
      repost(id);
    } else {
      unposted.add(id);
    }
  }

  public Completion completion(long requestId) {
    return completions.stream().filter(completion -> completion.requestId() == requestId).findFirst().orElse(null);
  }

  boolean isPolledHere() {
    return !closed && poller == Thread.currentThread();
  }

  /** Closes the endpoints. The next polls notify the peers. */
  void closeEndpoints() {
    for (AutoCloseable resource : resources.reversed()) {
      if (resource instanceof Endpoint) {
        close(resource);
      }
    }
  }

  /** Closes the queue, which also closes its endpoints. */
  public void closeQueue() {
    poller = null;
    queue.close();
  }

  /** Closes all objects in an order that all devices accept: endpoints and listeners in reverse, the queue, the memory. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (AutoCloseable resource : resources.reversed()) {
      if (!(resource instanceof MemoryRegion)) {
        close(resource);
      }
    }
    if (shared != null) {
      shared.close();
    }
    queue.close();
    for (AutoCloseable resource : resources.reversed()) {
      if (resource instanceof MemoryRegion) {
        close(resource);
      }
    }
    arena.close();
  }

  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String toString() {
    return "state " + (endpoint == null ? "none" : endpoint.state()) + ", connected " + connected.size() + ", disconnected "
      + disconnected.size() + (cause == null ? "" : " (" + cause.getMessage() + ')') + ", messages " + messages.size() + ", failed slots "
      + failedSlots + ", completions " + (completions.size() > 20 ? completions.size() : completions);
  }
}
