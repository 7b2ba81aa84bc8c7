package io.github.vertxrdma.provider.devices.memory;

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
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A protection domain of an in-memory fabric. */
final class InMemoryDomain implements Domain {
  final RegionTable table;
  /** Of all domains of the fabric, in the order in which they were opened. */
  final int number;
  private final InMemoryDevice device;
  /** In the order in which they were made. */
  private final Set<InMemoryQueue> queues = Collections.synchronizedSet(new LinkedHashSet<>());
  private volatile boolean closed;

  InMemoryDomain(InMemoryDevice device) {
    this.device = device;
    number = device.memory().nextDomain();
    table = new RegionTable(device.memory(), number, device.name(), device.limits());
    device.memory().domains.incrementAndGet();
  }

  InMemoryFabric fabric() {
    return device.memory();
  }

  /** The node that it belongs to; empty if it has no name. */
  String node() {
    return device.node();
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public Capabilities capabilities() {
    return device.capabilities();
  }

  @Override
  public Limits limits() {
    return device.limits();
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) {
    checkOpen();
    return table.register(memory, access);
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return table.remote(remoteAddress, length, key);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) {
    checkOpen();
    InMemoryQueue queue = new InMemoryQueue(fabric(), Math.clamp(depth, 1, limits().completionQueueDepth()),
      capabilities().waiting(), queues::remove);
    queues.add(queue);
    return queue;
  }

  @Override
  public ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    if (!capabilities().sharedReceive()) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED, device.name() + " has no shared receive queues");
    }
    return new Receives(own(queue), table, Math.clamp(depth, 1, limits().receiveDepth()), null);
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    if (!capabilities().connectsBy(Capabilities.Connecting.LISTENER)) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED, device.name() + " has no listeners: connect its endpoints by exchange");
    }
    return new InMemoryListener(this, own(queue), local, handler);
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return endpoint(queue, options, handler);
  }

  @Override
  public Endpoint createExchangedEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (!capabilities().connectsBy(Capabilities.Connecting.EXCHANGE)) {
      return Domain.super.createExchangedEndpoint(queue, options, handler);
    }
    return new InMemoryEndpoint(this, own(queue), options, handler, true);
  }

  InMemoryEndpoint endpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return new InMemoryEndpoint(this, own(queue), options, handler, false);
  }

  private InMemoryQueue own(CompletionQueue queue) {
    checkOpen();
    if (!(queue instanceof InMemoryQueue q) || !queues.contains(q)) {
      throw new ProviderException(ProviderException.Reason.INVALID, device.name()
        + ": the completion queue is closed or belongs to another domain");
    }
    return q;
  }

  private void checkOpen() {
    if (closed) {
      throw new ProviderException(ProviderException.Reason.INVALID, device.name() + ": the domain is closed");
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    List.copyOf(queues).forEach(InMemoryQueue::close);
    table.close();
    fabric().domains.decrementAndGet();
  }
}
