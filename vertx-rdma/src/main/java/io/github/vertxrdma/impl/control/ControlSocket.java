package io.github.vertxrdma.impl.control;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/**
 * Frames over a TCP socket: length of what follows (4, big-endian), type (1), payload. Confined to the control context. Until the peer has
 * proved the secret it may send short frames only.
 */
final class ControlSocket {
  /** Payload of a message, at most. */
  static final int MAX_PAYLOAD = 1 << 20;

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
  /** The sender has declared the receiver dead and torn down what they shared; this is a new start. */
  static final byte WRITTEN_OFF = 11;

  private static final int UNPROVEN_PAYLOAD = 64 << 10;

  /** Hears frames and the end. */
  interface Handler {
    void frame(byte type, Buffer payload);

    /** The socket is closed. @param cause null if no error was seen */
    void closed(Throwable cause);
  }

  private final ControlPipe socket;
  private Handler handler;
  private Buffer pending = Buffer.buffer();
  private int limit = UNPROVEN_PAYLOAD;
  private Throwable failure;
  private boolean closed;

  ControlSocket(ControlPipe socket, Handler handler) {
    this.socket = socket;
    this.handler = handler;
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

  /** The peer has proved the secret. */
  void proven() {
    limit = MAX_PAYLOAD + 1;
  }

  /** Whether the peer takes so little that what is sent piles up here. */
  boolean isFull() {
    return socket.writeQueueFull();
  }

  String remote() {
    return String.valueOf(socket.remoteAddress());
  }

  Future<Void> write(byte type, Buffer payload) {
    if (closed) {
      return Future.failedFuture("the control connection is closed");
    }
    return socket.write(Buffer.buffer(5 + payload.length()).appendInt(1 + payload.length()).appendByte(type).appendBuffer(payload));
  }

  void close() {
    socket.close();
  }

  private void received(Buffer data) {
    pending = pending.length() == 0 ? data : pending.appendBuffer(data);
    int at = 0;
    while (!closed && pending.length() - at >= 4) {
      int length = pending.getInt(at);
      if (length < 1 || length > limit + 1) {
        failure = new IllegalStateException("a frame of " + length + " bytes; no control connection of vertx-rdma");
        close();
        return;
      }
      if (pending.length() - at - 4 < length) {
        break;
      }
      byte type = pending.getByte(at + 4);
      Buffer payload = pending.getBuffer(at + 5, at + 4 + length);
      at += 4 + length;
      handler.frame(type, payload);
    }
    pending = at == pending.length() ? Buffer.buffer() : at == 0 ? pending : pending.getBuffer(at, pending.length());
  }
}
