package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The memory regions of one domain (protection domain). */
final class RegionTable {
  final InMemoryFabric fabric;
  /** In the order of their registration. */
  private final Set<InMemoryRegion> open = Collections.synchronizedSet(new LinkedHashSet<>());
  private final int domain;
  private final Limits limits;
  private final String device;
  private final boolean maps;

  /** @param domain number of its domain @param maps whether memory of peers can be looked at in place */
  RegionTable(InMemoryFabric fabric, int domain, String device, Limits limits, boolean maps) {
    this.domain = domain;
    this.fabric = fabric;
    this.device = device;
    this.limits = limits;
    this.maps = maps;
  }

  MemoryRegion register(MemorySegment memory, Set<Access> access) {
    InMemoryRegion.check(device, memory);
    if (memory.byteSize() > limits.maxRegionSize() || open.size() >= limits.maxRegions()) {
      throw new ProviderException(ProviderException.Reason.LIMIT, device + ": a region of " + memory.byteSize()
        + " bytes could not be registered: at most " + limits.maxRegions() + " regions of " + limits.maxRegionSize() + " bytes");
    }
    InMemoryRegion region = new InMemoryRegion(this, memory, access);
    open.add(region);
    return region;
  }

  RemoteMemory remote(long address, long length, byte[] key) {
    if (key.length != Long.BYTES || address < 0 || length < 0) {
      throw new ProviderException(ProviderException.Reason.INVALID, device + ": " + HexFormat.of().formatHex(key) + " at " + address
        + " for " + length + " bytes names no region of this fabric; its keys have " + Long.BYTES + " bytes");
    }
    return new InMemoryRemote(maps ? fabric : null, address, length, ByteBuffer.wrap(key).getLong());
  }

  void closed(InMemoryRegion region) {
    open.remove(region);
  }

  /** The answer of the fabric's courier to an operation of the domain. */
  int refusal(Operation operation) {
    Courier courier = fabric.courier();
    return courier == null ? Status.OK : courier.refusal(domain, operation);
  }

  void close() {
    List.copyOf(open).forEach(InMemoryRegion::close);
  }
}
