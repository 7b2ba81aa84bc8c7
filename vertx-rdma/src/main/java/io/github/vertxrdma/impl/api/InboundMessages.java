package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.internal.concurrent.InboundMessageQueue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Passes received messages from the link's event loop to the handlers on the connection's context. Any thread may set handlers and request
 * messages.
 */
final class InboundMessages extends InboundMessageQueue<Object> {
  private static final Object END = new Object();
  /** Number of queued messages at which the peer gets no further credits. */
  private static final int HIGH = 8;
  /** Number of queued messages at which the peer gets credits again. */
  private static final int LOW = 4;
  /** Minimum size in bytes of messages that {@link Backpressure} counts. {@link #HIGH} suffices for smaller ones. */
  private static final int LARGE = Backpressure.HIGH / HIGH;

  private final ContextInternal context;
  private final Link link;
  private final Backpressure backpressure;
  private ArrayDeque<PendingZeroCopy> zeroCopy;
  private PendingZeroCopy sparePending;
  private volatile Handler<Buffer> handler;
  private volatile Handler<RdmaMessage> messageHandler;
  private final OnceHandler<Void> endHandler;
  /** True after the application or the first handler has set the demand. */
  private boolean hasDemand;

  InboundMessages(ContextInternal context, Link link) {
    super(link.loop().context().eventLoop(), context.executor(), LOW, HIGH);
    this.context = context;
    this.link = link;
    this.backpressure = new Backpressure(link.loop().eventLoop(), link.source(), link::pause);
    this.endHandler = new OnceHandler<>(context);
    super.pause();
  }

  void message(ByteBuf message) {
    int size = message.readableBytes();
    if (message instanceof RegisteredBuffer memory) {
      PendingZeroCopy pending = sparePending == null ? new PendingZeroCopy() : sparePending;
      sparePending = null;
      pending.put(memory);
      if (zeroCopy == null) {
        zeroCopy = new ArrayDeque<>();
      }
      zeroCopy.add(pending);
      write(pending);
      while (zeroCopy != null && !zeroCopy.isEmpty() && zeroCopy.peek().isTaken()) {
        sparePending = zeroCopy.poll();
      }
    } else {
      write(message);
    }
    if (size >= LARGE) {
      backpressure.add(size);
    }
  }

  /** Passes on a message, whose memory is valid during this call. Copies it to the heap unless a handler has taken it. */
  void view(MemorySegment message) {
    RdmaMessageImpl viewed = new RdmaMessageImpl(link, message);
    write(viewed);
    if (viewed.isPending()) {
      viewed.toHeap();
      if (message.byteSize() >= LARGE) {
        backpressure.add((int) message.byteSize());
      }
    }
  }

  void end() {
    write(END);
  }

  /** Lets the link pass messages without a copy to a message handler. Views also require that the context uses the link's event loop. */
  void messageHandlerChanged() {
    boolean inPlace = messageHandler != null;
    boolean here = context.isEventLoopContext() && context.nettyEventLoop() == link.loop().eventLoop();
    link.inPlace(inPlace, inPlace && here);
  }

  void toHeap() {
    if (zeroCopy != null) {
      zeroCopy.forEach(PendingZeroCopy::toHeap);
      zeroCopy = null;
    }
  }

  @Override
  protected void handlePause() {
    backpressure.hold(true);
  }

  @Override
  protected void handleResume() {
    backpressure.hold(false);
  }

  @Override
  protected void handleMessage(Object message) {
    if (message == END) {
      endHandler.occur(null);
      return;
    }
    if (message instanceof RdmaMessageImpl viewed) {
      if (!viewed.isBorrowed()) {
        waited(viewed.size());
      }
      deliver(viewed);
      return;
    }
    ByteBuf bytes = message instanceof PendingZeroCopy pending ? pending.take() : (ByteBuf) message;
    waited(bytes.readableBytes());
    if (messageHandler != null) {
      deliver(new RdmaMessageImpl(link, bytes));
    } else {
      deliver(bytes);
    }
  }

  private void waited(int size) {
    if (size >= LARGE) {
      backpressure.remove(size);
    }
  }

  private void deliver(RdmaMessageImpl message) {
    Handler<RdmaMessage> h = messageHandler;
    if (h != null) {
      context.dispatch(message, h);
      message.handled();
    } else {
      message.toHeap();
      deliver(message.take());
    }
  }

  private void deliver(ByteBuf bytes) {
    if (bytes instanceof RegisteredBuffer memory) {
      // Received in registered memory before the message handler was removed.
      bytes = HeapBuffer.copyOf(memory);
      memory.release();
    }
    Handler<Buffer> h = handler;
    if (h != null) {
      context.dispatch(BufferInternal.buffer(bytes), h);
    }
  }

  void handler(Handler<Buffer> value) {
    handler = value;
    start(value);
  }

  void messageHandler(Handler<RdmaMessage> value) {
    messageHandler = value;
    start(value);
  }

  void endHandler(Handler<Void> value) {
    endHandler.set(value);
  }

  private void start(Handler<?> first) {
    if (first != null && isFirstDemand()) {
      LoopCall.attempt(InboundMessageQueue::fetch, this, Long.MAX_VALUE);
    }
  }

  private synchronized boolean isFirstDemand() {
    boolean first = !hasDemand;
    hasDemand = true;
    return first;
  }

  void hold() {
    isFirstDemand();
    super.pause();
  }

  void demand(long amount) {
    isFirstDemand();
    LoopCall.attempt(InboundMessageQueue::fetch, this, amount);
  }

  /** Message in registered memory that waits for the handler. Moves to the heap when the connection closes. Reusable after take(). */
  private static final class PendingZeroCopy {
    private final AtomicReference<ByteBuf> message = new AtomicReference<>();

    /** Called on the link's event loop, as all methods except take(). */
    void put(RegisteredBuffer memory) {
      message.set(memory);
    }

    boolean isTaken() {
      return message.get() == null;
    }

    ByteBuf take() {
      return message.getAndSet(null);
    }

    void toHeap() {
      ByteBuf zeroCopy = message.get();
      if (zeroCopy == null) {
        return;
      }
      try {
        zeroCopy.retain();
      } catch (IllegalReferenceCountException e) {
        // The handler has taken and released the message.
        return;
      }
      ByteBuf copy = HeapBuffer.copyOf(zeroCopy);
      zeroCopy.release();
      if (message.compareAndSet(zeroCopy, copy)) {
        zeroCopy.release();
      }
    }
  }
}
