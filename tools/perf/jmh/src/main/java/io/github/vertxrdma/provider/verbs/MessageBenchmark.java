package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;

/**
 * Measures messages and remote reads of the verbs provider, and of a C program ({@link Twin}) that does the same on the device in user
 * space. The difference is the cost of the provider. Both ends are on one thread and one completion queue. An operation is one message,
 * sent and received, or one read.
 */
public class MessageBenchmark extends UserSpaceBenchmark implements EndpointHandler {
  private static final int RECEIVES = 32;
  private static final int SIDE = 1 << 16;
  private static final long SENT = 1L << 32;

  private final CompletionBatch batch = new CompletionBatch(2 * BURST);
  private final WorkRequest request = new WorkRequest();
  private final Endpoint[] endpoints = new Endpoint[2];
  private CompletionQueue queue;
  private MemoryRegion region;
  private MemoryRegion receives;
  private RemoteMemory remote;
  private int connected;
  private Twin twin;
  private MemorySegment rounds;
  private MemorySegment batches;
  private MemorySegment bursts;
  private MemorySegment reads;
  private MemorySegment polls;

  @Setup
  public void open() throws Exception {
    Nic nic = device();
    Domain domain = new VerbsProvider().discover(new DiscoveryOptions()).devices().getFirst().open();
    queue = domain.createCompletionQueue(4 * RECEIVES);
    Arena arena = Arena.global();
    region = domain.register(arena.allocate(4096, 4096), Set.of(Access.LOCAL_WRITE, Access.READ_SINK));
    receives = domain.register(arena.allocate(2L * RECEIVES * SIZE, 4096), Set.of(Access.LOCAL_WRITE));
    MemoryRegion there = domain.register(arena.allocate(4096, 4096), Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE));
    EndpointOptions options = new EndpointOptions();
    var listener = domain.listen(queue, null, options, this::accept);
    endpoints[0] = domain.createEndpoint(queue, options, this);
    fill(0);
    endpoints[0].connect(listener.localAddress(), new byte[0]);
    while (connected < 2) {
      queue.poll(batch);
    }
    remote = domain.remoteMemory(there.remoteAddress(), there.size(), there.remoteKey());
    twin = new Twin(nic);
    rounds = twin.function("twin_rounds");
    batches = twin.function("twin_batches");
    bursts = twin.function("twin_bursts");
    reads = twin.function("twin_reads");
    polls = twin.function("twin_polls");
  }

  private void accept(ConnectionRequest request) {
    endpoints[1] = request.createEndpoint(queue, new EndpointOptions(), this);
    fill(1);
    request.accept(new byte[0]);
  }

  private void fill(int side) {
    for (int slot = 0; slot < RECEIVES; slot++) {
      receive((long) side * SIDE + slot);
    }
  }

  private void receive(long id) {
    int side = (int) id / SIDE;
    int status = endpoints[side].receiveQueue().post(id, receives, ((long) side * RECEIVES + id % SIDE) * SIZE, SIZE);
    if (status != Status.OK) {
      throw new IllegalStateException(Status.name(status));
    }
  }

  @Override
  public void connected(Endpoint endpoint, byte[] privateData) {
    connected++;
  }

  @Override
  public void disconnected(Endpoint endpoint, ProviderException cause) {
    throw cause;
  }

  private void post(int side) {
    int status = endpoints[side].post(request);
    if (status != Status.OK) {
      throw new IllegalStateException(Status.name(status));
    }
  }

  /** Polls for this number of completions, and posts each completed receive again. */
  private void take(int wanted) {
    for (int left = wanted; left > 0; left -= batch.size()) {
      queue.poll(batch);
      for (int i = 0; i < batch.size(); i++) {
        if (batch.status(i) != Status.OK) {
          throw new IllegalStateException(batch.error(i));
        }
        if (batch.operation(i) == Operation.RECEIVE) {
          receive(batch.requestId(i));
        }
      }
    }
  }

  @Benchmark
  @OperationsPerInvocation(2 * TIMES)
  public void message() {
    for (int i = 0; i < 2 * TIMES; i++) {
      request.send(region, 0, SIZE).id(SENT).flags(PostFlags.SIGNALED | PostFlags.INLINE);
      post(i & 1);
      take(2);
    }
  }

  @Benchmark
  @OperationsPerInvocation(2 * TIMES)
  public void messageInC() {
    twin.work(rounds, TIMES);
  }

  @Benchmark
  @OperationsPerInvocation(TIMES / BURST * BURST)
  public void batched() {
    for (int i = 0; i < TIMES / BURST; i++) {
      for (int k = 0; k < BURST; k++) {
        request.send(region, (long) k * SIZE, SIZE).id(SENT).flags(k < BURST - 1 ? PostFlags.MORE : PostFlags.SIGNALED);
        post(0);
      }
      take(BURST + 1);
    }
  }

  @Benchmark
  @OperationsPerInvocation(TIMES / BURST * BURST)
  public void batchedInC() {
    twin.work(batches, TIMES / BURST);
  }

  @Benchmark
  @OperationsPerInvocation(TIMES / BURST * BURST)
  public void burst() {
    for (int i = 0; i < TIMES / BURST; i++) {
      for (int k = 0; k < BURST; k++) {
        request.send(region, (long) k * SIZE, SIZE).id(SENT).flags(PostFlags.SIGNALED | PostFlags.INLINE);
        post(0);
      }
      take(2 * BURST);
    }
  }

  @Benchmark
  @OperationsPerInvocation(TIMES / BURST * BURST)
  public void burstInC() {
    twin.work(bursts, TIMES / BURST);
  }

  @Benchmark
  @OperationsPerInvocation(TIMES)
  public void read() {
    for (int i = 0; i < TIMES; i++) {
      request.read(region, 0, SIZE, remote, 0).id(SENT).flags(PostFlags.SIGNALED);
      post(0);
      take(1);
    }
  }

  @Benchmark
  @OperationsPerInvocation(TIMES)
  public void readInC() {
    twin.work(reads, TIMES);
  }

  @Benchmark
  @OperationsPerInvocation(TIMES)
  public void pollInVain() {
    for (int i = 0; i < TIMES; i++) {
      queue.poll(batch);
    }
  }

  @Benchmark
  @OperationsPerInvocation(TIMES)
  public void pollInVainInC() {
    twin.work(polls, TIMES);
  }
}
