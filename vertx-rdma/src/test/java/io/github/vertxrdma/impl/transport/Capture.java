package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Devices {@code capture-tcp}, {@code capture-nio} and so on: the device of that name, with a record of sent bytes, and of memory that the
 * peer may read at that moment.
 */
public final class Capture implements Provider {
  private static final String PREFIX = "capture-";
  private static final ByteArrayOutputStream SEEN = new ByteArrayOutputStream();
  private static final List<MemoryRegion> READABLE = new ArrayList<>();

  static String seen() {
    synchronized (SEEN) {
      return SEEN.toString(java.nio.charset.StandardCharsets.ISO_8859_1);
    }
  }

  static void clear() {
    synchronized (SEEN) {
      SEEN.reset();
    }
  }

  private static void see(MemorySegment bytes) {
    synchronized (SEEN) {
      SEEN.writeBytes(bytes.toArray(ValueLayout.JAVA_BYTE));
    }
  }

  /** @return false if the memory has been freed, which another thread may do at any time */
  private static boolean isSeen(MemorySegment bytes) {
    try {
      see(bytes);
      return true;
    } catch (IllegalStateException freed) {
      return false;
    }
  }

  @Override
  public String name() {
    return "capture";
  }

  @Override
  public Discovery discover(DiscoveryOptions options) {
    String fabric = options.setting("fabric", "");
    if (!fabric.startsWith(PREFIX)) {
      return new Discovery(List.of(), List.of());
    }
    Map<String, String> settings = new HashMap<>(options.settings());
    settings.put("fabric", fabric.substring(PREFIX.length()));
    List<Device> devices = new ArrayList<>();
    for (Provider provider : Provider.all()) {
      if (!(provider instanceof Capture)) {
        provider.discover(new DiscoveryOptions(options.host(), settings)).devices().stream()
          .filter(device -> device.name().equals(fabric.substring(PREFIX.length()))).forEach(device -> devices.add(new Seen(device)));
      }
    }
    return new Discovery(devices, List.of());
  }

  private static final class Seen extends ForwardingDevice {

    Seen(Device raw) {
      super(raw, PREFIX + raw.name());
    }

    @Override
    public Domain open() {
      return new SeenDomain(this, raw().open());
    }
  }

  private static final class SeenDomain extends ForwardingDomain {

    SeenDomain(ForwardingDevice device, Domain raw) {
      super(device, raw);
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<Access> access) {
      MemoryRegion region = super.register(memory, access);
      if (access.contains(Access.REMOTE_READ)) {
        synchronized (READABLE) {
          READABLE.add(region);
        }
      }
      return region;
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      return new SeenEndpoint(this, queue, options, handler);
    }
  }

  private static final class SeenEndpoint extends ForwardingEndpoint {

    SeenEndpoint(ForwardingDomain domain, ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      super(domain, queue, options, handler);
    }

    @Override
    public int post(WorkRequest request) {
      if (request.operation().isRead()) {
        synchronized (READABLE) {
          READABLE.removeIf(readable -> !isSeen(readable.segment()));
        }
      } else {
        see(request.region().segment().asSlice(request.offset(), request.length()));
      }
      return super.post(request);
    }
  }
}
