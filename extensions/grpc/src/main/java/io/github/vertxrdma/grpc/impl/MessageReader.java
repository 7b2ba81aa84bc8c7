package io.github.vertxrdma.grpc.impl;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcReadStream;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.InvalidMessageException;
import io.vertx.grpc.common.MessageSizeOverflowException;
import io.vertx.grpc.common.WireFormat;
import java.util.ArrayDeque;
import java.util.NoSuchElementException;

/**
 * Stream of a call's received messages: the request at a server, the response at a client. Queues at most the call's window of messages.
 */
abstract class MessageReader<S extends GrpcReadStream<T>, T> implements GrpcReadStream<T> {
  /** Unconsumed bytes at which the peer stops sending. The last message may exceed this limit. */
  static final int MOST_BYTES = 8 << 20;

  private enum Input {
    OPEN,
    /** The call was answered before the messages ended. The reader gets the queued messages, then a failure. */
    CUT,
    ENDED,
    /** The reader was notified of the end or the failure. */
    CLOSED
  }

  final ContextInternal context;
  private final GrpcMessageDecoder<T> decoder;
  private final CallFrame.Head head;
  private final CallLink<?> channel;
  private final ArrayDeque<GrpcMessage> waiting = new ArrayDeque<>(1);
  private long waitingBytes;
  private final Promise<Void> end;
  private MultiMap headers;
  private long demand = Long.MAX_VALUE;
  /** Number of messages that the application has received, but for which the peer got no credit yet. */
  private int taken;
  private long takenBytes;
  private long received;
  /** Waiting bytes of this reader that were reported to the connection. */
  private long counted;
  /** True after a served call was answered. Its unread bytes then no longer delay other calls. */
  private boolean complete;
  private Input input = Input.OPEN;
  /** True after the application has had time to set handlers. */
  private boolean begun;
  private boolean delivering;
  private GrpcMessage last;
  private Handler<GrpcMessage> messageHandler;
  private Handler<InvalidMessageException> invalidMessageHandler;
  private Handler<Throwable> exceptionHandler;
  private Handler<Void> endHandler;

  MessageReader(ContextInternal context, GrpcMessageDecoder<T> decoder, CallFrame.Head head, CallLink<?> channel) {
    this.context = context;
    this.decoder = decoder;
    this.head = head;
    this.headers = head.metadata();
    this.channel = channel;
    this.end = context.promise();
  }

  @SuppressWarnings("unchecked")
  private S self() {
    return (S) this;
  }

  /** Returns the other direction of the call. */
  abstract MessageWriter<?, ?> call();

  /** Called before the end handler. Returns the failure of {@link #end}; null for none. */
  Throwable ending() {
    return null;
  }

  final void arrived(CallFrame.Body body) {
    if (body.compressed() && head.encoding() == 0) {
      throw new FrameException("a compressed message of a call without encoding");
    }
    if (waiting.size() + taken >= channel.own.window()) {
      throw new FrameException("more messages of a call than the " + channel.own.window() + " that this side allowed");
    }
    if (waitingBytes + takenBytes >= MOST_BYTES) {
      throw new FrameException("a message, although " + MOST_BYTES + " bytes of its call already wait for their reader");
    }
    if (body.bytes().length() > channel.own.maxMessage()) {
      taken(body.bytes().length());
      invalid(new MessageSizeOverflowException(body.bytes().length()));
      return;
    }
    received += body.bytes().length();
    waiting.add(message(body));
    waitingBytes += body.bytes().length();
    if (!begun || demand == 0) {
      count();
    }
  }

  private void count() {
    long now = complete ? 0 : waitingBytes;
    if (now != counted) {
      channel.waits(now - counted);
      counted = now;
    }
  }

  private GrpcMessage message(CallFrame.Body body) {
    Buffer bytes = body.bytes();
    if (bytes.length() >= CallFrameWriter.LONG && !body.compressed() && !head.json() && RegisteredMessage.isFor(decoder)) {
      if (body.registered()) {
        return channel.inFrame(new RegisteredMessage(bytes));
      }
      channel.receiveInPlace();
    }
    return GrpcMessage.message(body.compressed() ? Gzip.NAME : MessageWriter.IDENTITY, format(),
      body.registered() ? RegisteredMessage.onHeap(bytes) : bytes);
  }

  final long received() {
    return received;
  }

  final void endArrived() {
    if (input != Input.CLOSED) {
      input = Input.ENDED;
    }
  }

  final void complete() {
    complete = true;
    count();
  }

  /** Handles the end of the response. Notifies the reader in a separate task, not during the write. */
  final void answered() {
    if (input == Input.OPEN) {
      input = Input.CUT;
      if (begun) {
        context.runOnContext(v -> deliver());
      }
    }
  }

  /** Delivers the first messages when handlers are set: on an event loop now, otherwise in a later task. */
  final void deliverFirst() {
    if (context.threadingModel() == ThreadingModel.EVENT_LOOP) {
      begin();
    } else {
      context.runOnContext(v -> begin());
    }
  }

