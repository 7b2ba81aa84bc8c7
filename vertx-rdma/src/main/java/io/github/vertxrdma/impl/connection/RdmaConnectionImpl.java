package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.github.vertxrdma.impl.region.RegionPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.internal.concurrent.InboundMessageQueue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A connection: a link's messages as streams on a context. */
public final class RdmaConnectionImpl implements RdmaConnection, MessageHandler {
  private static final int DEFAULT_WRITE_QUEUE = 256 << 10;
  /** In the inbound queue: the peer's messages are over. */
  private static final Object END = new Object();
  /** Messages in the inbound queue at which no more credits are given back, and at which they are again. */
  private static final int HIGH = 8;
  private static final int LOW = 4;

  private final ContextInternal context;
  private final Link link;
  private final FabricChoice choice;
  private final RegionPeer regions;
  private final Opened opened;
  private final int closeTimeoutMillis;
  private final InboundMessageQueue<Object> inbound;
  /** On the loop. */
  private boolean busy;
  private boolean linkOver;
  /** Messages in lent memory that may wait for their reader; null before the first. */
  private ArrayDeque<Arrived> lent;
  private final AtomicLong queued = new AtomicLong();
  private volatile int writeQueueMax = DEFAULT_WRITE_QUEUE;
  private volatile boolean full;
  private volatile Handler<Buffer> handler;
  private volatile Handler<RdmaMessage> messageHandler;
  private volatile Handler<Void> endHandler;
  private volatile Handler<Void> drainHandler;
  private volatile Handler<Void> closeHandler;
  private volatile Handler<Throwable> exceptionHandler;
  /** Of messages that went out at once. */
  private final Future<Void> sent;
  private boolean paused;
  private boolean started;
  private boolean ended;
  private boolean closed;
  private Throwable failure;

  /** On the link's loop, which need not be the context's. */
  public RdmaConnectionImpl(ContextInternal context, Link link, FabricChoice choice, RegionPeer regions, Opened opened,
    int closeTimeoutMillis) {
    this.opened = opened;
    this.context = context;
    this.link = link;
    this.sent = context.succeededFuture();
    this.choice = choice;
    this.regions = regions;
    this.closeTimeoutMillis = closeTimeoutMillis;
    this.inbound = new InboundMessageQueue<>(link.loop().context().eventLoop(), context.executor(), LOW, HIGH) {
      @Override
      protected void handleMessage(Object message) {
        deliver(message);
      }

      @Override
      protected void handlePause() {
        link.pause(true);
      }

      @Override
      protected void handleResume() {
        link.pause(false);
      }
    };
    // Until somebody listens nothing is delivered.
    inbound.pause();
    link.handler(this);
    opened.add(this);
  }

  public ContextInternal context() {
    return context;
  }

  // ---- from the link

  @Override
  public void message(ByteBuf message) {
    if (message instanceof RegisteredBuffer memory) {
      Arrived arrived = new Arrived(memory);
      if (lent == null) {
        lent = new ArrayDeque<>();
      }
      while (!lent.isEmpty() && lent.peek().isTaken()) {
        lent.poll();
      }
      lent.add(arrived);
      inbound.write(arrived);
    } else {
      inbound.write(message);
    }
  }

  @Override
  public void ended() {
    inbound.write(END);
  }

  @Override
  public void closed(Throwable cause) {
    linkOver = true;
    poll(false);
    if (lent != null) {
      lent.forEach(Arrived::toHeap);
      lent = null;
    }
    opened.remove(this);
    if (cause == null) {
      inbound.write(END);
    }
    context.emit(cause, this::over);
  }

  // ---- on the context

  private void deliver(Object message) {
    if (message == END) {
      Handler<Void> h = endHandler;
      if (!ended) {
        ended = true;
        if (h != null) {
          context.dispatch(null, h);
        }
      }
      return;
    }
    ByteBuf bytes = message instanceof Arrived arrived ? arrived.take() : (ByteBuf) message;
    Handler<RdmaMessage> releasing = messageHandler;
    if (releasing != null) {
      context.dispatch(new RdmaMessageImpl(bytes), releasing);
      return;
    }
    if (bytes instanceof RegisteredBuffer memory) {
      // Came while there was a handler to release it.
      bytes = Unpooled.copiedBuffer(memory);
      memory.release();
    }
    Handler<Buffer> h = handler;
    if (h != null) {
      context.dispatch(BufferInternal.buffer(bytes), h);
    }
  }

  private void over(Throwable cause) {
    Handler<Throwable> onFailure;
    Handler<Void> onClose;
    synchronized (this) {
      closed = true;
      failure = cause;
      onFailure = exceptionHandler;
      onClose = closeHandler;
    }
    if (cause != null && onFailure != null) {
      context.dispatch(cause, onFailure);
    }
    if (onClose != null) {
      context.dispatch(null, onClose);
    }
  }

  // ---- reading

  @Override
  public RdmaConnection handler(Handler<Buffer> value) {
    handler = value;
    if (value != null) {
      start();
    }
    return this;
  }

  @Override
  public RdmaConnection messageHandler(Handler<RdmaMessage> value) {
    messageHandler = value;
    onLoop(l -> l.zeroCopy(value != null));
    if (value != null) {
      start();
    }
    return this;
  }

  /** There is a first handler. */
  private void start() {
    boolean start;
    synchronized (this) {
      start = !started && !paused;
      started = true;
    }
    if (start) {
      inbound.fetch(Long.MAX_VALUE);
    }
  }

