package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.software.SoftwareRequest;

/** A peer that connected to a listener's socket: reads what it wants on the listener's thread, is answered on any thread. */
final class ShmRequest extends SoftwareRequest<ShmEndpoint> implements Pollable {
  private final ShmListener listener;
  private final LocalSocket socket;
  private EndpointAddress remoteAddress;
  private boolean asked;
  private long high;
  private long low;
  private int connection;
  private int readsInFlight;

  ShmRequest(ShmListener listener, LocalSocket socket) {
    super(listener);
    this.listener = listener;
    this.socket = socket;
  }

  void start(int timeoutMillis) {
    expect(timeoutMillis);
    listener.queue().watch(socket, this);
    ready();
  }

  @Override
  public void ready() {
    Message.Received message = asked ? null : socket.receive();
    if (message == null) {
      return;
    }
    message.discard();
    if (!message.has(32, 0) || message.type() != Message.CONNECT || message.bytes().getLong(4) != Message.MAGIC
      || message.bytes().remaining() - 36 > ShmDevice.PRIVATE_DATA) {
      abandon();
      return;
    }
    high = message.bytes().getLong(12);
    low = message.bytes().getLong(20);
    connection = message.bytes().getInt(28);
    readsInFlight = message.bytes().getInt(32);
    byte[] privateData = new byte[message.bytes().remaining() - 36];
    message.bytes().get(36, privateData);
    remoteAddress = EndpointAddress.of("queue-" + Long.toHexString(high) + "-" + Integer.toHexString(connection));
    // The queue of the endpoint to come takes over.
    asked = true;
    listener.queue().sockets().unwatch(socket, this);
    complete(privateData);
  }

  LocalSocket socket() {
    return socket;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  /** The peer's number of the connection. */
  int connection() {
    return connection;
  }

  int readsInFlight() {
    return readsInFlight;
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remoteAddress;
  }

  @Override
  protected ShmEndpoint newEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    ShmQueue mine = ((ShmQueue) queue).domain().own(queue);
    return mine.add(new ShmEndpoint(mine, options, handler));
  }

  @Override
  protected void accept(ShmEndpoint endpoint, byte[] data) {
    endpoint.accept(this, listener.localAddress(), data);
  }

  @Override
  protected void refuse(byte[] data) {
    socket.send(Message.of(Message.REJECT).put(data));
    socket.close();
  }

  @Override
  protected void hangUp() {
    listener.queue().sockets().unwatch(socket, this);
    socket.close();
  }
}
