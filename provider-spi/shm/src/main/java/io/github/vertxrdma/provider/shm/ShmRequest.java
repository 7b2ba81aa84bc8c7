package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.software.SoftwareRequest;

/** Connection request of a peer, over a socket or through a ring. A request through a ring is answered on the listener's thread. */
final class ShmRequest extends SoftwareRequest<ShmEndpoint> implements Pollable {
  private static final int FIELDS = 60;

  private final ShmListener listener;
  /** Socket of the request; null if it came through a ring. */
  final DescriptorSocket socket;
  /** Link of the request; null if it came over a socket. */
  final QueueLink link;
  /** Null until the request arrived. */
  Connector connector;
  private int version;
  private byte[] proof;

  /** The connecting endpoint: id of its queue, its number, its reads in flight, and the token that an acceptance must repeat. */
  record Connector(long high, long low, int number, int readsInFlight, long token) {
  }

  ShmRequest(ShmListener listener, DescriptorSocket socket) {
    super(listener);
    this.listener = listener;
    this.socket = socket;
    this.link = null;
  }

  ShmRequest(ShmListener listener, QueueLink link, Connector connector) {
    super(listener);
    this.listener = listener;
    this.socket = null;
    this.link = link;
    this.connector = connector;
  }

  void start(int timeoutMillis) {
    expect(timeoutMillis, source());
    try {
      listener.queue().watch(socket.fd, this);
    } catch (ProviderException e) {
      abandon();
      return;
    }
    ready();
  }

  void requested(byte[] privateData) {
    complete(privateData);
  }

  @Override
  public void ready() {
    SocketMessage.Received message = connector != null ? null : socket.receive();
    if (message == null) {
      return;
    }
    message.discard();
    VersionRange versions = message.type() == SocketMessage.CONNECT ? SocketMessage.versions(message) : null;
    version = versions == null ? 0 : SocketMessage.VERSIONS.common(versions);
    if (versions != null && version == 0) {
      socket.send(SocketMessage.of(SocketMessage.OTHER_VERSIONS, out -> out.i64(SocketMessage.magic(SocketMessage.VERSIONS))));
    }
    Cursor in = message.has(FIELDS, 0) ? message.fields() : null;
    if (version == 0 || in == null || in.remaining() - FIELDS > ShmDevice.PRIVATE_DATA) {
      abandon();
      return;
    }
    // Skips magic and versions.
    in.i64();
    long user = Integer.toUnsignedLong(in.i32());
    if (listener.queue().domain.folder().isOfGroup() && user != socket.user) {
      socket.send(SocketMessage.of(SocketMessage.OTHER_USERS, out -> out.i32((int) socket.user)));
      abandon();
      return;
    }
    connector = new Connector(in.i64(), in.i64(), in.i32(), in.i32(), in.i64());
    proof = in.bytes(LinkKey.LENGTH);
    // The endpoint's completion queue will watch the socket.
    listener.queue().sockets.unwatch(socket.fd, this);
    complete(in.rest());
  }

  boolean proves(LinkKey key) {
    return key.isProvenBy(proof, connector.token, listener.localAddress());
  }

  int version() {
    return version;
  }

  private long user() {
    return socket == null ? link.user() : socket.user;
  }

  @Override
  public Object source() {
    return KernelIds.source(user());
  }

  @Override
  public byte[] channelBinding() {
    MeetingFolder folder = listener.queue().domain.folder();
    return folder.binding(user(), folder.user());
  }

  @Override
  public EndpointAddress remoteAddress() {
    return ShmQueue.address(connector.high, connector.number);
  }

  @Override
  protected ShmEndpoint newEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (link != null && queue != listener.queue()) {
      throw new IllegalStateException("shm: this listener requires endpoints that use the completion queue of the listener");
    }
    return super.newEndpoint(queue, options, handler);
  }

  @Override
  protected void accept(ShmEndpoint endpoint, byte[] data) {
    endpoint.accept(this, listener, data);
  }

  void acceptedElsewhere() {
    if (socket != null) {
      socket.send(SocketMessage.of(SocketMessage.ELSEWHERE));
      socket.close();
    }
  }

  @Override
  protected void refuse(byte[] data) {
    if (socket != null) {
      socket.send(SocketMessage.of(SocketMessage.REJECT, out -> out.bytes(data)));
      socket.close();
    } else if (!link.output.reject(connector.number, data)) {
      link.output.askBySocket(connector.number);
    }
  }

  @Override
  protected void hangUp() {
    listener.queue().sockets.unwatch(socket.fd, this);
    socket.close();
  }
}
