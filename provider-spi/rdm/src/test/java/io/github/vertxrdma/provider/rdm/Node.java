package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.BooleanSupplier;

/** User of the layer on a fake fabric: one completion queue, slots, and the events received. */
final class Node implements EndpointHandler {
  static final int SLOT = 512;
  static final int SLOTS = 64;

  record Number(Endpoint from, long value) {
  }

  final FakeFabric fabric;
  final Domain domain;
  final CompletionQueue queue;
  final ReceiveQueue receives;
  final CompletionBatch batch = new CompletionBatch(16);
  final MemoryRegion slots;
  final MemoryRegion source;
  final List<Endpoint> accepted = new ArrayList<>();
  final List<Endpoint> connected = new ArrayList<>();
  final List<Endpoint> disconnected = new ArrayList<>();
  final List<ProviderException> causes = new ArrayList<>();
  final List<ConnectionRequest> requests = new ArrayList<>();
  final List<Number> numbers = new ArrayList<>();
  final List<Integer> flushed = new ArrayList<>();
  final List<Integer> lengthErrors = new ArrayList<>();
  /** Ids of completed operations. */
  final List<Long> ended = new ArrayList<>();
  boolean accepting = true;
  private int sourceAt;

  Node(FakeFabric fabric) {
    this(fabric, null);
  }

  /** @param first memory of the first receive until its message arrives; null for the same memory as other receives */
  Node(FakeFabric fabric, MemorySegment first) {
    this.fabric = fabric;
    // A clock whose values wrap during the test.
    domain = RdmLayer.over(fabric.domain(), () -> fabric.now + Long.MAX_VALUE - 20_000_000, fabric.random);
    queue = domain.createCompletionQueue(256);
    receives = domain.createSharedReceiveQueue(queue, SLOTS);
    slots = domain.register(Arena.ofAuto().allocate((long) SLOTS * SLOT, 8), EnumSet.of(Access.LOCAL_WRITE));
    source = domain.register(Arena.ofAuto().allocate(64 * 1024, 8), EnumSet.noneOf(Access.class));
    if (first != null) {
      receives.post(0, domain.register(first, EnumSet.of(Access.LOCAL_WRITE)), 0, SLOT);
    }
    for (int i = first == null ? 0 : 1; i < SLOTS; i++) {
      receives.post(i, slots, (long) i * SLOT, SLOT);
    }
  }

  EndpointOptions options() {
    return new EndpointOptions().withReceiveQueue(receives);
  }

  Listener listen(EndpointAddress local) {
    return domain.listen(queue, local, options(), request -> {
      requests.add(request);
      if (accepting) {
        accepted.add(request.createEndpoint(queue, options(), this));
        request.accept(new byte[] {9});
      }
    });
  }

  Endpoint connect(EndpointAddress to, int timeoutMillis) {
    Endpoint endpoint = domain.createEndpoint(queue, options().withConnectTimeoutMillis(timeoutMillis), this);
    endpoint.connect(to, new byte[] {1, 2, 3});
    return endpoint;
  }

  /**
   * Connects to a node, which listens at the address if it does not yet.
   *
   * @return the endpoint when both sides are connected
   */
  Endpoint connect(Node to, EndpointAddress at) {
    if (!fabric.endpoints.containsKey(at)) {
      to.listen(at);
    }
    int before = to.connected.size();
    Endpoint endpoint = connect(at, 10_000);
    until(() -> endpoint.state() == EndpointState.CONNECTED && to.connected.size() > before, this, to);
    return endpoint;
  }

  int send(Endpoint endpoint, long value) {
    return send(endpoint, value, PostFlags.SIGNALED);
  }

  int send(Endpoint endpoint, long value, int flags) {
    long at = sourceAt;
    sourceAt = (sourceAt + 32) % (int) source.size();
    source.segment().set(ValueLayout.JAVA_LONG, at + RdmLayer.PREFIX, value);
    return endpoint.post(new WorkRequest().send(source, at, RdmLayer.PREFIX + 8).id(value).flags(flags));
  }

  static long value(byte[] message) {
    return MemorySegment.ofArray(message).get(ValueLayout.JAVA_LONG_UNALIGNED, RdmLayer.PREFIX);
  }

  int sendSilently(Endpoint endpoint, long value) {
    source.segment().set(ValueLayout.JAVA_LONG, RdmLayer.PREFIX, value);
    return endpoint.post(new WorkRequest().send(source, 0, RdmLayer.PREFIX + 8).flags(PostFlags.INLINE));
  }

  void poll() {
    int n = queue.poll(batch);
    for (int i = 0; i < n; i++) {
      if (batch.operation(i) == Operation.RECEIVE) {
        int slot = (int) batch.requestId(i);
        if (batch.status(i) == Status.LENGTH) {
          lengthErrors.add(slot);
        } else if (batch.status(i) != Status.OK) {
          flushed.add(slot);
          continue;
        } else {
          numbers.add(new Number(batch.endpoint(i), slots.segment().get(ValueLayout.JAVA_LONG, (long) slot * SLOT + RdmLayer.PREFIX)));
        }
        receives.post(slot, slots, (long) slot * SLOT, SLOT);
      } else if (batch.operation(i) == Operation.REMOTE_WRITE) {
        numbers.add(new Number(batch.endpoint(i), -1));
      } else if (batch.status(i) == Status.FLUSHED) {
        flushed.add((int) batch.requestId(i));
      } else {
        ended.add(batch.requestId(i));
      }
    }
  }

  @Override
  public void connected(Endpoint endpoint, byte[] privateData) {
    connected.add(endpoint);
  }

  @Override
  public void disconnected(Endpoint endpoint, ProviderException cause) {
    disconnected.add(endpoint);
    causes.add(cause);
  }

  static RdmConnection connection(Endpoint endpoint) {
    return ((ConnectedEndpoint) endpoint).connection;
  }

  static void until(BooleanSupplier condition, Node... nodes) {
    for (int millis = 0; !condition.getAsBoolean(); millis++) {
      if (millis == 60_000) {
        throw new AssertionError("not within a minute of the fabric's time");
      }
      pass(1, nodes);
    }
  }

  static void pass(int millis, Node... nodes) {
    for (int i = 0; i < millis; i++) {
      for (Node node : nodes) {
        node.poll();
      }
      nodes[0].fabric.now += 1_000_000;
    }
  }
}
