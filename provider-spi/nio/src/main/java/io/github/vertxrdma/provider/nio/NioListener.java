package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.software.SoftwareListener;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Accepts sockets; each becomes a connection request when its first frame is complete. */
final class NioListener extends SoftwareListener<NioCompletionQueue> implements SocketHandler {
  /** Sockets accepted in a poll, at most. */
  private static final int TURN = 64;

  private final EndpointOptions options;
  private ListenSocket socket;
  private EndpointAddress localAddress;
  /** Whether it listens at all addresses of the machine. */
  private boolean everywhere;

  private NioListener(NioCompletionQueue queue, EndpointOptions options, ListenHandler handler) {
    super(queue, handler);
    this.options = options;
  }

  static NioListener open(NioCompletionQueue queue, InetSocketAddress address, EndpointOptions options, ListenHandler handler) {
    NioListener listener = new NioListener(queue, options, handler);
    try {
      listener.socket = queue.sockets().listen(address, BACKLOG, listener);
      InetSocketAddress local = listener.socket.localAddress();
      listener.localAddress = EndpointAddress.of(local);
      listener.everywhere = local.getAddress().isAnyLocalAddress();
      return queue.add(listener);
    } catch (IOException | RuntimeException e) {
      throw Sockets.failure("listen on " + EndpointAddress.of(address), e);
    }
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  /** The address that a peer came to. */
  EndpointAddress localAddress(TcpSocket peer) throws IOException {
    return everywhere ? EndpointAddress.of(peer.localAddress()) : localAddress;
  }

  @Override
  public void ready(int operations) {
    try {
      // Others have their turn, however many come.
      for (int i = 0; i < TURN; i++) {
        TcpSocket peer = socket.accept();
        if (peer == null) {
          return;
        }
        asked(peer);
      }
    } catch (IOException e) {
      socket.interest(0, READ);
      pause(this::resume);
    }
  }

  private void resume() {
    try {
      socket.interest(READ, 0);
    } catch (ProviderException e) {
      // There are no epoll watches left now: the queue serves others meanwhile.
      pause(this::resume);
    }
  }

  private void asked(TcpSocket peer) {
    NioConnectionRequest request;
    try {
      request = new NioConnectionRequest(this, peer);
    } catch (IOException e) {
      // Whoever reset the connection before it was accepted has no address any more.
      peer.close();
      return;
    }
    add(request).start(queue(), options.connectTimeoutMillis());
  }

  @Override
  protected void closeSocket() {
    socket.close();
  }
}
