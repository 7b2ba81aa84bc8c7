package io.github.vertxrdma.simulator.world;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/** Wraps a device and reports each post that accesses registered memory of a peer. */
public final class Accesses extends ForwardingDevice {
  public interface Watcher {
    /**
     * Called after the device accepted an access.
     *
     * @param memory the whole region that the peer registered
     */
    void accessed(MemorySegment memory, long length);
  }

  private final Domain raw;
  private final Map<ByteBuffer, MemorySegment> registered;
  private final Watcher watcher;
  private final Map<RemoteMemory, MemorySegment> known = new IdentityHashMap<>();

  /** @param registered memory of all nodes by remote key; this device adds its own regions */
  public Accesses(Device device, Domain raw, Map<ByteBuffer, MemorySegment> registered, Watcher watcher) {
    super(device, device.name());
    this.raw = raw;
    this.registered = registered;
    this.watcher = watcher;
  }

  @Override
  public Domain open() {
    return new WatchedDomain(this, raw);
  }

  private final class WatchedDomain extends ForwardingDomain {
    WatchedDomain(ForwardingDevice device, Domain raw) {
      super(device, raw);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<Access> access) {
      MemoryRegion region = super.register(memory, access);
      registered.put(ByteBuffer.wrap(region.remoteKey()), memory);
      return region;
    }

    @Override
    public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
      RemoteMemory memory = super.remoteMemory(remoteAddress, length, key);
      known.put(memory, registered.get(ByteBuffer.wrap(key)));
      return memory;
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      return new ForwardingEndpoint(this, queue, options, handler) {
        @Override
        public int post(WorkRequest request) {
          MemorySegment memory = request.remote() == null ? null : known.get(request.remote());
          int status = super.post(request);
          if (memory != null && status == Status.OK) {
            watcher.accessed(memory, request.length());
          }
          return status;
        }
      };
    }
  }
}
