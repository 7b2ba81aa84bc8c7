package io.github.vertxrdma.grpc.impl;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcWriteStream;
import io.vertx.grpc.common.InvalidMessageException;
import io.vertx.grpc.common.WireFormat;
import java.util.Objects;

/** Stream of a call's sent messages: the request at a client, the response at a server. */
abstract class MessageWriter<S extends GrpcWriteStream<T>, T> extends Sender implements GrpcWriteStream<T> {
  static final String IDENTITY = "identity";

  private final GrpcMessageEncoder<T> encoder;
  private WireFormat format;
  private String encoding;
  private MultiMap headers;
  private volatile boolean headSent;
  private volatile boolean endSent;
  private volatile GrpcError error;
  private Handler<Throwable> exceptionHandler;
  private Handler<GrpcError> errorHandler;

  MessageWriter(ContextInternal context, GrpcMessageEncoder<T> encoder) {
    super(context);
    this.encoder = encoder;
  }

  abstract CallState state();

  abstract String path();

  /** Permits the peer to send further messages. */
  abstract void give(int messages);

  abstract void unreadable(RuntimeException cause);

  abstract void tooLong(InvalidMessageException cause);

  /** @throws FrameException to end the connection */
  abstract void frame(CallFrame frame);

  @SuppressWarnings("unchecked")
  private S self() {
    return (S) this;
  }

  @Override
  public final MultiMap headers() {
    if (headSent) {
      throw new IllegalStateException("the headers of this call are already sent; use trailers or messages");
    }
    return lastHeaders();
  }

  @Override
  public final S encoding(String value) {
    notSent("encoding");
    encoding = Objects.requireNonNull(value);
    return self();
  }

  @Override
  public final S format(WireFormat value) {
    notSent("format");
    format = Objects.requireNonNull(value);
    return self();
  }

  final void notSent(String what) {
    if (headSent) {
      throw new IllegalStateException("cannot set the " + what + " of this call: its headers are already sent");
    }
  }

  final CallFrame.Head head() {
    return CallFrame.Head.of(Gzip.NAME.equals(encoding) ? 1 : 0, format == WireFormat.JSON,
      headers == null || headers.isEmpty() ? CallFrame.NO_METADATA : headers);
  }

  final boolean isEndSent() {
    return endSent;
  }

  final GrpcError error() {
    return error;
  }

  @Override
  public final S exceptionHandler(Handler<Throwable> handler) {
    exceptionHandler = handler;
    return self();
  }

  final void errorHandler(Handler<GrpcError> handler) {
    errorHandler = handler;
  }

  final void failed(GrpcError what, Throwable cause) {
    if (error == null) {
      error = what;
      abandon(cause);
      CallLink.dispatch(context, what, errorHandler);
      if (!endSent) {
        CallLink.dispatch(context, cause, exceptionHandler);
      }
    }
  }

  @Override
  public final S setWriteQueueMaxSize(int messages) {
    if (messages < 1) {
      throw new IllegalArgumentException("a write queue of " + messages + " messages is too short: use at least 1");
    }
    max = messages;
    return self();
  }

  @Override
  public final S drainHandler(Handler<Void> handler) {
    drainHandler = handler;
    return self();
  }

  @Override
  public final Future<Void> write(T message) {
    return writeMessage(encode(message));
  }

  @Override
  public final Future<Void> end(T message) {
    return endMessage(encode(message));
  }

  private GrpcMessage encode(T message) {
    return OutgoingMessage.of(encoder, message, format == null ? WireFormat.PROTOBUF : format);
  }

  @Override
  public final Future<Void> writeMessage(GrpcMessage message) {
    return send(message, false);
  }

  @Override
  public final Future<Void> endMessage(GrpcMessage message) {
    return send(message, true);
  }

  @Override
  public final Future<Void> end() {
    return send(null, true);
  }

  public final Future<Void> writeHead() {
    return send(null, false);
  }

  private Future<Void> send(GrpcMessage message, boolean end) {
    if (error != null) {
      IllegalStateException late = new IllegalStateException("the call has failed: " + error);
      if (end) {
        // Generated services answer a call that the client has cancelled. The exception would be logged as unhandled.
        return context.failedFuture(late);
      }
      throw late;
    }
    if (endSent) {
      throw new IllegalStateException("this side of the call has ended");
    }
    CallFrame.Body body = null;
    if (message != null) {
      if (format == null) {
        format = message.format();
      } else if (format != message.format()) {
        return context.failedFuture("cannot write a message in " + message.format() + ": this call uses " + format);
      }
      try {
        body = body(message);
      } catch (CodecException e) {
        return context.failedFuture(e);
      }
    }
    beforeHead();
    boolean first = !headSent;
    headSent = true;
    endSent = end;
    Item item = new Item(body, end);
    if (context.inThread()) {
      return queue(item, first);
    }
    Promise<Void> sent = context.promise();
    context.execute(() -> queue(item, first).onComplete(sent));
    return sent.future();
  }

  private Future<Void> queue(Item item, boolean first) {
    if (first) {
      beginning();
    }
    return queue(item);
  }

  void beforeHead() {
  }

  /** Called on the context before the first frame is sent or queued. */
  void beginning() {
  }

  final MultiMap lastHeaders() {
    if (headers == null) {
      headers = MultiMap.caseInsensitiveMultiMap();
    }
    return headers;
  }

  private CallFrame.Body body(GrpcMessage message) {
    String is = message.encoding();
    if (!is.equals(IDENTITY) && !is.equals(Gzip.NAME)) {
      throw new CodecException("cannot write a message in encoding " + is + ": use identity or gzip");
    }
    if (encoding == null) {
      encoding = is;
    }
    if (encoding.equals(IDENTITY) && message instanceof OutgoingMessage outgoing) {
      return new CallFrame.Body(null, outgoing, false, false);
    }
    return switch (encoding) {
      case IDENTITY ->
        new CallFrame.Body(is.equals(IDENTITY) ? message.payload() : Gzip.decompress(message.payload(), Integer.MAX_VALUE - 8), false);
      case Gzip.NAME -> new CallFrame.Body(is.equals(IDENTITY) ? Gzip.compress(message.payload()) : message.payload(), true);
      default -> throw new CodecException("unknown encoding " + encoding + ": use identity or gzip");
    };
  }
}
