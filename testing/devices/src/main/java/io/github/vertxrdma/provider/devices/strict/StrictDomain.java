package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import io.github.vertxrdma.provider.devices.forward.ForwardingReceiveQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

final class StrictDomain extends ForwardingDomain {
  private final StrictDevice device;
  private final Set<StrictRegion> regions = new HashSet<>();
  private final Arena arena = Arena.ofShared();
  private long pinned;
  private boolean closed;

  StrictDomain(StrictDevice device, Domain raw) {
    super(device, raw);
    this.device = device;
  }

  StrictDevice strict() {
    return device;
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) {
    synchronized (this) {
      if (regions.size() >= limits().maxRegions()) {
        throw new ProviderException(ProviderException.Reason.LIMIT, device.name() + ": a region of " + memory.byteSize()
          + " bytes could not be registered: " + regions.size() + " regions are registered, of at most " + limits().maxRegions() + ". "
          + "Register fewer and larger ones");
      }
      if (pinned + memory.byteSize() > device.options.pinnedBytes()) {
        throw new ProviderException(ProviderException.Reason.LIMIT, 12, device.name() + ": a region of " + memory.byteSize()
          + " bytes could not be registered: errno 12; " + pinned + " of " + device.options.pinnedBytes() + " bytes are pinned", null,
          null);
      }
    }
    StrictRegion region = new StrictRegion(this, raw().register(memory, access));
    synchronized (this) {
      regions.add(region);
      pinned += region.size();
    }
    return region;
  }

  synchronized void deregistered(StrictRegion region) {
    if (regions.remove(region)) {
      pinned -= region.size();
    }
  }

  /** Registers memory for copies of writes, which is freed with the domain. */
  MemoryRegion staging(long bytes) {
    return raw().register(arena.allocate(bytes, 64), EnumSet.of(Access.LOCAL_WRITE));
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    if (key.length != StrictRegion.KEY_SIZE || length < 0) {
      throw new ProviderException(ProviderException.Reason.INVALID, device.name() + ": " + HexFormat.of().formatHex(key) + " is not a "
        + "key of this fabric, whose keys have " + StrictRegion.KEY_SIZE + " bytes");
    }
    StrictRegion region = StrictRegion.byKey(key);
    long base = region == null ? 0 : remoteAddress - region.remoteAddress();
    return region == null || base < 0 || base > region.size() ? new StrictRemote(null, null, 0, length)
      : new StrictRemote(raw().remoteMemory(region.raw.remoteAddress() + base, length, region.raw.remoteKey()), region, base, length);
  }

  @Override
  protected MemoryRegion unwrap(MemoryRegion region) {
    return region instanceof StrictRegion own ? own.raw : region;
  }

  @Override
  protected RemoteMemory unwrap(RemoteMemory memory) {
    return memory instanceof StrictRemote own ? own.raw : memory;
  }

  @Override
  protected ForwardingQueue newQueue(CompletionQueue wrapped) {
    return new StrictQueue(this, wrapped);
  }

  @Override
  protected ForwardingReceiveQueue newReceiveQueue(ReceiveQueue wrapped) {
    return new StrictReceives(this, wrapped);
  }

  @Override
  protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
    return new StrictEndpoint(this, (StrictQueue) queue, options, handler);
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    List<StrictRegion> left;
    synchronized (this) {
      left = List.copyOf(regions);
    }
    raw().close();
    left.forEach(StrictRegion::close);
    arena.close();
  }
}
