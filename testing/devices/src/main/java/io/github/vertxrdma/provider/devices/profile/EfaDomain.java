package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

final class EfaDomain implements RdmDomain {
  private final EfaDevice device;
  private final RdmDomain raw;
  private final Capabilities capabilities;
  private final Limits limits;
  private final AtomicLong seeds;
  private final Set<MemoryRegion> registered = ConcurrentHashMap.newKeySet();

  EfaDomain(EfaDevice device, RdmDomain raw) {
    this.device = device;
    this.raw = raw;
    capabilities = device.change(raw.capabilities());
    limits = device.change(raw.limits());
    seeds = new AtomicLong(device.seed());
  }

  @Override
  public EfaDevice device() {
    return device;
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
    if (memory.byteSize() > limits.maxRegionSize()) {
      throw new ProviderException(ProviderException.Reason.LIMIT, device.name() + ": a region of " + memory.byteSize()
        + " bytes cannot be registered: at most " + limits.maxRegionSize() + " are allowed. Register the memory in parts");
    }
    if (registered.size() >= limits.maxRegions()) {
      throw new ProviderException(ProviderException.Reason.LIMIT, device.name() + ": a region of " + memory.byteSize()
        + " bytes cannot be registered: " + limits.maxRegions() + " regions are registered, the maximum. Close some, or register "
        + "fewer and larger ones");
    }
    MemoryRegion region = raw.register(memory, access);
    EfaRegion made = EfaRegion.of(region, () -> registered.remove(region));
    registered.add(region);
    return made;
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return EfaRegion.remote(raw, remoteAddress, length, key);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) {
    return new EfaQueue(raw.createCompletionQueue(depth), device.efa().orders.isEmpty() ? new Overtaken(seeds.getAndIncrement()) : null);
  }

  @Override
  public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
    if (!(queue instanceof EfaQueue own)) {
      throw new ProviderException(ProviderException.Reason.INVALID, device.name() + ": the completion queue belongs to another domain");
    }
    return new EfaEndpoint(raw.createEndpoint(own.raw, local), own, this, seeds.getAndIncrement());
  }

  @Override
  public void close() {
    raw.close();
  }
}
