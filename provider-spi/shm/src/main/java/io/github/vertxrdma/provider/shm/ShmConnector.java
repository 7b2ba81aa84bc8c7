package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;

/**
 * Connect in progress: through the ring that leads to the listener if it accepted before, otherwise by a socket to it, which may become the
 * socket of the two queues.
 */
final class ShmConnector implements Pollable {
  private static final long RETRY_MILLIS = 5;

  private final ShmEndpoint endpoint;
  private final ShmQueue queue;
  private final String path;
  private final int number;
  private final byte[] privateData;
  /** Authenticates an acceptance through a ring, because other peers may know the number. */
  private final long token = ShmQueue.random();
  /** Null if the listener is asked by a socket. */
  private Lane lane;
  private boolean bySocket;
  /** Null until it is connected. */
  private DescriptorSocket socket;
  /** True if the answer comes through a ring. */
  private boolean elsewhere;
  private boolean over;

  ShmConnector(ShmEndpoint endpoint, ShmQueue queue, String path, int number, byte[] privateData) {
    this.endpoint = endpoint;
    this.queue = queue;
    this.path = path;
    this.number = number;
    this.privateData = privateData;
  }

  void start() {
    Lane known = queue.lane(endpoint.remoteAddress());
    if (known != null && known.ask(endpoint, number, token, privateData)) {
      lane = known;
    } else {
      askBySocket();
    }
  }

  long token() {
    return token;
  }

  /** Returns whether it waits for an answer through that lane. */
  boolean isBy(Lane other) {
    return lane == other;
  }

  /** Requests the connection by the listener's socket, whatever was tried before. */
  void askBySocket() {
    leaveLane();
    bySocket = true;
    queue.connecting(1);
    connect();
  }

  private void leaveLane() {
    if (lane != null) {
      lane.leave(endpoint);
      lane = null;
    }
  }

  private void connect() {
    if (over) {
      return;
    }
    try {
      socket = queue.sockets().connect(path);
      if (socket == null) {
        // The listener's backlog is full: retries until the connect times out.
        queue.deadline(RETRY_MILLIS, this::connect);
      } else if (!socket.isAdmittedTo(queue.domain().folder())) {
        throw new ProviderException(Reason.REFUSED, "shm: a process of " + socket.peer() + " listens on " + path
          + ", with whom this process does not share memory");
      } else {
        queue.watch(socket.fd(), this);
        socket
          .send(SocketMessage.of(SocketMessage.CONNECT, out -> out.i64(SocketMessage.MAGIC).i64(queue.id(0)).i64(queue.id(1)).i32(number)
            .i32(ShmDevice.READS_IN_FLIGHT).i64(token).bytes(privateData)));
      }
    } catch (ProviderException e) {
      endpoint.fail(e);
    }
  }

  @Override
  public void ready() {
    if (elsewhere || over) {
      return;
    }
    SocketMessage.Received message = socket.receive();
    if (message == null) {
      return;
    }
    try {
      take(message);
    } catch (ProviderException e) {
      endpoint.fail(e);
    } finally {
      message.discard();
    }
  }

  private void take(SocketMessage.Received message) {
    message.checkWhole();
    if (message.type() == SocketMessage.ELSEWHERE) {
      elsewhere = true;
      queue.sockets().unwatch(socket.fd(), this);
      socket.close();
    } else if (message.type() == SocketMessage.REJECT) {
      endpoint.rejected(message.fields().rest());
    } else if (message.type() == SocketMessage.ACCEPT && message.has(36, 2) && message.fields().i64() == SocketMessage.MAGIC) {
      accepted(message);
    } else {
      endpoint.fail(Reason.REFUSED, endpoint.remoteAddress() + " closed the connection without an answer: the listener there was closed, "
        + "or is of another version");
    }
  }

  private void accepted(SocketMessage.Received message) {
    Cursor in = message.fields();
    in.i64();
    in.i32();
    Peering peering = new Peering(queue, socket, in.i64(), in.i64());
    handOver();
    try {
      peering.join(message);
      queue.watch(socket.fd(), peering);
      queue.add(peering);
      peering.say(SocketMessage.of(SocketMessage.JOIN, queue.state(), peering.output().file().file()));
      peering.output().file().handedOver();
    } catch (ProviderException e) {
      peering.close();
      throw e;
    }
    endpoint.established(peering, in.i32(), in.i32(), in.rest());
  }

  private void handOver() {
    if (socket != null) {
      queue.sockets().unwatch(socket.fd(), this);
    }
    over = true;
    if (bySocket) {
      queue.connecting(-1);
    }
  }

  void close() {
    if (!over) {
      leaveLane();
      handOver();
      if (socket != null) {
        socket.close();
      }
    }
  }
}
