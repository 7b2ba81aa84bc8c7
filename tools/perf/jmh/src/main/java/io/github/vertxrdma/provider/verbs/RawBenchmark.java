package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaDevice;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.ConnectionRequest;
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
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.lang.foreign.Arena;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures 64-byte reads and messages in raw mode, both ends on one event loop. {@link MessageBenchmark} has no event loop, and {@link
 * ConnectionBenchmark} has all layers. An operation is one read or one message.
 */
public class RawBenchmark extends UserSpaceBenchmark implements EndpointHandler {
  private static final Set<Access> ACCESS = Set.of(Access.LOCAL_WRITE, Access.READ_SINK, Access.REMOTE_READ);

  private final Semaphore done = new Semaphore(0);
  private final WorkRequest request = new WorkRequest();
  private Vertx vertx;
  private RdmaDevice device;
  private MemoryRegion memory;
  private RemoteMemory remote;
  private Endpoint endpoint;
  private int connected;
  private int left;
  private int missing;

  @Setup
  public void open() throws Exception {
    device();
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    device = Rdma.create(vertx, new RdmaOptions()).openDevice("verbs:" + Nic.DEFAULT).await(30, TimeUnit.SECONDS)
      .completionHandler(this::completed);
    device.run(this::connect).await(30, TimeUnit.SECONDS);
    device.until(() -> connected == 2).await(30, TimeUnit.SECONDS);
  }

  private Void connect() {
    Domain domain = device.domain();
    memory = domain.register(domain.allocate((BURST + 1) * SIZE, ACCESS, Arena.ofAuto()), ACCESS);
    remote = domain.remoteMemory(memory.remoteAddress(), memory.size(), memory.remoteKey());
    EndpointOptions options = new EndpointOptions();
    var listener = domain.listen(device.queue(), null, options, this::accept);
    endpoint = domain.createEndpoint(device.queue(), options, this);
    endpoint.connect(listener.localAddress(), new byte[0]);
    return null;
  }

  private void accept(ConnectionRequest asked) {
    Endpoint accepted = asked.createEndpoint(device.queue(), new EndpointOptions(), this);
    for (int i = 0; i < BURST; i++) {
      receive(accepted, i);
    }
    asked.accept(new byte[0]);
  }

  private void receive(Endpoint at, long slot) {
    check(at.receiveQueue().post(slot, memory, (1 + slot) * SIZE, SIZE));
  }

  private static void check(int status) {
    if (status != Status.OK) {
      throw new IllegalStateException(Status.name(status));
    }
  }

  @Override
  public void connected(Endpoint made, byte[] privateData) {
    connected++;
  }

  @Override
  public void disconnected(Endpoint made, ProviderException cause) {
    made.close();
  }

  private void completed(CompletionBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      check(batch.status(i));
      if (batch.operation(i) == Operation.READ) {
        next(this::postRead);
      } else if (batch.operation(i) == Operation.RECEIVE) {
        receive(batch.endpoint(i), batch.requestId(i));
        if (--missing == 0) {
          next(this::postBurst);
        }
      }
    }
  }

  private void next(Runnable post) {
    if (--left > 0) {
      post.run();
    } else {
      done.release();
    }
  }

  private void postRead() {
    check(endpoint.post(request.read(memory, 0, SIZE, remote, SIZE).id(1).flags(PostFlags.SIGNALED)));
  }

  private void postBurst() {
    missing = BURST;
    for (int i = 0; i < BURST; i++) {
      check(endpoint.post(request.send(memory, 0, SIZE).id(2).flags(PostFlags.INLINE)));
    }
  }

  private void run(int times, Runnable first) throws InterruptedException {
    device.run(() -> {
      left = times;
      first.run();
      return null;
    });
    done.acquire();
  }

  @Benchmark
  @OperationsPerInvocation(TIMES)
  public void read() throws InterruptedException {
    run(TIMES, this::postRead);
  }

  @Benchmark
  @OperationsPerInvocation(BURSTS * BURST)
  public void burst() throws InterruptedException {
    run(BURSTS, this::postBurst);
  }

  @TearDown
  public void close() throws Exception {
    vertx.close().await(30, TimeUnit.SECONDS);
  }
}
