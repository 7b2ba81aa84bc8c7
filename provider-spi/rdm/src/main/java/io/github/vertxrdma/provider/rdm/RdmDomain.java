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

/** Domain that an RDM provider implements, for {@link RdmLayer}. */
public interface RdmDomain extends AutoCloseable {

  Device device();

  /** Returns the capabilities without the additions of the layer (prefix, reserved receives). */
  Capabilities capabilities();

  Limits limits();

  MemoryRegion register(MemorySegment memory, Set<Access> access);

  RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key);

  CompletionQueue createCompletionQueue(int depth);

  /** @param local null for the device's default; port 0 for any */
  RdmEndpoint createEndpoint(CompletionQueue queue, EndpointAddress local);

  @Override
  void close();
}
