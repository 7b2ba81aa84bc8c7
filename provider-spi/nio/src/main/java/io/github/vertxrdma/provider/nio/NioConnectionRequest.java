package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.software.Deadlines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** An accepted socket: reads the peer's first frame on the listener's thread, is answered on any thread. */
final class NioConnectionRequest implements ConnectionRequest, SocketHandler {
  private static final byte[] NOTHING = {};

  private final NioListener listener;
  private final TcpSocket socket;
  private final AtomicBoolean answered = new AtomicBoolean();
  private final ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER + NioDevice.PRIVATE_DATA).limit(Frame.HEADER);
  private final EndpointAddress remoteAddress;
  private Deadlines.Deadline deadline;
  private byte[] privateData;
  private int readsInFlight;
  private NioEndpoint endpoint;

  NioConnectionRequest(NioListener listener, TcpSocket socket) throws IOException {
    this.listener = listener;
    this.socket = socket;
    remoteAddress = EndpointAddress.of(socket.remoteAddress());
  }

  void start(NioCompletionQueue queue, int timeoutMillis) {
    deadline = queue.deadline(timeoutMillis, this::abandon);
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
        deadline.cancel();
        privateData = new byte[frame.position() - Frame.HEADER];
        frame.get(Frame.HEADER, privateData);
        // The queue of the endpoint to come takes over; the peer sends nothing before it is answered.
        socket.unwatch();
        listener.complete(this);
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
      throw new IllegalStateException("nio: the connection request of " + remoteAddress + " has its endpoint already");
    }
    NioCompletionQueue mine = (NioCompletionQueue) queue;
    endpoint = mine.add(new NioEndpoint(mine.domain().own(queue), options, handler));
    return endpoint;
  }

  @Override
  public void accept(byte[] data) {
    if (endpoint == null) {
      throw new IllegalStateException("nio: accept needs an endpoint: call createEndpoint first");
    }
    listener.queue().domain().checkPrivateData(data);
    answer();
    endpoint.accept(socket, readsInFlight, data);
  }

  @Override
  public void reject(byte[] data) {
    listener.queue().domain().checkPrivateData(data);
    answer();
    refuse(data);
  }

  private void answer() {
    if (!answered.compareAndSet(false, true)) {
      throw new IllegalStateException("nio: the connection request of " + remoteAddress + " was answered before");
    }
    listener.forget(this);
  }

  private void refuse(byte[] data) {
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

  /** Gives up: a peer that waits for an answer is rejected, one that never asked is hung up on. */
  void abandon() {
    if (answered.compareAndSet(false, true)) {
      if (deadline != null) {
        deadline.cancel();
      }
      listener.forget(this);
      if (privateData != null) {
        refuse(NOTHING);
      } else {
        socket.close();
      }
    }
  }
}
