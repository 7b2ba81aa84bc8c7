package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.base.Admission;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.software.SoftwareRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Accepted socket. Its first frame is read on the listener's thread, and answered on any thread. */
final class NioConnectionRequest extends SoftwareRequest<NioEndpoint> implements SocketHandler {
  private final NioListener listener;
  private final TcpSocket socket;
  private final ByteBuffer frame = ByteBuffer.allocate(NioFrame.HEADER + NioDevice.PRIVATE_DATA);
  private final EndpointAddress localAddress;
  private final EndpointAddress remoteAddress;
  private final Object source;
  private int readsInFlight;
  private int version;

  NioConnectionRequest(NioListener listener, TcpSocket socket) throws IOException {
    super(listener);
    this.listener = listener;
    this.socket = socket;
    localAddress = listener.localAddress(socket);
    InetSocketAddress from = socket.remoteAddress();
    remoteAddress = EndpointAddress.of(from);
    source = Admission.source(from.getAddress().getAddress());
  }

  void start(NioCompletionQueue queue, int timeoutMillis) {
    expect(timeoutMillis, source);
    try {
      queue.sockets.watch(socket, 0, this);
      // The request has often arrived already: peers send it immediately.
      if (read()) {
        socket.interest(READ, 0);
      }
    } catch (IOException | RuntimeException e) {
      abandon();
    }
  }

  @Override
  public void ready(int operations) {
    try {
      read();
    } catch (IOException e) {
      abandon();
    }
  }

  private boolean read() throws IOException {
    SocketBuffer staging = listener.queue().staging().clear();
    staging.bytes.limit(frame.remaining());
    int n = socket.read(staging);
    frame.put(staging.bytes.flip());
    int missing = n < 0 ? -1 : missing();
    if (missing == 0 && version == 0) {
      // Rejects only after reading the whole request: a close with unread bytes may lose the answer.
      reject(NioFrame.OTHER_VERSIONS, NioFrame.VERSIONS.word(), new byte[0]);
      abandon();
    } else if (missing < 0) {
      abandon();
    } else if (missing == 0) {
      // From now on the endpoint's completion queue watches the socket.
      socket.unwatch();
      complete(Arrays.copyOfRange(frame.array(), NioFrame.HEADER, frame.position()));
    }
    return missing > 0;
  }

  /** Returns the number of bytes that the header or frame still lacks; negative for another protocol. */
  private int missing() {
    if (frame.position() < NioFrame.HEADER) {
      return NioFrame.HEADER - frame.position();
    }
    long length = frame.getLong(NioFrame.LENGTH);
    if (frame.get(0) != NioFrame.CONNECT || frame.getLong(16) != NioFrame.MAGIC || length < 0 || length > NioDevice.PRIVATE_DATA) {
      return -1;
    }
    version = NioFrame.VERSIONS.common(VersionRange.of(frame.getInt(24)));
    readsInFlight = (int) frame.getLong(32);
    return NioFrame.HEADER + (int) length - frame.position();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remoteAddress;
  }

  @Override
  protected void accept(NioEndpoint endpoint, byte[] data) {
    endpoint.accept(socket, localAddress, remoteAddress, version, readsInFlight, data);
  }

  @Override
  protected void refuse(byte[] data) {
    reject(0, 0, data);
    socket.close();
  }

  private void reject(int cause, int versions, byte[] data) {
    SocketBuffer answer = new SocketBuffer(NioFrame.HEADER + data.length);
    NioFrame.put(answer.bytes, NioFrame.REJECT, 0, cause, 0, NioFrame.MAGIC, versions, 0, data.length, 0);
    try {
      // The answer fits the socket's buffer, because it is the first output.
      answer.bytes.put(data).flip();
      socket.write(answer);
    } catch (IOException e) {
      // The peer has disconnected.
    }
  }

  @Override
  protected void hangUp() {
    socket.close();
  }
}
