package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Accepts sockets; each becomes a connection request when its first frame is complete. */
final class NioListener implements Listener, Selectable {
  private static final int BACKLOG = 1024;
  private static final int PAUSE_MILLIS = 100;

  private final NioCompletionQueue queue;
  private final EndpointOptions options;
  private final ListenHandler handler;
  private final ServerSocketChannel channel;
  private final EndpointAddress localAddress;
  /** Requests that are not answered; those are answered on other threads too. */
  private final Set<NioConnectionRequest> requests = ConcurrentHashMap.newKeySet();
  private boolean closed;

  private NioListener(NioCompletionQueue queue, ServerSocketChannel channel, EndpointOptions options, ListenHandler handler)
    throws IOException {
    this.queue = queue;
    this.channel = channel;
    this.options = options;
    this.handler = handler;
    localAddress = EndpointAddress.of((InetSocketAddress) channel.getLocalAddress());
  }

  NioCompletionQueue queue() {
    return queue;
  }

  static NioListener open(NioCompletionQueue queue, InetSocketAddress address, EndpointOptions options, ListenHandler handler) {
    ServerSocketChannel channel = null;
    try {
      channel = ServerSocketChannel.open();
      channel.configureBlocking(false);
      channel.bind(address, BACKLOG);
      NioListener listener = new NioListener(queue, channel, options, handler);
      queue.register(channel, SelectionKey.OP_ACCEPT, listener);
      return queue.add(listener);
    } catch (IOException | RuntimeException e) {
      if (channel != null) {
        Sockets.close(channel);
      }
      throw Sockets.failure("listen on " + EndpointAddress.of(address), e);
    }
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  @Override
  public void ready(SelectionKey key) {
    try {
      for (SocketChannel socket = channel.accept(); socket != null; socket = channel.accept()) {
        NioConnectionRequest request = new NioConnectionRequest(this, socket);
        requests.add(request);
        request.start(queue, options.connectTimeoutMillis());
      }
    } catch (IOException e) {
      // Out of descriptors, most likely: those that wait stay in the backlog for a while.
      queue.interest(key, 0, SelectionKey.OP_ACCEPT);
      queue.deadline(PAUSE_MILLIS, () -> {
        if (key.isValid()) {
          queue.interest(key, SelectionKey.OP_ACCEPT, 0);
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
    Sockets.close(channel);
    List.copyOf(requests).forEach(NioConnectionRequest::abandon);
    queue.remove(this);
  }
}
