package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.software.SoftwareResources;

/** The regions and completion queues of a protection domain of an in-memory fabric. */
abstract class InMemoryResources extends SoftwareResources<InMemoryQueue, InMemoryRegion> {
  /** Number of the domain among all of the fabric, in the order in which they were opened. */
  final int number;
  private final InMemoryFabric fabric;

  InMemoryResources(InMemoryFabric fabric, Device device, Capabilities capabilities, Limits limits) {
    super(device, capabilities, limits, InMemoryQueue.class,
      (regions, memory, access, slot, random) -> new InMemoryRegion(fabric, regions, memory, access, slot));
    this.fabric = fabric;
    number = fabric.nextDomain();
    fabric.domains.incrementAndGet();
  }

  final InMemoryFabric fabric() {
    return fabric;
  }

  @Override
  public final RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return new InMemoryRemote(fabric, capabilities().maps(), remoteAddress, length, key);
  }

  @Override
  protected final InMemoryQueue newQueue(int depth) {
    return new InMemoryQueue(fabric, depth, capabilities().waiting(), this::forget);
  }

  /** Returns the answer of the fabric's courier to a post. */
  final int refusal(Operation operation) {
    Courier courier = fabric.courier();
    return courier == null ? Status.OK : courier.refusal(number, operation);
  }

  @Override
  protected final void closed() {
    fabric.domains.decrementAndGet();
  }
}
