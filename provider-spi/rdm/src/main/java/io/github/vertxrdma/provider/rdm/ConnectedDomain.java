package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

final class ConnectedDomain implements Domain {
  final RdmDomain raw;
  private final LongSupplier clock;
  private final RandomGenerator random;
  private final Capabilities capabilities;
  private final Limits limits;
  final List<ConnectedQueue> queues = new CopyOnWriteArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  ConnectedDomain(RdmDomain raw, LongSupplier clock, RandomGenerator random) {
    this.raw = raw;
    this.clock = clock;
    this.random = random;
    capabilities = RdmLayer.capabilities(raw.capabilities());
    limits = RdmLayer.limits(raw.limits());
  }

  long now() {
    return clock.getAsLong();
  }

  /** Returns an unpredictable number other than 0. */
  long random() {
    long number;
    do {
      number = random.nextLong();
    } while (number == 0);
    return number;
  }

  @Override
  public Device device() {
    return raw.device();
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) {
    return raw.register(memory, access);
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return raw.remoteMemory(remoteAddress, length, key);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) {
    if (closed.get()) {
      throw invalid("the domain is closed");
    }
    ConnectedQueue queue = new ConnectedQueue(this, raw.createCompletionQueue(depth));
    queues.add(queue);
    return queue;
  }

  @Override
  public ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    return own(queue).createReceives(Math.clamp(depth, 1, limits.receiveDepth()));
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    return own(queue).listen(local, options, handler);
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return own(queue).createEndpoint(options, handler);
  }

  ConnectedQueue own(CompletionQueue queue) {
    if (queue instanceof ConnectedQueue mine && mine.domain == this) {
      return mine;
    }
    throw invalid("the completion queue belongs to another domain. Create one with this domain's createCompletionQueue");
  }

  ProviderException invalid(String message) {
    return new ProviderException(ProviderException.Reason.INVALID, name() + ": " + message);
  }

  String name() {
    return raw.device().name();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      queues.forEach(ConnectedQueue::close);
      raw.close();
    }
  }
}
