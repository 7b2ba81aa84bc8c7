package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.WorkRequest;

public class ForwardingEndpoint implements Endpoint {
  private static final int MOST_ELEMENTS = 64;

  private final ForwardingDomain domain;
  private final ForwardingQueue queue;
  private final EndpointHandler handler;
  private final ReceiveQueue sharedReceives;
  private final WorkRequest unwrapped = new WorkRequest();
  private final ScatterGather unwrappedList = new ScatterGather(MOST_ELEMENTS);
  private ReceiveQueue receives;
  private Endpoint raw;

  protected ForwardingEndpoint(ForwardingDomain domain, ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
    this.domain = domain;
    this.queue = queue;
    this.handler = handler;
    sharedReceives = options.receiveQueue();
  }

  protected void bind(Endpoint wrapped) {
    raw = wrapped;
    receives = sharedReceives != null ? sharedReceives : domain.newReceiveQueue(wrapped.receiveQueue());
  }

  final EndpointHandler wrappedHandler() {
    return new EndpointHandler() {
      @Override
      public void connected(Endpoint endpoint, byte[] privateData) {
        onConnected(privateData);
      }

      @Override
      public void disconnected(Endpoint endpoint, ProviderException cause) {
        onDisconnected(cause);
      }
    };
  }

  protected void onConnected(byte[] privateData) {
    handler.connected(this, privateData);
  }

  protected void onDisconnected(ProviderException cause) {
    handler.disconnected(this, cause);
  }

  protected final ForwardingQueue queue() {
    return queue;
  }

  protected final Endpoint raw() {
    return raw;
  }

  /**
   * Returns a copy of a request for the wrapped endpoint. The copy lacks {@link PostFlags#UNLESS_DONE}, so that each operation has a
   * completion. It is valid until the next call.
   */
  protected final WorkRequest unwrap(WorkRequest request) {
    unwrapped.set(request).flags(request.flags() & ~PostFlags.UNLESS_DONE).remote(domain.unwrap(request.remote()), request.remoteOffset());
    if (request.memory() != null) {
      return unwrapped;
    }
    ScatterGather list = request.list();
    if (list == null) {
      return unwrapped.local(domain.unwrap(request.region()), request.offset(), request.length());
    }
    return unwrapped.local(list.size() > MOST_ELEMENTS ? list : unwrappedList.set(list, domain::unwrap));
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
  public final byte[] channelBinding() {
    return raw.channelBinding();
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
  public void granted(int receives) {
    raw.granted(receives);
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    raw.connect(remote, privateData);
  }

  @Override
  public int post(WorkRequest request) {
    return raw.post(unwrap(request));
  }

  @Override
  public int flush() {
    return raw.flush();
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
