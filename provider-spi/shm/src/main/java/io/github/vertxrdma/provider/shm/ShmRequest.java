package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.software.Deadlines;
import java.util.concurrent.atomic.AtomicBoolean;

/** A peer that connected to a listener's socket: reads what it wants on the listener's thread, is answered on any thread. */
final class ShmRequest implements ConnectionRequest, Pollable {
  private static final byte[] NOTHING = {};

  private final ShmListener listener;
  private final LocalSocket socket;
  private final AtomicBoolean answered = new AtomicBoolean();
  private Deadlines.Deadline deadline;
  private EndpointAddress remoteAddress;
  private byte[] privateData;
  private long high;
  private long low;
  private int connection;
  private int readsInFlight;
  private ShmEndpoint endpoint;

  ShmRequest(ShmListener listener, LocalSocket socket) {
    this.listener = listener;
    this.socket = socket;
  }

  void start(int timeoutMillis) {
    deadline = listener.queue().deadline(timeoutMillis, this::abandon);
    listener.queue().watch(socket, this);
    ready();
  }

  @Override
  public void ready() {
    Message.Received message = privateData != null ? null : socket.receive();
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
    privateData = new byte[message.bytes().remaining() - 36];
    message.bytes().get(36, privateData);
    remoteAddress = EndpointAddress.of("queue-" + Long.toHexString(high) + "-" + Integer.toHexString(connection));
    deadline.cancel();
    // The queue of the endpoint to come takes over; the peer sends nothing before it is answered.
    listener.queue().sockets().unwatch(socket, this);
    listener.complete(this);
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
  public byte[] privateData() {
    return privateData.clone();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remoteAddress;
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (endpoint != null) {
      throw new IllegalStateException("shm: the connection request of " + remoteAddress + " has its endpoint already");
    }
    ShmQueue mine = ((ShmQueue) queue).domain().own(queue);
    endpoint = mine.add(new ShmEndpoint(mine, options, handler));
    return endpoint;
  }

  @Override
  public void accept(byte[] data) {
    if (endpoint == null) {
      throw new IllegalStateException("shm: accept needs an endpoint: call createEndpoint first");
    }
    listener.queue().domain().checkPrivateData(data);
    answer();
    endpoint.accept(this, listener.localAddress(), data);
  }

  @Override
  public void reject(byte[] data) {
    listener.queue().domain().checkPrivateData(data);
    answer();
    refuse(data);
  }

  private void answer() {
    if (!answered.compareAndSet(false, true)) {
      throw new IllegalStateException("shm: the connection request of " + remoteAddress + " was answered before");
    }
    listener.forget(this);
  }

  private void refuse(byte[] data) {
    socket.send(Message.of(Message.REJECT).put(data));
    socket.close();
  }

  /** Gives up: a peer that waits for an answer is rejected, one that never asked is hung up on. */
  void abandon() {
    if (answered.compareAndSet(false, true)) {
      if (deadline != null) {
        deadline.cancel();
      }
      listener.forget(this);
      listener.queue().sockets().unwatch(socket, this);
      if (privateData != null) {
        refuse(NOTHING);
      } else {
        socket.close();
      }
    }
  }
}
