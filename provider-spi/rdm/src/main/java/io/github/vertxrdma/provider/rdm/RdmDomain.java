package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Domain of an RDM provider, on which {@link RdmLayer} builds. */
public interface RdmDomain extends AutoCloseable {

  Device device();

  /** Returns the capabilities without the prefix and the reserved receives of {@link RdmLayer}. */
  Capabilities capabilities();

  Limits limits();

  MemoryRegion register(MemorySegment memory, Set<Access> access);

  RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key);

  CompletionQueue createCompletionQueue(int depth);

  /** @param local null for the device's default; port 0 for any free port */
  RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local);

  @Override
  void close();
}
