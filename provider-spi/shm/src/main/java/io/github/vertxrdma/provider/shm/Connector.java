package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Errno;

/** A connect under way: a socket to a listener, which may become that of two queues. */
final class Connector implements Pollable {
  private static final long RETRY_MILLIS = 5;

  private final ShmEndpoint endpoint;
  private final ShmQueue queue;
  private final String path;
  private final Message ask;
  private final LocalSocket socket;
  /** The answer comes through a ring. */
  private boolean elsewhere;
  private boolean over;

  Connector(ShmEndpoint endpoint, ShmQueue queue, String path, Message ask) {
    this.endpoint = endpoint;
    this.queue = queue;
    this.path = path;
    this.ask = ask;
    socket = new LocalSocket(Libc.socket());
    queue.connecting(1);
  }

  void start() {
    if (over) {
      return;
    }
    int errno = Libc.connect(socket.fd(), path);
    if (errno == Errno.EAGAIN) {
      // So many wait there already: until the connect times out.
      queue.deadline(RETRY_MILLIS, this::start);
    } else if (errno != 0) {
      endpoint.fail(new ProviderException(errno == Errno.ENOENT || errno == Errno.ECONNREFUSED ? Reason.REFUSED : Reason.UNREACHABLE, errno,
        "shm: nobody listens on " + path + ": " + Errno.describe(errno)));
    } else if (!queue.domain().folder().admits(socket.fd())) {
      endpoint.fail(new ProviderException(Reason.REFUSED, "shm: a process of user " + Libc.peerUser(socket.fd()) + " listens on " + path
        + ", with whom this process does not share memory"));
    } else {
      queue.watch(socket.fd(), this);
      socket.send(ask);
    }
  }

  @Override
  public void ready() {
    if (elsewhere || over) {
      return;
    }
    Message.Received message = socket.receive();
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

  private void take(Message.Received message) {
    if (message.type() == Message.ELSEWHERE) {
      elsewhere = true;
      queue.unwatch(socket.fd(), this);
      socket.close();
    } else if (message.type() == Message.REJECT) {
      byte[] data = new byte[message.bytes().remaining() - 4];
      message.bytes().get(4, data);
      endpoint.fail(new ProviderException(Reason.REJECTED, 0, "shm: " + endpoint.remoteAddress() + " rejected the connection", data, null));
    } else if (message.type() == Message.ACCEPT && message.has(36, 2) && message.bytes().getLong(4) == Message.MAGIC) {
      accepted(message);
    } else {
      endpoint.fail(new ProviderException(Reason.REFUSED, "shm: " + endpoint.remoteAddress() + " closed the connection without an answer: "
        + "the listener there was closed, or is of another version"));
    }
  }

  private void accepted(Message.Received message) {
    byte[] data = new byte[message.bytes().remaining() - 40];
    message.bytes().get(40, data);
    Peering peering = new Peering(queue, socket, message.bytes().getLong(16), message.bytes().getLong(24));
    handOver();
    try {
      peering.join(message);
      queue.watch(socket.fd(), peering);
      queue.add(peering);
      peering.say(Message.of(Message.JOIN, queue.state(), peering.output().file().file()));
      peering.output().file().handedOver();
    } catch (ProviderException e) {
      peering.close();
      throw e;
    }
    endpoint.established(peering, message.bytes().getInt(32), message.bytes().getInt(36), data);
  }

  private void handOver() {
    queue.unwatch(socket.fd(), this);
    over = true;
    queue.connecting(-1);
  }

  void close() {
    if (!over) {
      handOver();
      socket.close();
    }
  }
}
