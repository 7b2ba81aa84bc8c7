package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.software.RegionTable;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The regions and completion queues of a protection domain of an in-memory fabric. */
abstract class InMemoryResources {
  final RegionTable<InMemoryRegion> table;
  /** Of all domains of the fabric, in the order in which they were opened. */
  final int number;
  private final InMemoryFabric fabric;
  private final Device device;
  private final Capabilities capabilities;
  private final Limits limits;
  /** In the order in which they were made. */
  private final Set<InMemoryQueue> queues = Collections.synchronizedSet(new LinkedHashSet<>());
  private volatile boolean closed;

  InMemoryResources(InMemoryFabric fabric, Device device, Capabilities capabilities, Limits limits) {
    this.fabric = fabric;
    this.device = device;
    this.capabilities = capabilities;
    this.limits = limits;
    number = fabric.nextDomain();
    table = new RegionTable<>(device.name(), limits.maxRegions(),
      (regions, memory, access, slot, random) -> new InMemoryRegion(fabric, regions, memory, access, slot));
    fabric.domains.incrementAndGet();
  }

  final InMemoryFabric fabric() {
    return fabric;
  }

  public final Device device() {
    return device;
  }

  public final Capabilities capabilities() {
    return capabilities;
  }

  public final Limits limits() {
    return limits;
  }

  public final MemoryRegion register(MemorySegment memory, Set<Access> access) {
    checkOpen();
    if (memory.byteSize() > limits.maxRegionSize()) {
      throw new ProviderException(ProviderException.Reason.LIMIT, device.name() + ": a region of " + memory.byteSize()
        + " bytes cannot be registered, at most " + limits.maxRegionSize() + " can: register it in parts");
    }
    return table.register(memory, access);
  }

  public final RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return new InMemoryRemote(fabric, capabilities.maps(), remoteAddress, length, key);
  }

  public final CompletionQueue createCompletionQueue(int depth) {
    checkOpen();
    InMemoryQueue queue = new InMemoryQueue(fabric, Math.clamp(depth, 1, limits.completionQueueDepth()), capabilities.waiting(),
      queues::remove);
    queues.add(queue);
    return queue;
  }

  final InMemoryQueue own(CompletionQueue queue) {
    checkOpen();
    if (!(queue instanceof InMemoryQueue q) || !queues.contains(q)) {
      throw new ProviderException(ProviderException.Reason.INVALID, device.name()
        + ": the completion queue is closed or belongs to another domain");
    }
    return q;
  }

  /** Returns the answer of the fabric's courier to a post. */
  final int refusal(Operation operation) {
    Courier courier = fabric.courier();
    return courier == null ? Status.OK : courier.refusal(number, operation);
  }

  private void checkOpen() {
    if (closed) {
      throw new ProviderException(ProviderException.Reason.INVALID, device.name() + ": the domain is closed");
    }
  }

  public final void close() {
    if (closed) {
      return;
    }
    closed = true;
    List.copyOf(queues).forEach(InMemoryQueue::close);
    table.closeAll();
    fabric.domains.decrementAndGet();
  }
}
