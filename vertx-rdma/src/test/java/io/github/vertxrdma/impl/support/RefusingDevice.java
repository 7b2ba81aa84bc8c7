package io.github.vertxrdma.impl.support;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;

public abstract class RefusingDevice extends ForwardingDevice {
  protected RefusingDevice(Device raw) {
    super(raw, raw.name());
  }

  /** Returns the status of a refused post, or {@link Status#OK}. */
  protected abstract int refusal(WorkRequest request);

  @Override
  public final Domain open() {
    return new ForwardingDomain(this, raw().open()) {
      @Override
      protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
        return new ForwardingEndpoint(this, queue, options, handler) {
          @Override
          public int post(WorkRequest request) {
            int refused = refusal(request);
            return refused == Status.OK ? super.post(request) : refused;
          }
        };
      }
    };
  }
}
