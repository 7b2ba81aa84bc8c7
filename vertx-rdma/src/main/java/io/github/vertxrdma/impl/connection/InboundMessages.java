package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.Told;
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
 * Messages on their way from the link's event loop to the handlers on the connection's context. Written on the loop; handlers and demand
 * are set from any thread.
 */
final class InboundMessages extends InboundMessageQueue<Object> {
  /** In the queue: the peer's messages are over. */
  private static final Object END = new Object();
  /** Messages in the queue at which no more credits are given back, and at which they are again. */
  private static final int HIGH = 8;
  private static final int LOW = 4;
  /** Shorter messages are too many before they have too many bytes. */
  private static final int LARGE = Backpressure.HIGH / HIGH;

  /** A message in memory of the peer's while it is delivered, of the heap if it has to wait. */
  private static final class Viewed {
    private MemorySegment memory;
    private ByteBuf copy;
  }

  private final ContextInternal context;
  private final Link link;
  /** Counts the messages that are {@link #LARGE} or larger. */
  private final Backpressure backpressure;
  /** Messages in registered memory that may wait for their reader; on the loop, null before the first. */
  private ArrayDeque<Arrived> zeroCopy;
  /** Of messages that are delivered, to be used for the next; on the loop, null if there are none. */
  private Arrived spareArrived;
  private Viewed spareViewed;
  private volatile Handler<Buffer> handler;
  private volatile Handler<RdmaMessage> zeroCopyHandler;
  private volatile Handler<MemorySegment> viewHandler;
  private Handler<Void> endHandler;
  private boolean paused;
  private boolean started;
  /** Guarded by this, as its handler. */
  private boolean ended;

  InboundMessages(ContextInternal context, Link link) {
    super(link.loop().context().eventLoop(), context.executor(), LOW, HIGH);
    this.context = context;
    this.link = link;
    this.backpressure = new Backpressure(link.loop().eventLoop(), link::pause);
    // Until somebody listens nothing is delivered.
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

  /** A message of which nothing is read later: who does not read it at once gets a copy. On the context, too. */
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
      Arrived arrived = spareArrived == null ? new Arrived() : spareArrived;
      spareArrived = null;
      arrived.put(memory);
      if (zeroCopy == null) {
        zeroCopy = new ArrayDeque<>();
      }
      zeroCopy.add(arrived);
      write(arrived);
      while (zeroCopy != null && !zeroCopy.isEmpty() && zeroCopy.peek().isTaken()) {
        spareArrived = zeroCopy.poll();
      }
    } else {
      write(message);
    }
  }

  void end() {
    write(END);
  }

  /** Tells the link where messages may lie from now on: only the link's own loop can read them while they are delivered. */
  void handlersChanged() {
    link.zeroCopy(zeroCopyHandler != null || viewHandler != null);
    boolean here = context.isEventLoopContext() && context.nettyEventLoop() == link.loop().eventLoop();
    link.views(viewHandler != null && here);
  }

  /** Gives back the registered memory of what still waits: the reader may never come. */
  void toHeap() {
    if (zeroCopy != null) {
      zeroCopy.forEach(Arrived::toHeap);
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
      case Arrived arrived -> arrived.take();
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
      // Came while there was a handler to release it.
      bytes = HeapBuffer.copyOf(memory);
      memory.release();
    }
    Handler<Buffer> h = handler;
    if (h != null) {
      context.dispatch(BufferInternal.buffer(bytes), h);
    }
  }

  /** Told once, though both the end and the close of the link say so. */
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

  /** One that is set after the end hears of it, too. */
  void endHandler(Handler<Void> value) {
    boolean happened;
    synchronized (this) {
      endHandler = value;
      happened = ended;
    }
    if (happened && value != null) {
      Told.emit(context, null, value);
    }
  }

  /** Delivers from the first handler on, unless it was paused before. */
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
      // Its context ended with its Vert.x: nobody is left to hear.
    }
  }
}
