package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

public class ForwardingDomain implements Domain {
  private final ForwardingDevice device;
  private final Domain raw;
  private final Capabilities capabilities;
  private final Limits limits;

  protected ForwardingDomain(ForwardingDevice device, Domain raw) {
    this.device = device;
    this.raw = raw;
    capabilities = device.change(raw.capabilities());
    limits = device.change(raw.limits());
  }

  protected ForwardingQueue newQueue(CompletionQueue wrapped) {
    return new ForwardingQueue(wrapped);
  }

  protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
    return new ForwardingEndpoint(this, queue, options, handler);
  }

  protected ForwardingEndpoint newEndpoint(ConnectionRequest request, ForwardingQueue queue, EndpointOptions options,
    EndpointHandler handler) {
    return newEndpoint(queue, options, handler);
  }

  protected ForwardingReceiveQueue newReceiveQueue(ReceiveQueue wrapped) {
    return new ForwardingReceiveQueue(this, wrapped);
  }

  /** Overridden by subclasses with own regions. */
  protected MemoryRegion unwrap(MemoryRegion region) {
    return region;
  }

  /** Overridden by subclasses with own remote memory. */
  protected RemoteMemory unwrap(RemoteMemory memory) {
    return memory;
  }

  protected final Domain raw() {
    return raw;
  }

  @Override
  public final Device device() {
    return device;
  }

  @Override
  public final Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public final Limits limits() {
    return limits;
  }

  @Override
  public MemorySegment allocate(long bytes, Set<Access> access, Arena arena) {
    return raw.allocate(bytes, access, arena);
  }

  @Override
  public boolean reclaim(MemorySegment memory, boolean movable) {
    return raw.reclaim(memory, movable);
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) {
    return raw.register(memory, access);
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return raw.remoteMemory(remoteAddress, length, key);
  }

  @Override
  public String outage() {
    return raw.outage();
  }

  @Override
  public boolean isLost() {
    return raw.isLost();
  }

  @Override
  public final CompletionQueue createCompletionQueue(int depth) {
    return newQueue(raw.createCompletionQueue(Math.min(depth, limits.completionQueueDepth())));
  }

  @Override
  public final ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    if (!capabilities.sharedReceive()) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED, device.name() + " has no shared receive queues");
    }
    return newReceiveQueue(raw.createSharedReceiveQueue(own(queue).raw, Math.min(depth, limits.receiveDepth())));
  }

  @Override
  public final Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    ListenHandler forwarding = request -> handler.connectionRequest(new ForwardingRequest(this, request));
    return raw.listen(own(queue).raw, local, unwrap(options), handler.answersHere() ? ListenHandler.here(forwarding) : forwarding);
  }

  @Override
  public final byte[] channelBinding(EndpointAddress listener) {
    return raw.channelBinding(listener);
  }

  @Override
  public final List<Path> files() {
    return raw.files();
  }

  @Override
  public final boolean restoreFiles() {
    return raw.restoreFiles();
  }

  @Override
  public final Callable<EndpointAddress> listenPreparation(CompletionQueue queue, EndpointAddress local) {
    return raw.listenPreparation(own(queue).raw, local);
  }

  @Override
  public final Callable<?> endpointPreparation(CompletionQueue queue, EndpointOptions options, Capabilities.Connecting how) {
    return raw.endpointPreparation(own(queue).raw, unwrap(options), how);
  }

  @Override
  public final Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    ForwardingEndpoint endpoint = newEndpoint(own(queue), options, handler);
    return bind(endpoint, raw.createEndpoint(endpoint.queue().raw, unwrap(options), endpoint.wrappedHandler()));
  }

  @Override
  public final Endpoint createExchangedEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (!capabilities().connectsBy(Connecting.EXCHANGE)) {
      return Domain.super.createExchangedEndpoint(queue, options, handler);
    }
    ForwardingEndpoint endpoint = newEndpoint(own(queue), options, handler);
    return bind(endpoint, raw.createExchangedEndpoint(endpoint.queue().raw, unwrap(options), endpoint.wrappedHandler()));
  }

  final Endpoint accepted(ConnectionRequest request, CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    ForwardingEndpoint endpoint = newEndpoint(request, own(queue), options, handler);
    return bind(endpoint, request.createEndpoint(endpoint.queue().raw, unwrap(options), endpoint.wrappedHandler()));
  }

  private static Endpoint bind(ForwardingEndpoint endpoint, Endpoint wrapped) {
    endpoint.bind(wrapped);
    endpoint.queue().know(wrapped, endpoint);
    return endpoint;
  }

  private EndpointOptions unwrap(EndpointOptions options) {
    ReceiveQueue receives = options.receiveQueue() instanceof ForwardingReceiveQueue own ? own.raw : options.receiveQueue();
    return options.withReceiveQueue(receives)
      .withDepths(Math.min(options.sendDepth(), limits.sendDepth()), Math.min(options.receiveDepth(), limits.receiveDepth()));
  }

  private ForwardingQueue own(CompletionQueue queue) {
    if (queue instanceof ForwardingQueue own) {
      return own;
    }
    throw new ProviderException(ProviderException.Reason.INVALID, device.name() + ": the completion queue belongs to another domain");
  }

  @Override
  public void close() {
    raw.close();
  }

  private static final class ForwardingRequest implements ConnectionRequest {
    private final ForwardingDomain domain;
    private final ConnectionRequest raw;

    ForwardingRequest(ForwardingDomain domain, ConnectionRequest raw) {
      this.domain = domain;
      this.raw = raw;
    }

    @Override
    public byte[] privateData() {
      return raw.privateData();
    }

    @Override
    public EndpointAddress remoteAddress() {
      return raw.remoteAddress();
    }

    @Override
    public Object source() {
      return raw.source();
    }

    @Override
    public byte[] channelBinding() {
      return raw.channelBinding();
    }

    @Override
    public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
      return domain.accepted(raw, queue, options, handler);
    }

    @Override
    public void accept(byte[] privateData) {
      raw.accept(privateData);
    }

    @Override
    public void reject(byte[] privateData) {
      raw.reject(privateData);
    }
  }
}
