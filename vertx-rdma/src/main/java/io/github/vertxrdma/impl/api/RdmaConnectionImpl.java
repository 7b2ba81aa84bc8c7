package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.region.Caller;
import io.github.vertxrdma.impl.region.RegionPeer;
import io.github.vertxrdma.impl.region.Successor;
import io.github.vertxrdma.provider.EndpointAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.net.SocketAddress;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.Function;

public final class RdmaConnectionImpl implements RdmaConnection, MessageHandler {
  private static final AtomicLongFieldUpdater<RdmaConnectionImpl> UNPOSTED = AtomicLongFieldUpdater
    .newUpdater(RdmaConnectionImpl.class, "unposted");
  private static final int DEFAULT_MAX_UNPOSTED = 256 << 10;

  private final ContextInternal context;
  private final Link link;
  private final FabricChoice choice;
  private final RegionPeer regions;
  private final ClosingScope opened;
  private final int closeTimeoutMillis;
  private final InboundMessages inbound;
  final Successor<RdmaConnection> successor;
  private final OnceHandler<Throwable> exceptionHandler;
  private final OnceHandler<Void> closeHandler;
  /** True if both sides support requests. A message that begins with {@link RequestFrame#MAGIC} is then a frame. */
  private final boolean framed;
  private Requests requests;
  private boolean busy;
  private boolean linkClosed;
  private final EventLoop eventLoop;
  /** Bytes of written messages that are not posted yet. */
  private volatile long unposted;
  private volatile int maxUnposted = DEFAULT_MAX_UNPOSTED;
  private volatile boolean full;
  private volatile Handler<Void> drainHandler;
  private final Future<Void> sent;
  private volatile Handler<Duration> shutdownHandler;
  /** True after the shutdown handler was called or the connection closed. Confined to the context. */
  private boolean shuttingDown;

  public RdmaConnectionImpl(ContextInternal context, Link link, FabricChoice choice, Node node, ClosingScope opened) {
    this(context, link, choice, node.regions().peer(link), opened, (int) node.options().getCloseTimeout().toMillis());
  }

  public RdmaConnectionImpl(ContextInternal context, Link link, FabricChoice choice, RegionPeer regions, ClosingScope opened,
    int closeTimeoutMillis) {
    this.opened = opened;
    this.context = context;
    this.link = link;
    this.eventLoop = link.loop().eventLoop();
    this.sent = context.succeededFuture();
    this.choice = choice;
    this.regions = regions;
    this.closeTimeoutMillis = closeTimeoutMillis;
    this.inbound = new InboundMessages(context, link);
    this.exceptionHandler = new OnceHandler<>(context);
    this.closeHandler = new OnceHandler<>(context);
    this.successor = new Successor<>(context, RdmaConnection::shutdown);
    this.framed = RequestFrame.disagreement(link.peer().data()) == null;
    link.handler(this);
    opened.add(this);
  }

  public ContextInternal context() {
    return context;
  }

  @Override
  public void message(ByteBuf message) {
    ByteBuf plain = isFrame(message) ? requests().received(message) : message;
    if (plain != null) {
      inbound.message(plain);
    }
  }

  @Override
  public void view(MemorySegment message) {
    if (framed && message.byteSize() >= Long.BYTES && message.get(RequestFrame.WORD, 0) == RequestFrame.MAGIC) {
      message(HeapBuffer.copyOf(message));
    } else {
      inbound.view(message);
    }
  }

  @Override
  public void ended() {
    inbound.end();
  }

  @Override
  public void closed(Throwable cause) {
    linkClosed = true;
    poll(false);
    inbound.toHeap();
    opened.remove(this);
    boolean orderly = link.isClosedInOrder();
    if (orderly) {
      inbound.end();
    }
    if (requests != null) {
      requests.closed(cause);
    }
    LoopCall.emit(context, orderly ? null : cause, this::callCloseHandlers);
  }

  private void callCloseHandlers(Throwable cause) {
    shuttingDown = true;
    if (cause != null) {
      exceptionHandler.occur(cause);
    }
    closeHandler.occur(null);
    successor.closed();
  }

  @Override
  public RdmaConnection handler(Handler<Buffer> value) {
    inbound.handler(value);
    return this;
  }

  @Override
  public RdmaConnection messageHandler(Handler<RdmaMessage> value) {
    inbound.messageHandler(value);
    onLoop(inbound::messageHandlerChanged);
    return this;
  }

  @Override
  public RdmaConnection pause() {
    inbound.hold();
    return this;
  }

  @Override
  public RdmaConnection fetch(long amount) {
    inbound.demand(amount);
    return this;
  }

