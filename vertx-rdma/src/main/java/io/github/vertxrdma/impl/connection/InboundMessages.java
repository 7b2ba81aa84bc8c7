package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.Callbacks;
import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.internal.concurrent.InboundMessageQueue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;

/**
 * Queue of messages from the link's loop to the handlers on the connection's context. Written on the loop; handlers and demand are set from
 * any thread.
 */
final class InboundMessages extends InboundMessageQueue<Object> {
  private static final Object END = new Object();
  /** Queued messages at which credits stop and resume. */
  private static final int HIGH = 8;
  private static final int LOW = 4;
  /** {@link #HIGH} limits shorter messages by number first. */
  private static final int LARGE = Backpressure.HIGH / HIGH;

  /** A message in the peer's memory during its delivery, in a heap copy if it has to wait. */
  private static final class Viewed {
    private MemorySegment memory;
    private ByteBuf copy;
  }

  private final ContextInternal context;
  private final Link link;
  /** Counts messages of at least {@link #LARGE} bytes. */
  private final Backpressure backpressure;
  /** Messages in registered memory that wait. On the loop, null before the first. */
  private ArrayDeque<PendingZeroCopy> zeroCopy;
  /** Reused for the next message. On the loop. */
  private PendingZeroCopy sparePending;
  private Viewed spareViewed;
  private volatile Handler<Buffer> handler;
  private volatile Handler<RdmaMessage> zeroCopyHandler;
  private volatile Handler<MemorySegment> viewHandler;
  private Handler<Void> endHandler;
  private boolean paused;
  private boolean started;
  /** Guarded by this, like its handler. */
  private boolean ended;

  InboundMessages(ContextInternal context, Link link) {
    super(link.loop().context().eventLoop(), context.executor(), LOW, HIGH);
    this.context = context;
    this.link = link;
    this.backpressure = new Backpressure(link.loop().eventLoop(), link::pause);
    // No delivery before the first handler.
    super.pause();
  }

  // ---- on the link's loop

  void message(ByteBuf message) {
    int size = message.readableBytes();
    put(message);
    if (size >= LARGE) {
      backpressure.add(size);
    }
  }

  /** Delivers a message that is valid during the call; copies it if it has to wait. On the loop, possibly the context's. */
  void view(MemorySegment message) {
    Viewed viewed = spareViewed == null ? new Viewed() : spareViewed;
    spareViewed = null;
    viewed.memory = message;
    write(viewed);
    if (viewed.memory == null) {
      spareViewed = viewed;
      return;
    }
    viewed.copy = HeapBuffer.copyOf(message);
    viewed.memory = null;
    if (message.byteSize() >= LARGE) {
      backpressure.add((int) message.byteSize());
    }
  }

  private void put(ByteBuf message) {
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
  }

  void end() {
    write(END);
  }

  /** Sets where messages of the link may stay. Views need a context on the link's loop. */
  void handlersChanged() {
    link.zeroCopy(zeroCopyHandler != null || viewHandler != null);
    boolean here = context.isEventLoopContext() && context.nettyEventLoop() == link.loop().eventLoop();
    link.views(viewHandler != null && here);
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

  // ---- on the context

  @Override
  protected void handleMessage(Object message) {
    if (message == END) {
      ended();
      return;
    }
    if (message instanceof Viewed viewed && viewed.memory != null) {
      MemorySegment memory = viewed.memory;
      viewed.memory = null;
      deliver(memory);
      return;
    }
    ByteBuf bytes = switch (message) {
      case PendingZeroCopy pending -> pending.take();
      case Viewed viewed -> viewed.copy;
      default -> (ByteBuf) message;
    };
    int size = bytes.readableBytes();
    if (size >= LARGE) {
      backpressure.remove(size);
    }
    deliver(bytes);
  }

  private void deliver(MemorySegment memory) {
    Handler<MemorySegment> viewing = viewHandler;
    if (viewing != null) {
      context.dispatch(memory, viewing);
    } else {
      deliver(HeapBuffer.copyOf(memory));
    }
  }

  private void deliver(ByteBuf bytes) {
    Handler<MemorySegment> viewing = viewHandler;
    if (viewing != null) {
      context.dispatch(MemorySegment.ofBuffer(bytes.nioBuffer()).asReadOnly(), viewing);
      bytes.release();
      return;
    }
    Handler<RdmaMessage> releasing = zeroCopyHandler;
    if (releasing != null) {
      context.dispatch(RdmaMessageImpl.received(bytes), releasing);
      return;
    }
    if (bytes instanceof RegisteredBuffer memory) {
      // Received before the zero-copy handler was removed.
      bytes = HeapBuffer.copyOf(memory);
      memory.release();
    }
    Handler<Buffer> h = handler;
    if (h != null) {
      context.dispatch(BufferInternal.buffer(bytes), h);
    }
  }

  /** Called for both the end and the close of the link; notifies once. */
  private void ended() {
    Handler<Void> h;
    synchronized (this) {
      h = ended ? null : endHandler;
      ended = true;
    }
    if (h != null) {
      context.dispatch(null, h);
    }
  }

  // ---- from any thread

  void handler(Handler<Buffer> value) {
    handler = value;
    start(value);
  }

  void zeroCopyHandler(Handler<RdmaMessage> value) {
    zeroCopyHandler = value;
    start(value);
  }

  void viewHandler(Handler<MemorySegment> value) {
    viewHandler = value;
    start(value);
  }

  /** A handler set after the end is called at once. */
  void endHandler(Handler<Void> value) {
    boolean earlier;
    synchronized (this) {
      endHandler = value;
      earlier = ended;
    }
    if (earlier && value != null) {
      Callbacks.emit(context, null, value);
    }
  }

  /** Starts delivery with the first handler, unless paused before. */
  private void start(Handler<?> first) {
    if (first == null) {
      return;
    }
    boolean start;
    synchronized (this) {
      start = !started && !paused;
      started = true;
    }
    if (start) {
      deliverMore(Long.MAX_VALUE);
    }
  }

  void hold() {
    synchronized (this) {
      paused = true;
    }
    super.pause();
  }

  void demand(long amount) {
    synchronized (this) {
      paused = false;
      started = true;
    }
    deliverMore(amount);
  }

  private void deliverMore(long amount) {
    try {
      super.fetch(amount);
    } catch (RejectedExecutionException e) {
      // The context ended with its Vert.x.
    }
  }
}
