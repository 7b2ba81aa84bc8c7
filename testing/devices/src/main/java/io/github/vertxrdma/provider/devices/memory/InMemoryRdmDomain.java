package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.lang.foreign.MemorySegment;
import java.util.Set;

record InMemoryRdmDomain(Device device, InMemoryDomain domain) implements RdmDomain {

  @Override
  public Capabilities capabilities() {
    return domain.capabilities();
  }

  @Override
  public Limits limits() {
    return domain.limits();
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) {
    return domain.register(memory, access);
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return domain.remoteMemory(remoteAddress, length, key);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) {
    return domain.createCompletionQueue(depth);
  }

  @Override
  public RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local) {
    InMemoryQueue own = domain.own(queue);
    return own.add(new InMemoryRdmEndpoint(domain, own, local));
  }

  @Override
  public void close() {
    domain.close();
  }
}