  private void begin() {
    begun = true;
    deliver();
  }

  final void deliver() {
    if (delivering || !begun) {
      return;
    }
    delivering = true;
    try {
      while (demand > 0 && !waiting.isEmpty() && input != Input.CLOSED) {
        if (demand != Long.MAX_VALUE) {
          demand--;
        }
        last = waiting.poll();
        int length = last instanceof RegisteredMessage registered ? registered.length : last.payload().length();
        waitingBytes -= length;
        taken(length);
        if (messageHandler != null) {
          context.dispatch(last, messageHandler);
        } else if (last instanceof RegisteredMessage registered) {
          registered.parse(decoder);
        }
      }
    } finally {
      delivering = false;
      count();
    }
    if (waiting.isEmpty() && input == Input.ENDED && demand > 0) {
      input = Input.CLOSED;
      end.complete(null, ending());
      if (endHandler != null) {
        context.dispatch(null, endHandler);
      }
    }
    if (waiting.isEmpty() && input == Input.CUT) {
      fail(cut());
    }
  }

  private Throwable cut() {
    GrpcErrorException failure = new GrpcErrorException(GrpcError.CANCELLED, GrpcStatus.CANCELLED);
    failure.initCause(
      new IllegalStateException("cannot read further messages of a call of " + call().path() + ": its response ended before the client had"
        + " ended its messages. To read all, end it in the end handler of the request"));
    return failure;
  }

  private void taken(int bytes) {
    taken++;
    takenBytes += bytes;
    if ((taken >= Math.max(1, channel.own.window() / 2) || takenBytes >= MOST_BYTES / 2) && input == Input.OPEN) {
      call().give(taken);
      taken = 0;
      takenBytes = 0;
    }
  }

  private void invalid(InvalidMessageException cause) {
    if (invalidMessageHandler == null) {
      call().tooLong(cause);
    } else {
      context.dispatch(cause, invalidMessageHandler);
    }
  }

  final void fail(Throwable cause) {
    if (input != Input.CLOSED) {
      input = Input.CLOSED;
      waiting.clear();
      waitingBytes = 0;
      count();
      CallLink.dispatch(context, () -> end.tryFail(cause));
      CallLink.dispatch(context, cause, exceptionHandler);
    }
  }

  @Override
  public final MultiMap headers() {
    headers = CallFrame.owned(headers);
    return headers;
  }

  @Override
  public final String encoding() {
    return head.encoding() == 1 ? Gzip.NAME : MessageWriter.IDENTITY;
  }

  @Override
  public final WireFormat format() {
    return head.json() ? WireFormat.JSON : WireFormat.PROTOBUF;
  }

  @Override
  public final S messageHandler(Handler<GrpcMessage> handler) {
    messageHandler = guarded(handler);
    return self();
  }

  @Override
  public final S invalidMessageHandler(Handler<InvalidMessageException> handler) {
    invalidMessageHandler = handler;
    return self();
  }

  @Override
  public final S errorHandler(Handler<GrpcError> handler) {
    call().errorHandler(handler);
    return self();
  }

  @Override
  public final S exceptionHandler(Handler<Throwable> handler) {
    exceptionHandler = handler;
    return self();
  }

  @Override
  public final S endHandler(Handler<Void> handler) {
    endHandler = guarded(handler);
    return self();
  }

  @Override
  public final S handler(Handler<T> handler) {
    return messageHandler(handler == null ? null : message -> {
      T decoded;
      try {
        decoded = decode(message);
      } catch (MessageSizeOverflowException e) {
        invalid(e);
        return;
      } catch (RuntimeException e) {
        // A decoder may throw any exception, because the peer chose the bytes.
        call().unreadable(e);
        return;
      }
      handler.handle(decoded);
    });
  }

  <M> Handler<M> guarded(Handler<M> handler) {
    return handler;
  }

  final T decode(GrpcMessage message) {
    if (message instanceof RegisteredMessage registered) {
      return registered.decode(decoder);
    }
    return decoder.decode(message.encoding().equals(Gzip.NAME)
      ? GrpcMessage.message(MessageWriter.IDENTITY, message.format(), Gzip.decompress(message.payload(), channel.own.maxMessage()))
      : message);
  }

  @Override
  public final S pause() {
    context.execute(() -> demand = 0);
    return self();
  }

  @Override
  public final S resume() {
    return fetch(Long.MAX_VALUE);
  }

  @Override
  public final S fetch(long amount) {
    if (amount < 0) {
      throw new IllegalArgumentException("cannot fetch " + amount + " messages: the number must not be negative");
    }
    context.execute(() -> {
      demand = demand + amount < 0 ? Long.MAX_VALUE : demand + amount;
      deliver();
    });
    return self();
  }

  @Override
  public final Future<Void> end() {
    return end.future();
  }

  @Override
  public final Future<T> last() {
    return end().map(v -> {
      if (last == null) {
        throw new NoSuchElementException("the call ended without a message");
      }
      return decode(last);
    });
  }
}
