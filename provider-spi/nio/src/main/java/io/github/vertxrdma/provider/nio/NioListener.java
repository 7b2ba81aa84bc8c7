package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Accepts sockets; each becomes a connection request when its first frame is complete. */
final class NioListener implements Listener, SocketHandler {
  private static final int BACKLOG = 1024;
  private static final int PAUSE_MILLIS = 100;

  private final NioCompletionQueue queue;
  private final EndpointOptions options;
  private final ListenHandler handler;
  private ListenSocket socket;
  private EndpointAddress localAddress;
  /** Requests that are not answered; those are answered on other threads too. */
  private final Set<NioConnectionRequest> requests = ConcurrentHashMap.newKeySet();
  private boolean closed;

  private NioListener(NioCompletionQueue queue, EndpointOptions options, ListenHandler handler) {
    this.queue = queue;
    this.options = options;
    this.handler = handler;
  }

  NioCompletionQueue queue() {
    return queue;
  }

  static NioListener open(NioCompletionQueue queue, InetSocketAddress address, EndpointOptions options, ListenHandler handler) {
    NioListener listener = new NioListener(queue, options, handler);
    try {
      listener.socket = queue.sockets().listen(address, BACKLOG, listener);
      listener.localAddress = EndpointAddress.of(listener.socket.localAddress());
      return queue.add(listener);
    } catch (IOException | RuntimeException e) {
      throw Sockets.failure("listen on " + EndpointAddress.of(address), e);
    }
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  @Override
  public void ready(int operations) {
    try {
      for (TcpSocket peer = socket.accept(); peer != null; peer = socket.accept()) {
        NioConnectionRequest request = new NioConnectionRequest(this, peer);
        requests.add(request);
        request.start(queue, options.connectTimeoutMillis());
      }
    } catch (IOException e) {
      // Out of descriptors, most likely: those that wait stay in the backlog for a while.
      socket.interest(0, READ);
      queue.deadline(PAUSE_MILLIS, () -> {
        if (!closed) {
          socket.interest(READ, 0);
        }
      });
    }
  }

  /** The first frame is complete. */
  void complete(NioConnectionRequest request) {
    queue.arrived(() -> {
      if (!closed) {
        handler.connectionRequest(request);
      }
    });
  }

  void forget(NioConnectionRequest request) {
    requests.remove(request);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    socket.close();
    List.copyOf(requests).forEach(NioConnectionRequest::abandon);
    queue.remove(this);
  }
}
