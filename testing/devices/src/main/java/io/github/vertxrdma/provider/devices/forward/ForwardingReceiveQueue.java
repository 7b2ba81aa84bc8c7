package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ReceiveQueue;

public class ForwardingReceiveQueue implements ReceiveQueue {
  private final ForwardingDomain domain;
  final ReceiveQueue raw;

  protected ForwardingReceiveQueue(ForwardingDomain domain, ReceiveQueue raw) {
    this.domain = domain;
    this.raw = raw;
  }

  @Override
  public final int capacity() {
    return raw.capacity();
  }

  @Override
  public final boolean shared() {
    return raw.shared();
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    return raw.post(requestId, domain.unwrap(region), offset, length);
  }

  @Override
  public void close() {
    raw.close();
  }
}
