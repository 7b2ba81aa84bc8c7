package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.vertx.core.json.JsonObject;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The same as {@link IdleConnections} by a provider alone: endpoints that are connected, without a receive or anything above. */
final class IdleEndpoints implements Workload, EndpointHandler {
  private static final int QUEUE_DEPTH = 1 << 14;
  private static final int BUFFER = 4096;
  private static final long PAUSE_NANOS = 20_000;
  private static final int SECONDS = 60;

  private final Setup setup;
  private final Domain domain;
  private final CompletionQueue queue;
  private final EndpointOptions options;
  private final Arena arena = Arena.ofShared();
  private final Thread poller = new Thread(this::poll, "poller");
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;
  private final List<Endpoint> endpoints = new ArrayList<>();
  private EndpointAddress server;
  private int begun;
  private int connected;
  private int wanted;
  private CompletableFuture<Void> all;
  private Sample sample;

  IdleEndpoints(Setup setup) {
    this.setup = setup;
    domain = device(setup.fabric()).open();
    queue = domain.createCompletionQueue(QUEUE_DEPTH);
    options = domain.capabilities().sharedReceiveOnly() ? new EndpointOptions().withReceiveQueue(receives()) : new EndpointOptions();
    poller.setDaemon(true);
    poller.start();
  }

  private static Device device(String fabric) {
    for (Provider provider : Provider.all()) {
      for (Device device : provider.discover(new DiscoveryOptions()).devices()) {
        if (device.name().equals(fabric) || device.fabric().equals(fabric)) {
          return device;
        }
      }
    }
    throw new IllegalArgumentException("no device on fabric '" + fabric + "'");
  }

  /** Those that the provider needs for its own messages. */
  private ReceiveQueue receives() {
    int count = domain.capabilities().reservedReceives();
    ReceiveQueue receives = domain.createSharedReceiveQueue(queue, domain.limits().receiveDepth());
    MemorySegment memory = arena.allocate((long) count * BUFFER, BUFFER);
    MemoryRegion region = domain.register(memory, Set.of(Access.LOCAL_WRITE));
    for (int i = 0; i < count; i++) {
      receives.post(i, region, (long) i * BUFFER, BUFFER);
    }
    return receives;
  }

  private void poll() {
    CompletionBatch batch = new CompletionBatch(64);
    while (!closed) {
      for (Runnable task; (task = tasks.poll()) != null;) {
        task.run();
      }
      if (queue.poll(batch) == 0) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** On the polling thread, to which a queue's endpoints are confined. */
  private <T> T call(Callable<T> task) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    tasks.add(() -> {
      try {
        result.complete(task.call());
      } catch (Exception e) {
        result.completeExceptionally(e);
      }
    });
    return result.get(SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public JsonObject serve() throws Exception {
    EndpointAddress at = call(() -> domain.listen(queue, null, options, this::requested).localAddress());
    return new JsonObject().put("format", at.format()).put("bytes", Base64.getEncoder().encodeToString(at.bytes()));
  }

  private void requested(ConnectionRequest request) {
    endpoints.add(request.createEndpoint(queue, options, this));
    request.accept(new byte[0]);
  }

  @Override
  public void connect(JsonObject told) throws Exception {
    server = EndpointAddress.of(told.getString("format"), Base64.getDecoder().decode(told.getString("bytes")));
    open(1);
  }

  private void open(int count) throws Exception {
    CompletableFuture<Void> opened = new CompletableFuture<>();
    call(() -> {
      all = opened;
      begun = 0;
      connected = 0;
      wanted = count;
      for (int i = 0; i < IdleConnections.AT_ONCE; i++) {
        next();
      }
      return null;
    });
    opened.get(SECONDS, TimeUnit.SECONDS);
  }

  private void next() {
    if (begun < wanted) {
      begun++;
      Endpoint endpoint = domain.createEndpoint(queue, options, this);
      endpoints.add(endpoint);
      endpoint.connect(server, new byte[0]);
    }
  }

  @Override
  public void connected(Endpoint endpoint, byte[] privateData) {
    connected++;
    if (all != null && connected == wanted) {
      all.complete(null);
    } else if (all != null) {
      // After this poll: a handler may be called from within it.
      tasks.add(this::next);
    }
  }

  @Override
  public void disconnected(Endpoint endpoint, ProviderException cause) {
    if (all != null) {
      all.completeExceptionally(cause);
    }
  }

  /** Opens them, the first time. */
  @Override
  public Sample run(int size, long nanos) throws Exception {
    if (sample == null) {
      long begin = System.nanoTime();
      open(setup.connections());
      sample = Sample.of(setup.connections(), System.nanoTime() - begin, 0);
    }
    return sample;
  }

  @Override
  public void close() throws Exception {
    all = null;
    call(() -> {
      closed = true;
      return null;
    });
    poller.join(TimeUnit.SECONDS.toMillis(SECONDS));
    domain.close();
    arena.close();
  }
}
