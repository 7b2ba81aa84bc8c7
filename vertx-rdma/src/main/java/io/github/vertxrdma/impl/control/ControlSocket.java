package io.github.vertxrdma.impl.control;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.net.SocketAddress;

/**
 * Frames over a TCP socket: length of what follows (4, big-endian), type (1), payload. Confined to the control loop. Until the peer has
 * proved the secret it may send short frames only.
 */
final class ControlSocket {
  /** Payload of a message, at most. */
  static final int MAX_PAYLOAD = 1 << 20;

  /** Bytes of a peer's words that are kept. */
  private static final int MAX_WORDS = 1024;

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
  /** The acceptor's proof and node entry, for a connector that has proved the secret. */
  static final byte IDENTITY = 12;
  /** The connector's proof and {@link Join}. */
  static final byte JOIN = 13;

  /** Hears frames and the end. */
  interface Handler {
    void frame(byte type, Buffer payload);

    /** The socket is closed. @param cause null if no error was seen */
    void closed(Throwable cause);
  }

  private final ControlPipe socket;
  private Handler handler;
  private final ControlFrames frames;
  private Throwable failure;
  private boolean closed;

  /** @param limit bytes of a payload until the peer has proved the secret */
  ControlSocket(ControlPipe socket, int limit, Handler handler) {
    this.socket = socket;
    this.handler = handler;
    this.frames = new ControlFrames(limit);
    socket.exceptionHandler(e -> failure = e);
    socket.closeHandler(v -> {
      closed = true;
      this.handler.closed(failure);
    });
    socket.handler(this::received);
  }

  void handler(Handler handler) {
    this.handler = handler;
  }

  /** The peer has proved the secret: a payload may have so many bytes until it has joined. */
  void limit(int bytes) {
    frames.limit(bytes);
  }

  /** Nothing is to be proved any more. */
  void proven() {
    limit(MAX_PAYLOAD + 1);
  }

  /** Whether the peer takes so little that what is sent piles up here. */
  boolean isFull() {
    return socket.writeQueueFull();
  }

  SocketAddress remoteAddress() {
    return socket.remoteAddress();
  }

  String remote() {
    return String.valueOf(remoteAddress());
  }

  /** Words of a peer, cut short where it has many. */
  static String words(Buffer payload) {
    return payload.getString(0, Math.min(payload.length(), MAX_WORDS));
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
