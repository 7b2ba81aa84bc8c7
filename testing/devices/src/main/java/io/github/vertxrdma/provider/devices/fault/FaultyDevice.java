package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
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
      return new ForwardingEndpoint(this, queue, options, handler) {
        @Override
        public int post(WorkRequest request) {
          return faults.refusesPost() ? Status.AGAIN : super.post(request);
        }
      };
    }
  }
  private static final class FaultyQueue extends ForwardingQueue {
    private final Faults faults;
    /** Value of {@link Faults#pollRounds} at the last poll. */
    private int pollRound;
    private int failingPolls;
    /** Number of further polls that find nothing. */
    private int delayed;

    FaultyQueue(Faults faults, CompletionQueue raw) {
      super(raw);
      this.faults = faults;
      pollRound = faults.pollRounds();
    }

    @Override
    public int poll(CompletionBatch batch) {
      if (pollRound != faults.pollRounds()) {
        pollRound = faults.pollRounds();
        failingPolls = faults.failingPolls();
      }
      if (failingPolls > 0) {
        failingPolls--;
        throw new IllegalStateException("fault injected by a test");
      }
      if (delayed == 0) {
        delayed = faults.delay();
        return super.poll(batch);
      }
      delayed--;
      batch.clear();
      return 0;
    }

    @Override
    public boolean arm() {
      return delayed == 0 && super.arm();
    }
  }
}
