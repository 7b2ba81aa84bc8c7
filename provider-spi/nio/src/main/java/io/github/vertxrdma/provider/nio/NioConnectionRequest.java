package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.software.SoftwareRequest;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An accepted socket: reads the peer's first frame on the listener's thread, is answered on any thread. */
final class NioConnectionRequest extends SoftwareRequest<NioEndpoint> implements SocketHandler {
  private final NioListener listener;
  private final TcpSocket socket;
  private final ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER + NioDevice.PRIVATE_DATA).limit(Frame.HEADER);
  private final EndpointAddress remoteAddress;
  private int readsInFlight;

  NioConnectionRequest(NioListener listener, TcpSocket socket) throws IOException {
    super(listener);
    this.listener = listener;
    this.socket = socket;
    remoteAddress = EndpointAddress.of(socket.remoteAddress());
  }

  void start(NioCompletionQueue queue, int timeoutMillis) {
    expect(timeoutMillis);
    try {
      queue.sockets().watch(socket, READ, this);
    } catch (IOException | RuntimeException e) {
      abandon();
    }
  }

  @Override
  public void ready(int operations) {
    SocketBuffer staging = listener.queue().staging().clear();
    staging.bytes.limit(frame.remaining());
    try {
      int n = socket.read(staging);
      frame.put(staging.bytes.flip());
      if (n < 0 || !frame.hasRemaining() && !header()) {
        abandon();
      } else if (!frame.hasRemaining()) {
        byte[] privateData = new byte[frame.position() - Frame.HEADER];
        frame.get(Frame.HEADER, privateData);
        // The queue of the endpoint to come takes over.
        socket.unwatch();
        complete(privateData);
      }
    } catch (IOException e) {
      abandon();
    }
  }

  /** Looks at the header and makes room for the payload. */
  private boolean header() {
    if (frame.limit() > Frame.HEADER) {
      return true;
    }
    long length = frame.getLong(40);
    if (frame.get(0) != Frame.CONNECT || frame.getLong(16) != Frame.MAGIC || frame.getInt(24) != Frame.VERSION || length < 0
      || length > NioDevice.PRIVATE_DATA) {
      return false;
    }
    readsInFlight = (int) frame.getLong(32);
    frame.limit(Frame.HEADER + (int) length);
    return true;
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remoteAddress;
  }

  @Override
  protected NioEndpoint newEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    NioCompletionQueue mine = (NioCompletionQueue) queue;
    return mine.add(new NioEndpoint(mine.domain().own(queue), options, handler));
  }

  @Override
  protected void accept(NioEndpoint endpoint, byte[] data) {
    endpoint.accept(socket, readsInFlight, data);
  }

  @Override
  protected void refuse(byte[] data) {
    SocketBuffer answer = new SocketBuffer(Frame.HEADER + data.length);
    Frame.put(answer.bytes, Frame.REJECT, 0, 0, 0, 0, 0, 0, data.length, 0);
    try {
      // It fits: nothing was sent on this socket before.
      answer.bytes.put(data).flip();
      socket.write(answer);
    } catch (IOException e) {
      // The peer is gone, which is as good as rejected.
    }
    socket.close();
  }

  @Override
  protected void hangUp() {
    socket.close();
  }
}
