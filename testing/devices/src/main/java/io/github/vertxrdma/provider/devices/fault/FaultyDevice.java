package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import java.lang.foreign.MemorySegment;
import java.util.Set;

public final class FaultyDevice extends ForwardingDevice {
  private final Faults faults;

  private FaultyDevice(Device raw, String name, long seed) {
    super(raw, name);
    faults = new Faults(seed);
  }

  /** Adds the prefix {@code faulty-} to the name. */
  public static FaultyDevice over(Device raw, long seed) {
    return over(raw, "faulty-" + raw.name(), seed);
  }

  public static FaultyDevice over(Device raw, String name, long seed) {
    return new FaultyDevice(raw, name, seed);
  }

  public Faults faults() {
    return faults;
  }

  @Override
  public Domain open() {
    return new FaultyDomain(this, raw().open());
  }

  private static final class FaultyDomain extends ForwardingDomain {
    private final Faults faults;

    FaultyDomain(FaultyDevice device, Domain raw) {
      super(device, raw);
      faults = device.faults;
    }

    @Override
    public MemoryRegion register(MemorySegment memory, Set<Access> access) {
      if (faults.refusesRegistration()) {
        throw new ProviderException(ProviderException.Reason.LIMIT, 12, device().name() + ": a region of " + memory.byteSize()
          + " bytes could not be registered: errno 12, a fault injected by a test", null, null);
      }
      return super.register(memory, access);
    }

    @Override
    protected ForwardingQueue newQueue(CompletionQueue wrapped) {
      return new FaultyQueue(faults, wrapped);
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      return new FaultyQueue.FaultyEndpoint(this, faults, (FaultyQueue) queue, options, handler);
    }
  }
}