  @Override
  public RdmaConnection endHandler(Handler<Void> value) {
    inbound.endHandler(value);
    return this;
  }

  @Override
  public RdmaConnection exceptionHandler(Handler<Throwable> value) {
    exceptionHandler.set(value);
    successor.exceptionHandler(value);
    return this;
  }

  @Override
  public RdmaConnection closeHandler(Handler<Void> value) {
    closeHandler.set(value);
    return this;
  }

  @Override
  public RdmaConnection shutdownHandler(Handler<Duration> value) {
    shutdownHandler = value;
    return this;
  }

  @Override
  public RdmaConnection reconnectHandler(Handler<RdmaConnection> value) {
    successor.handler(value);
    return this;
  }

  @Override
  public Future<Void> write(Buffer message) {
    BufferInternal buffer = (BufferInternal) message;
    if (isFrame(buffer.unwrap())) {
      return send(RequestFrame.of(RequestFrame.Type.MESSAGE, 0, buffer.getByteBuf()));
    }
    if (sendNow(buffer.unwrap())) {
      return sent;
    }
    return send(isOnHeap(buffer.unwrap()) ? buffer.getByteBuf() : Unpooled.copiedBuffer(buffer.getByteBuf()));
  }

  /** Heap memory stays valid while a write is queued. Other memory may be freed, so it is copied. */
  private static boolean isOnHeap(ByteBuf bytes) {
    if (!(bytes instanceof CompositeByteBuf parts)) {
      return bytes.hasArray();
    }
    for (int i = 0; i < parts.numComponents(); i++) {
      if (!parts.internalComponent(i).hasArray()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Future<Void> write(RdmaMessage message) {
    if (!(message instanceof RdmaMessageImpl own)) {
      Buffer copy = message.body().copy();
      message.release();
      return write(copy);
    }
    ByteBuf bytes = own.take();
    if (isFrame(bytes)) {
      ByteBuf frame = RequestFrame.of(RequestFrame.Type.MESSAGE, 0, bytes);
      bytes.release();
      return send(frame);
    }
    if (sendNow(bytes)) {
      bytes.release();
      return sent;
    }
    return send(bytes);
  }

  @Override
  public Future<RdmaMessage> allocate(int size) {
    if (size < 0) {
      throw new IllegalArgumentException("invalid size of a message: " + size + " bytes. Use 0 or more");
    }
    return onLoop(done -> link.allocate(size).<RdmaMessage>map(RdmaMessageImpl::new).onComplete(done));
  }

  private boolean isFrame(ByteBuf message) {
    return framed && message.readableBytes() >= Long.BYTES && message.getLong(message.readerIndex()) == RequestFrame.MAGIC;
  }

  private boolean sendNow(ByteBuf bytes) {
    return eventLoop.inEventLoop() && link.sendNow(bytes);
  }

  private Future<Void> send(ByteBuf bytes) {
    Promise<Void> promise = LoopCall.promise(context);
    int size = bytes.readableBytes();
    if (UNPOSTED.addAndGet(this, size) >= maxUnposted) {
      full = true;
    }
    Completable<Void> done = (v, cause) -> {
      posted(size);
      promise.complete(v, cause);
    };
    if (onLoop(() -> link.send(bytes, done))) {
      return promise.future();
    }
    UNPOSTED.addAndGet(this, -size);
    full = false;
    bytes.release();
    return Future.failedFuture(LoopCall.closed());
  }

  private void posted(int size) {
    if (UNPOSTED.addAndGet(this, -size) <= maxUnposted / 2 && full) {
      full = false;
      // Runs in a task: a write of the handler may fail immediately and call it recursively. A worker that saw the queue full sets its
      // handler before.
      context.runOnContext(v -> {
        Handler<Void> handler = drainHandler;
        if (handler != null) {
          handler.handle(null);
        }
      });
    }
  }

  /** @return false if the event loop has ended */
  boolean onLoop(Runnable call) {
    return LoopCall.run(eventLoop, call);
  }

  private <T> Future<T> onLoop(Handler<Promise<T>> call) {
    return LoopCall.on(eventLoop, context, call);
  }

  @Override
  public Future<Void> end() {
    successor.cancel();
    return onLoop(link::end);
  }

  @Override
  public Future<Void> flush() {
    return onLoop(link::flush);
  }

  @Override
  public RdmaConnection setWriteQueueMaxSize(int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("invalid maximum size of a write queue: " + bytes + " bytes. Use at least 1");
    }
    maxUnposted = bytes;
    if (writeQueueFull()) {
      full = true;
    }
    return this;
  }

  @Override
  public boolean writeQueueFull() {
    return unposted >= maxUnposted;
  }

  @Override
  public RdmaConnection drainHandler(Handler<Void> value) {
    drainHandler = value;
    return this;
  }

  @Override
  public Future<Void> close() {
    successor.cancel();
    Promise<Void> promise = LoopCall.promise(context);
    return onLoop(() -> link.close(promise)) ? promise.future() : Future.succeededFuture();
  }

  @Override
  public Future<Void> shutdown() {
    return shutdown(Duration.ofMillis(closeTimeoutMillis));
  }

  @Override
  public Future<Void> shutdown(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("invalid timeout " + timeout + ": it must not be negative");
    }
    successor.cancel();
    return !timeout.isZero() && shutdownHandler != null ? runShutdownHandler(timeout).compose(this::closeWithin) : closeWithin(timeout);
  }

  /**
   * Calls the shutdown handler on the context, unless it was called before or the connection has closed.
   *
   * @return the remaining time; completes on the context
   */
  private Future<Duration> runShutdownHandler(Duration timeout) {
    long start = System.nanoTime();
    PromiseInternal<Duration> done = context.promise();
    boolean runs = LoopCall.emit(context, done, promise -> {
      Handler<Duration> first = shuttingDown ? null : shutdownHandler;
      shuttingDown = true;
      if (first != null) {
        context.dispatch(left(timeout, start), first);
      }
      promise.complete(left(timeout, start));
    });
    return runs ? done.future() : Future.succeededFuture(timeout);
  }

  private static Duration left(Duration timeout, long start) {
    Duration left = timeout.minusNanos(System.nanoTime() - start);
    return left.isNegative() ? Duration.ZERO : left;
  }

  private Future<Void> closeWithin(Duration timeout) {
    Promise<Void> promise = LoopCall.promise(context);
    long millis = TimeUnit.MILLISECONDS.convert(timeout);
    return onLoop(() -> {
      if (requests == null || millis == 0 || linkClosed) {
        link.shutdown(millis, promise);
      } else {
        requests.shutdown(millis, left -> {
          if (linkClosed) {
            promise.complete(null, link.failure());
          } else {
            link.shutdown(left, promise);
          }
        });
      }
    }) ? promise.future() : Future.succeededFuture();
  }

  private Requests requests() {
    return requests == null ? requests = new Requests(this, link) : requests;
  }

  @Override
  public Future<Buffer> request(Buffer body, Duration timeout) {
    long millis = TimeUnit.MILLISECONDS.convert(timeout);
    if (millis < 1) {
      throw new IllegalArgumentException("invalid timeout " + timeout + ": use at least 1 ms");
    }
    ByteBuf frame = RequestFrame.of(RequestFrame.Type.REQUEST, 0, ((BufferInternal) body).getByteBuf());
    return onLoop(reply -> requests().send(frame, millis, reply));
  }

  @Override
  public RdmaConnection requestHandler(Function<Buffer, Future<Buffer>> value) {
    onLoop(() -> requests().handler(value));
    return this;
  }

  @Override
  public Future<RegionGrant> grant(MemoryRegion region, Set<RegionAccess> access, Duration lifetime) {
    return regions.grant(Caller.of(context), region, access, lifetime);
  }

  @Override
  public RdmaConnection grantHandler(Handler<RemoteRegion> value) {
    regions.grantHandler(Caller.of(context), value);
    return this;
  }

  @Override
  public RdmaConnection setBusyPoll(boolean on) {
    onLoop(() -> poll(on && !linkClosed));
    return this;
  }

  private void poll(boolean on) {
    if (busy != on) {
      busy = on;
      link.loop().busy(on ? 1 : -1);
    }
  }

  @Override
  public int maxMessageSize() {
    return link.maxMessageSize();
  }

  @Override
  public FabricChoice fabric() {
    return choice;
  }

  @Override
  public String remoteNodeId() {
    return link.peer().nodeId();
  }

  @Override
  public String remoteNodeName() {
    return link.peerName().isEmpty() ? remoteNodeId() : link.peerName();
  }

  @Override
  public SocketAddress remoteAddress() {
    return address(link.endpoint().remoteAddress());
  }

  @Override
  public SocketAddress localAddress() {
    return address(link.endpoint().localAddress());
  }

  private SocketAddress address(EndpointAddress address) {
    return address == null ? null : address.format().equals(EndpointAddress.INET) ? SocketAddress.inetSocketAddress(address.toInet())
      : SocketAddress.domainSocketAddress(choice.device() + ':' + address);
  }

  @Override
  public Buffer privateData() {
    return Buffer.buffer(RequestFrame.privateData(link.peer().data()));
  }
}
