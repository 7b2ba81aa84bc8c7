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
  final Peering peering;
  private boolean asked;
  private int version;
  private long high;
  private long low;
  private int connection;
  private int readsInFlight;
  private long token;
  private byte[] proof;

  ShmRequest(ShmListener listener, DescriptorSocket socket) {
    super(listener);
    this.listener = listener;
    this.socket = socket;
    this.peering = null;
  }

  ShmRequest(ShmListener listener, Peering peering, int connection, int readsInFlight, long token) {
    super(listener);
    this.listener = listener;
    this.socket = null;
    this.peering = peering;
    from(peering.high, peering.low, connection, readsInFlight, token);
  }

  private void from(long queueHigh, long queueLow, int number, int reads, long secret) {
    high = queueHigh;
    low = queueLow;
    connection = number;
    readsInFlight = reads;
    token = secret;
  }

  void start(int timeoutMillis) {
    // All silent peers count as one source, because they belong to one user or group.
    expect(timeoutMillis, listener);
    try {
      listener.queue().watch(socket.fd, this);
    } catch (ProviderException e) {
      abandon();
      return;
    }
    ready();
  }

  void asked(byte[] privateData) {
    complete(privateData);
  }

  @Override
  public void ready() {
    SocketMessage.Received message = asked ? null : socket.receive();
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
    from(in.i64(), in.i64(), in.i32(), in.i32(), in.i64());
    proof = in.bytes(PeeringKey.LENGTH);
    // The endpoint's completion queue will watch the socket.
    asked = true;
    listener.queue().sockets.unwatch(socket.fd, this);
    complete(in.rest());
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  boolean proves(PeeringKey key) {
    return key.isProvenBy(proof, token, listener.localAddress());
  }

  int version() {
    return version;
  }

  int connection() {
    return connection;
  }

  int readsInFlight() {
    return readsInFlight;
  }

  long token() {
    return token;
  }

  @Override
  public byte[] channelBinding() {
    MeetingFolder folder = listener.queue().domain.folder();
    return folder.binding(socket == null ? peering.user() : socket.user, folder.user());
  }

  @Override
  public EndpointAddress remoteAddress() {
    return ShmQueue.address(high, connection);
  }

  @Override
  protected ShmEndpoint newEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    ShmQueue mine = ((ShmQueue) queue).domain.own(queue);
    if (peering != null && mine != listener.queue()) {
      throw new IllegalStateException("shm: this listener requires endpoints that use the completion queue of the listener");
    }
    return mine.add(new ShmEndpoint(mine, options, handler));
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
    } else if (!peering.output.reject(connection, data)) {
      peering.output.askBySocket(connection);
    }
  }

  @Override
  protected void hangUp() {
    listener.queue().sockets.unwatch(socket.fd, this);
    socket.close();
  }
}
