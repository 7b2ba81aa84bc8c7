package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;

/** Passes posts on. */
public class ForwardingEndpoint implements Endpoint {
  private final ForwardingDomain domain;
  private final ForwardingQueue queue;
  private final EndpointHandler handler;
  private final ReceiveQueue sharedReceives;
  private final ScatterGather unwrapped;
  private ReceiveQueue receives;
  private Endpoint raw;

  protected ForwardingEndpoint(ForwardingDomain domain, ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
    this.domain = domain;
    this.queue = queue;
    this.handler = handler;
    sharedReceives = options.receiveQueue();
    unwrapped = new ScatterGather(64);
  }

  /** Puts it in front of its endpoint. */
  protected void bind(Endpoint behind) {
    raw = behind;
    receives = sharedReceives != null ? sharedReceives : domain.newReceiveQueue(behind.receiveQueue());
  }

  /** What the endpoint behind tells its news to. */
  final EndpointHandler behindHandler() {
    return new EndpointHandler() {
      @Override
      public void connected(Endpoint endpoint, byte[] privateData) {
        heardConnected(privateData);
      }

      @Override
      public void disconnected(Endpoint endpoint, ProviderException cause) {
        heardDisconnected(cause);
      }
    };
  }

  /** The endpoint behind is connected. */
  protected void heardConnected(byte[] privateData) {
    handler.connected(this, privateData);
  }

  /** The endpoint behind is not, or no longer, connected. */
  protected void heardDisconnected(ProviderException cause) {
    handler.disconnected(this, cause);
  }

  protected final EndpointHandler handler() {
    return handler;
  }

  protected final ForwardingQueue queue() {
    return queue;
  }

  protected final ForwardingDomain domain() {
    return domain;
  }

  /** The endpoint behind. */
  protected final Endpoint raw() {
    return raw;
  }

  /** The list with the regions of the domain behind; valid until the next call. */
  protected final ScatterGather unwrap(ScatterGather list) {
    if (list.size() > 64) {
      return list; // longer than any device takes; it is refused for that
    }
    unwrapped.clear();
    for (int i = 0; i < list.size(); i++) {
      unwrapped.add(domain.unwrap(list.region(i)), list.offset(i), list.length(i));
    }
    return unwrapped;
  }

  @Override
  public EndpointState state() {
    return raw.state();
  }

  @Override
  public ProviderException failure() {
    return raw.failure();
  }

  @Override
  public final CompletionQueue completionQueue() {
    return queue;
  }

  @Override
  public final ReceiveQueue receiveQueue() {
    return receives;
  }

  @Override
  public final EndpointAddress localAddress() {
    return raw.localAddress();
  }

  @Override
  public final EndpointAddress remoteAddress() {
    return raw.remoteAddress();
  }

  @Override
  public int inlineSize() {
    return raw.inlineSize();
  }

  @Override
  public int sendDepth() {
    return raw.sendDepth();
  }

  @Override
  public int readsInFlight() {
    return raw.readsInFlight();
  }

  @Override
  public int outstanding() {
    return raw.outstanding();
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    raw.connect(remote, privateData);
  }

  @Override
  public int postSend(long requestId, MemoryRegion region, long offset, int length, int flags) {
    return raw.postSend(requestId, domain.unwrap(region), offset, length, flags);
  }

  @Override
  public int postSend(long requestId, ScatterGather list, int flags) {
    return raw.postSend(requestId, unwrap(list), flags);
  }

  @Override
  public int postSendImmediate(long requestId, MemoryRegion region, long offset, int length, long immediate, int flags) {
    return raw.postSendImmediate(requestId, domain.unwrap(region), offset, length, immediate, flags);
  }

  @Override
  public int postWrite(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    return raw.postWrite(requestId, domain.unwrap(region), offset, length, domain.unwrap(remote), remoteOffset, flags);
  }

  @Override
  public int postWrite(long requestId, ScatterGather list, RemoteMemory remote, long remoteOffset, int flags) {
    return raw.postWrite(requestId, unwrap(list), domain.unwrap(remote), remoteOffset, flags);
  }

  @Override
  public int postWriteImmediate(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
    long immediate, int flags) {
    return raw.postWriteImmediate(requestId, domain.unwrap(region), offset, length, domain.unwrap(remote), remoteOffset, immediate, flags);
  }

  @Override
  public int postRead(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    return raw.postRead(requestId, domain.unwrap(region), offset, length, domain.unwrap(remote), remoteOffset, flags);
  }

  @Override
  public int postFetchAdd(long requestId, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add, int flags) {
    return raw.postFetchAdd(requestId, domain.unwrap(result), offset, domain.unwrap(remote), remoteOffset, add, flags);
  }

  @Override
  public int postCompareSwap(long requestId, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long expected,
    long swap, int flags) {
    return raw.postCompareSwap(requestId, domain.unwrap(result), offset, domain.unwrap(remote), remoteOffset, expected, swap, flags);
  }

  @Override
  public int flush() {
    return raw.flush();
  }

  @Override
  public Counter counter(Counter.Event event) {
    return raw.counter(event);
  }

  @Override
  public void disconnect() {
    raw.disconnect();
  }

  @Override
  public void peerDead(String reason) {
    raw.peerDead(reason);
  }

  @Override
  public void close() {
    raw.close();
    queue.forget(raw);
  }
}
