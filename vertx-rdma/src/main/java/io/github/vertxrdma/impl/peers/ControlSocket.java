package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.PeerText;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.net.SocketAddress;

/** Sends and receives the frames of a control connection. */
final class ControlSocket {
  static final int MAX_PAYLOAD = 1 << 20;

  private static final int MAX_TEXT = 1024;

  static final byte HELLO = 1;
  static final byte WELCOME = 2;
  static final byte CONFIRM = 3;
  static final byte READY = 4;
  static final byte DUPLICATE = 5;
  static final byte REFUSE = 6;
  static final byte PING = 7;
  static final byte PONG = 8;
  static final byte MESSAGE = 9;
  static final byte GOODBYE = 10;
  static final byte IDENTITY = 12;
  static final byte JOIN = 13;

  interface Handler {
    void frame(byte type, Buffer payload);

    /** @param cause null if no error was seen */
    void closed(Throwable cause);
  }

  private final ControlPipe socket;
  private Handler handler;
  private final ControlFrames frames;
  /** Error in a frame of the peer, because of which this side closed; null if there is none. */
  private Throwable failure;
  private boolean closed;

  ControlSocket(ControlPipe socket, int limit, Handler handler) {
    this.socket = socket;
    this.handler = handler;
    this.frames = new ControlFrames(limit);
    socket.closeHandler(cause -> {
      closed = true;
      this.handler.closed(failure == null ? cause : failure);
    });
    socket.handler(this::received);
  }

  void handler(Handler handler) {
    this.handler = handler;
  }

  void limit(int bytes) {
    frames.limit(bytes);
  }

  void proven() {
    limit(MAX_PAYLOAD + 1);
  }

  boolean isFull() {
    return socket.writeQueueFull();
  }

  SocketAddress remoteAddress() {
    return socket.remoteAddress();
  }

  String remote() {
    return String.valueOf(remoteAddress());
  }

  static String text(Buffer payload) {
    return PeerText.of(payload.getString(0, Math.min(payload.length(), MAX_TEXT)));
  }

  Future<Void> write(byte type, Buffer payload) {
    if (closed) {
      return Future.failedFuture("the control connection is closed");
    }
    return socket.write(ControlFrames.encode(type, payload));
  }

  void close() {
    socket.close();
  }

  private void received(Buffer data) {
    frames.add(data);
    try {
      while (!closed && frames.next()) {
        handler.frame(frames.type(), frames.payload());
      }
    } catch (IllegalArgumentException e) {
      failure = e;
      close();
    }
  }
}
