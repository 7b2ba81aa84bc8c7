package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.PeerText;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.parsetools.RecordParser;
import java.net.SocketAddress;

/** Sends and receives the frames of a control connection: the length of type and payload (4 bytes), the type (1 byte), the payload. */
public final class ControlSocket {
  static final int MAX_PAYLOAD = 1 << 20;
  /** Bytes of a frame before its payload. */
  static final int HEAD = Integer.BYTES + 1;
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

  public interface FrameHandler {
    void frame(byte type, Buffer payload);
  }

  private final ControlPipe socket;
  private final RecordParser parser = RecordParser.newFixed(HEAD);
  private FrameHandler handler;
  private Handler<Throwable> closeHandler;
  private int limit;
  /** True if the parser is before the length and type of a frame; false if it is before the payload. */
  private boolean atHead = true;
  private byte type;
  private Throwable failure;
  private boolean closed;

  /** @param limit maximum bytes of a payload */
  public ControlSocket(ControlPipe socket, int limit, FrameHandler handler, Handler<Throwable> closeHandler) {
    this.socket = socket;
    this.limit = limit;
    handlers(handler, closeHandler);
    socket.closeHandler(cause -> {
      closed = true;
      this.closeHandler.handle(failure == null ? cause : failure);
    });
    parser.handler(this::parsed);
    socket.handler(parser);
  }

  final void handlers(FrameHandler frame, Handler<Throwable> closed) {
    handler = frame;
    closeHandler = closed;
  }

  void limit(int bytes) {
    limit = bytes;
  }

  boolean isFull() {
    return socket.writeQueueFull();
  }

  SocketAddress remoteAddress() {
    return socket.remoteAddress();
  }

  boolean isNear() {
    return socket.isNear();
  }

  /** Returns the peer's address for messages. A Unix socket that connects has an empty one. */
  String remote() {
    SocketAddress address = remoteAddress();
    return address == null ? "unknown address" : String.valueOf(address).isEmpty() ? "a process of this host" : address.toString();
  }

  static String text(Buffer payload) {
    return PeerText.of(payload.getString(0, Math.min(payload.length(), MAX_TEXT)));
  }

  public static Buffer encode(byte type, Buffer payload) {
    return Buffer.buffer(HEAD + payload.length()).appendInt(1 + payload.length()).appendByte(type).appendBuffer(payload);
  }

  Future<Void> write(byte type, Buffer payload) {
    return closed ? Future.failedFuture("the control connection is closed") : socket.write(encode(type, payload));
  }

  void close() {
    socket.close();
  }

  private void parsed(Buffer part) {
    if (closed || failure != null) {
      return;
    }
    try {
      if (atHead) {
        int length = part.getInt(0);
        if (length < 1 || length > limit + 1) {
          throw new IllegalArgumentException("invalid frame length " + length + ": this is no control connection of vertx-rdma");
        }
        type = part.getByte(Integer.BYTES);
        if (length == 1) {
          handler.frame(type, Buffer.buffer());
        } else {
          atHead = false;
          parser.fixedSizeMode(length - 1);
        }
      } else {
        atHead = true;
        parser.fixedSizeMode(HEAD);
        handler.frame(type, part);
      }
    } catch (IllegalArgumentException e) {
      failure = e;
      close();
    }
  }
}
