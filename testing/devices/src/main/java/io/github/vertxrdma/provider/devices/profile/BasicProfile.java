package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;

/** Profile of a connected device without atomics, with keys that this side chooses, and without a count of remote writes. */
final class BasicProfile implements Profile {

  @Override
  public String name() {
    return ProfileProvider.BASIC;
  }

  @Override
  public String base() {
    return "tcp";
  }

  @Override
  public String misses(Device base) {
    return base.endpointType() == EndpointType.MSG ? null : "has no connected endpoints";
  }

  @Override
  public Device over(Device base, long seed) {
    return new BasicDevice(base);
  }

  private static final class BasicDevice extends ForwardingDevice {
    BasicDevice(Device base) {
      super(base, ProfileProvider.BASIC);
    }

    @Override
    public String provider() {
      return ProfileProvider.NAME;
    }

    @Override
    public Preference preference() {
      return Preference.TRIAL;
    }

    @Override
    protected Capabilities change(Capabilities capabilities) {
      return capabilities.toBuilder()
        .remove(Operation.FETCH_ADD, Operation.COMPARE_SWAP)
        .keyMode(Capabilities.KeyMode.REQUESTED)
        .build();
    }

    @Override
    public Domain open() {
      return new BasicDomain(this, raw().open());
    }
  }

  private static final class BasicDomain extends ForwardingDomain {
    BasicDomain(ForwardingDevice device, Domain raw) {
      super(device, raw);
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      return new BasicEndpoint(this, queue, options, handler);
    }
  }

  private static final class BasicEndpoint extends ForwardingEndpoint {
    BasicEndpoint(ForwardingDomain domain, ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      super(domain, queue, options, handler);
    }

    @Override
    public int post(WorkRequest request) {
      return request.operation().isAtomic() ? Status.UNSUPPORTED : super.post(request);
    }

    /** The counter of remote writes stays 0, since the provider does not report the peer's plain writes. */
    @Override
    public Counter counter(Counter.Event event) {
      return event == Counter.Event.REMOTE_WRITES ? NOTHING : super.counter(event);
    }

    private static final Counter NOTHING = new Counter() {
      @Override
      public long read() {
        return 0;
      }

      @Override
      public void reset() {
      }
    };
  }
}
