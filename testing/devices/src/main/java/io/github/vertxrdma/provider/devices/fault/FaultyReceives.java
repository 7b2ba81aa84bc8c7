package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingReceiveQueue;
import java.util.HashMap;
import java.util.Map;

/** Drops some receives. Remembers the posted ones, since the receive of a silent peer's message is posted again. */
final class FaultyReceives extends ForwardingReceiveQueue {
  private final Faults faults;
  private final Map<Long, Posted> posted = new HashMap<>();

  private record Posted(MemoryRegion region, long offset, int length) {
  }

  FaultyReceives(ForwardingDomain domain, Faults faults, ReceiveQueue raw) {
    super(domain, raw);
    this.faults = faults;
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    if (faults.swallowsReceive()) {
      return Status.OK;
    }
    int status = super.post(requestId, region, offset, length);
    if (status == Status.OK) {
      posted.put(requestId, new Posted(region, offset, length));
    }
    return status;
  }

  void delivered(long requestId) {
    posted.remove(requestId);
  }

  void again(long requestId) {
    Posted receive = posted.get(requestId);
    if (receive != null) {
      super.post(requestId, receive.region, receive.offset, receive.length);
    }
  }
}
