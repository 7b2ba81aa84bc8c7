package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A protection domain for datagram endpoints of an in-memory fabric. */
final class InMemoryRdmDomain implements RdmDomain {
  final RegionTable table;
  /** Of all domains of the fabric, in the order in which they were opened. */
  final int number;
  private final InMemoryRdmDevice device;
  /** In the order in which they were made. */
  private final Set<InMemoryQueue> queues = Collections.synchronizedSet(new LinkedHashSet<>());
  private volatile boolean closed;

  InMemoryRdmDomain(InMemoryRdmDevice device) {
    this.device = device;
    number = device.memory().nextDomain();
    table = new RegionTable(device.memory(), number, device.name(), device.rawLimits());
    device.memory().domains.incrementAndGet();
  }

  InMemoryFabric fabric() {
    return device.memory();
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public Capabilities capabilities() {
    return device.rawCapabilities();
  }

  @Override
  public Limits limits() {
    return device.rawLimits();
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
  public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
    checkOpen();
    if (!(queue instanceof InMemoryQueue own) || !queues.contains(own)) {
      throw new ProviderException(ProviderException.Reason.INVALID, device.name()
        + ": the completion queue is closed or belongs to another domain");
    }
    return new InMemoryRdmEndpoint(this, own, local);
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