  @Override
  public RdmaConnection pause() {
    synchronized (this) {
      paused = true;
    }
    inbound.pause();
    return this;
  }

  @Override
  public RdmaConnection resume() {
    return fetch(Long.MAX_VALUE);
  }

  @Override
  public RdmaConnection fetch(long amount) {
    synchronized (this) {
      paused = false;
      started = true;
    }
    inbound.fetch(amount);
    return this;
  }

  @Override
  public RdmaConnection endHandler(Handler<Void> value) {
    endHandler = value;
    return this;
  }

  @Override
  public RdmaConnection exceptionHandler(Handler<Throwable> value) {
    Throwable happened;
    synchronized (this) {
      exceptionHandler = value;
      happened = closed ? failure : null;
    }
    if (happened != null && value != null) {
      context.emit(happened, value);
    }
    return this;
  }

  @Override
  public RdmaConnection closeHandler(Handler<Void> value) {
    boolean happened;
    synchronized (this) {
      closeHandler = value;
      happened = closed;
    }
    if (happened && value != null) {
      context.emit(null, value);
    }
    return this;
  }

  // ---- writing

  @Override
  public Future<Void> write(Buffer message) {
    BufferInternal buffer = (BufferInternal) message;
    if (sendNow(buffer.unwrap())) {
      return sent;
    }
    ByteBuf bytes = buffer.getByteBuf();
    // Memory outside of the heap may be taken back by its owner while it waits to be sent.
    return send(bytes.hasArray() ? bytes : Unpooled.copiedBuffer(bytes));
  }

  @Override
  public Future<Void> write(RdmaMessage message) {
    ByteBuf bytes = ((RdmaMessageImpl) message).take();
    if (sendNow(bytes)) {
      bytes.release();
      return sent;
    }
    return send(bytes);
  }

  @Override
  public Future<RdmaMessage> message(int size) {
    if (size < 0) {
      throw new IllegalArgumentException("a message of " + size + " bytes");
    }
    PromiseInternal<RdmaMessage> promise = context.promise();
    onLoop(l -> l.allocate(size).<RdmaMessage>map(RdmaMessageImpl::new).onComplete(promise));
    return promise.future();
  }

  private boolean sendNow(ByteBuf bytes) {
    return link.loop().eventLoop().inEventLoop() && link.sendNow(bytes);
  }

  private Future<Void> send(ByteBuf bytes) {
    PromiseInternal<Void> promise = context.promise();
    int size = bytes.readableBytes();
    if (queued.addAndGet(size) >= writeQueueMax) {
      full = true;
    }
    Completable<Void> done = (v, cause) -> {
      sent(size);
      promise.complete(v, cause);
    };
    onLoop(l -> l.send(bytes, done));
    return promise.future();
  }

  private void sent(int size) {
    if (queued.addAndGet(-size) <= writeQueueMax / 2 && full) {
      full = false;
      Handler<Void> h = drainHandler;
      if (h != null) {
        // Not from within a write, which may fail at once, and the handler may write again.
        context.runOnContext(h);
      }
    }
  }

  private void onLoop(Consumer<Link> call) {
    EventLoop loop = link.loop().eventLoop();
    if (loop.inEventLoop()) {
      call.accept(link);
    } else {
      loop.execute(() -> call.accept(link));
    }
  }

  @Override
  public Future<Void> end() {
    PromiseInternal<Void> promise = context.promise();
    onLoop(l -> l.end(promise));
    return promise.future();
  }

  @Override
  public RdmaConnection setWriteQueueMaxSize(int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("write queue of " + bytes + " bytes: at least 1");
    }
    writeQueueMax = bytes;
    return this;
  }

  @Override
  public boolean writeQueueFull() {
    return queued.get() >= writeQueueMax;
  }

  @Override
  public RdmaConnection drainHandler(Handler<Void> value) {
    drainHandler = value;
    return this;
  }

  @Override
  public Future<Void> close() {
    PromiseInternal<Void> promise = context.promise();
    onLoop(l -> l.close(promise));
    return promise.future();
  }

  @Override
  public Future<Void> shutdown(long timeout, TimeUnit unit) {
    PromiseInternal<Void> promise = context.promise();
    long millis = timeout > 0 ? unit.toMillis(timeout) : closeTimeoutMillis;
    onLoop(l -> l.shutdown(millis, promise));
    return promise.future();
  }

  // ---- memory

  @Override
  public Future<RegionGrant> grant(MemoryRegion region, Set<RegionAccess> access, Duration lifetime) {
    return regions.grant(context, region, access, lifetime);
  }

  @Override
  public RdmaConnection grantHandler(Handler<RemoteRegion> value) {
    regions.grantHandler(context, value);
    return this;
  }

  @Override
  public RdmaConnection busyPoll(boolean on) {
    onLoop(l -> poll(on && !linkOver));
    return this;
  }

  /** On the loop. */
  private void poll(boolean on) {
    if (busy != on) {
      busy = on;
      link.loop().busy(on ? 1 : -1);
    }
  }

  // ---- facts

  @Override
  public FabricChoice fabric() {
    return choice;
  }

  @Override
  public String remoteNodeId() {
    return link.peer().nodeId();
  }

  @Override
  public String remoteAddress() {
    return String.valueOf(link.endpoint().remoteAddress());
  }

  @Override
  public String localAddress() {
    return String.valueOf(link.endpoint().localAddress());
  }

  @Override
  public Buffer privateData() {
    return Buffer.buffer(link.peer().data());
  }
}
