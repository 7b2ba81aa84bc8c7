package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.software.SoftwareDomain;
import io.github.vertxrdma.provider.software.SoftwareEndpoint;
import io.github.vertxrdma.provider.software.SoftwareQueue;
import io.github.vertxrdma.provider.software.SoftwareReceives;

class InMemoryDomain extends SoftwareDomain<InMemoryQueue, InMemoryRegion> {
  /** Number among the fabric's domains, in the order of opening. */
  final int number;
  private final InMemoryDevice raw;

  /** @param device the device for users: {@code raw}, or the connection layer above it */
  InMemoryDomain(InMemoryDevice raw, Device device) {
    super(device, raw.capabilities(), raw.limits(), InMemoryQueue.class,
      (regions, memory, access, slot, random) -> new InMemoryRegion(raw.memory(), regions, memory, access, slot));
    this.raw = raw;
    number = fabric().domainNumbers.getAndIncrement();
    fabric().domains.incrementAndGet();
  }

  InMemoryFabric fabric() {
    return raw.memory();
  }

  String node() {
    return raw.node();
  }

  @Override
  protected InMemoryQueue newQueue(int depth) {
    return new InMemoryQueue(this, depth, new ArrivalQueue(this));
  }

  @Override
  protected SoftwareReceives newReceives(SoftwareQueue queue, int depth, SoftwareEndpoint owner) {
    return new SoftwareReceives(queue, queue.completions(), regions(), Math.clamp(depth, 1, limits().receiveDepth()), owner,
      capabilities().receivesInPlace()) {

      @Override
      public int post(long requestId, MemoryRegion region, long offset, int length) {
        int refusal = refusal(Operation.RECEIVE);
        return refusal == Status.OK ? super.post(requestId, region, offset, length) : refusal;
      }
    };
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return new InMemoryRemote(fabric(), capabilities().maps(), remoteAddress, length, key);
  }

  int refusal(Operation operation) {
    return fabric().courier.refusal(number, operation);
  }

  @Override
  public ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    if (!capabilities().sharedReceive()) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED, raw.name() + " has no shared receive queues");
    }
    return super.createSharedReceiveQueue(queue, depth);
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    if (!capabilities().connectsBy(Capabilities.Connecting.LISTENER)) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED,
        raw.name() + " has no listeners: connect its endpoints by exchange");
    }
    return own(queue).add(new InMemoryListener(this, own(queue), local, handler));
  }

  @Override
  protected InMemoryEndpoint newEndpoint(InMemoryQueue queue, EndpointOptions options, EndpointHandler handler) {
    return new InMemoryEndpoint(this, queue, options, handler, false);
  }

  @Override
  public Endpoint createExchangedEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return !capabilities().connectsBy(Capabilities.Connecting.EXCHANGE) ? super.createExchangedEndpoint(queue, options, handler)
      : own(queue).add(new InMemoryEndpoint(this, own(queue), options, handler, true));
  }

  @Override
  protected void closed() {
    fabric().domains.decrementAndGet();
  }
}
