package io.github.vertxrdma.impl.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.traffic.AbstractTrafficShapingHandler;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayDeque;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A channel of Netty over a {@link ByteStream}, with a socket's semantics. The stream has a send buffer as a socket has: what fits is
 * written at once and counts as written, the rest waits in the channel and makes it unwritable.
 */
final class RdmaChannel extends AbstractChannel implements DuplexChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
  /** Bytes that the stream may have taken and not yet handed to the fabric. */
  private static final int SEND_BUFFER = 256 << 10;
  /** Bytes received and not read at which the peer is held back, and at which it may go on. */
  private static final int RECEIVE_HIGH = 256 << 10;
  private static final int RECEIVE_LOW = 64 << 10;
  /** Bytes of one read at most where bandwidth is limited, as of a socket: who limits it decides after each. */
  private static final int LIMITED_READ = 64 << 10;

  private final RdmaChannelConfig config = new RdmaChannelConfig(this);
  private final Dialer dialer;
  private final EventLoop streamLoop;
  private final ArrayDeque<ByteBuf> inbound = new ArrayDeque<>();
  private final Runnable readTask = this::deliver;
  private ByteStream stream;
  private Connecting connecting;
  private volatile boolean active;
  private volatile boolean closed;
  private volatile boolean inputShutdown;
  private volatile boolean outputShutdown;
  private int inboundBytes;
  private int inFlight;
  private boolean readPending;
  private boolean readScheduled;
  private boolean heldBack;
  private boolean ended;
  private boolean over;
  private boolean broken;
  private Throwable failure;

  /** Connects a channel. */
  @FunctionalInterface
  interface Dialer {
    /** On the channel's event loop. */
    Future<ByteStream> connect(RdmaChannel channel, SocketAddress remote, SocketAddress local);
  }

  /** A channel that is to be connected. */
  RdmaChannel(Dialer dialer) {
    super(null);
    this.dialer = dialer;
    this.streamLoop = null;
  }

  /** An accepted channel. @param loop the stream's */
  RdmaChannel(Channel parent, ByteStream stream, EventLoop loop) {
    super(parent);
    this.dialer = null;
    this.stream = stream;
    this.streamLoop = loop;
    this.active = true;
  }

  /** What connecting needs to remember. */
  private record Connecting(ChannelPromise promise, SocketAddress remote, ScheduledFuture<?> timeout) {
    void finish() {
      if (timeout != null) {
        timeout.cancel(false);
      }
    }
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new RdmaUnsafe();
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true;
  }

  @Override
  public RdmaChannelConfig config() {
    return config;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public boolean isActive() {
    return active && !closed;
  }

  @Override
  protected SocketAddress localAddress0() {
    return stream == null ? null : stream.localAddress();
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return stream == null ? null : stream.remoteAddress();
  }

  // What the superclass calls in its place calls this one.
  @Override
  @SuppressWarnings("deprecation")
  protected void doRegister() {
    if (streamLoop != null) {
      if (streamLoop != eventLoop()) {
        stream = new BridgedStream(stream, streamLoop, eventLoop());
      }
      // After the channel is registered and its handlers are in place.
      eventLoop().execute(() -> stream.start(new Receiving()));
    }
  }

  @Override
  protected void doBind(SocketAddress localAddress) {
    throw new UnsupportedOperationException("a channel over the fabric has no local address of its own choice");
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    if (closed) {
      return;
    }
    closed = true;
    boolean unread = !inbound.isEmpty() || heldBack;
    ByteBuf waiting;
    while ((waiting = inbound.poll()) != null) {
      waiting.release();
    }
    Connecting attempt = connecting;
    connecting = null;
    if (attempt != null) {
      attempt.finish();
      attempt.promise.tryFailure(new ClosedChannelException());
    }
    if (stream != null && unread) {
      // As with TCP: nobody will read what the peer sends, and it has to know.
      stream.abort();
    } else if (stream != null) {
      stream.close();
    }
  }

  // ---- reading

  @Override
  protected void doBeginRead() {
    if (!readPending) {
      readPending = true;
      if (!inbound.isEmpty() || ended || over) {
        scheduleRead();
      }
    }
  }

  void autoReadCleared() {
    if (eventLoop().inEventLoop()) {
      readPending = false;
    } else {
      eventLoop().execute(() -> readPending = false);
    }
  }

  // As a task, so that messages that came together are read together and the poller's turn stays short.
  private void scheduleRead() {
    if (!readScheduled) {
      readScheduled = true;
      eventLoop().execute(readTask);
    }
  }

  // The handle is what Channel.Unsafe gives.
  @SuppressWarnings("deprecation")
  private void deliver() {
    readScheduled = false;
    if (!readPending || closed) {
      return;
    }
    ByteBuf next = inbound.poll();
    if (next != null) {
      readPending = false;
      RecvByteBufAllocator.Handle reads = unsafe().recvBufAllocHandle();
      reads.reset(config);
      do {
        int size = next.readableBytes();
        inboundBytes -= size;
        reads.incMessagesRead(1);
        reads.attemptedBytesRead(size);
        reads.lastBytesRead(size);
        pipeline().fireChannelRead(next);
        // Says no once a handler has switched automatic reading off, so that what it meant to hold back is held back.
      } while (reads.continueReading() && !closed && (next = inbound.poll()) != null);
      reads.readComplete();
      if (heldBack && inboundBytes <= RECEIVE_LOW && !closed) {
        heldBack = false;
        stream.receiving(true);
      }
      pipeline().fireChannelReadComplete();
    }
    if (closed || !inbound.isEmpty()) {
      if (readPending && !closed) {
        scheduleRead();
      }
    } else if (over) {
      closeOver();
    } else if (ended && readPending) {
      readEnd();
    }
  }

  private void readEnd() {
    readPending = false;
    if (inputShutdown) {
      return;
    }
    inputShutdown = true;
    if (config.allowHalfClosure()) {
      pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
    } else {
      unsafe().close(voidPromise());
    }
  }

  private void closeOver() {
    Throwable cause = failure;
    failure = null;
    if (cause != null) {
      pipeline().fireExceptionCaught(cause instanceof IOException ? cause : new IOException(cause.getMessage(), cause));
    }
    if (!closed) {
      unsafe().close(voidPromise());
    }
  }

  /** What the stream tells. */
  private final class Receiving implements ByteStream.Receiver {

    @Override
    public void received(ByteBuf bytes) {
      if (closed || inputShutdown) {
        bytes.release();
        return;
      }
      inboundBytes += bytes.readableBytes();
      if (bytes.readableBytes() > LIMITED_READ && pipeline().get(AbstractTrafficShapingHandler.class) != null) {
        do {
          inbound.add(bytes.readRetainedSlice(LIMITED_READ));
        } while (bytes.readableBytes() > LIMITED_READ);
      }
      inbound.add(bytes);
      if (inboundBytes > RECEIVE_HIGH && !heldBack) {
        heldBack = true;
        stream.receiving(false);
      }
      if (readPending) {
        scheduleRead();
      }
    }

    @Override
    public void ended() {
      ended = true;
      if (readPending) {
        scheduleRead();
      }
    }

    @Override
    public void closed(Throwable cause) {
      over = true;
      failure = cause;
      if (closed) {
        return;
      }
      if (inbound.isEmpty() || cause != null && !readPending) {
        closeOver();
      } else if (readPending) {
        scheduleRead();
      }
    }
  }

  // ---- writing

  @Override
  protected Object filterOutboundMessage(Object message) {
    if (message instanceof ByteBuf || message instanceof FileRegion) {
      return message;
    }
    throw new UnsupportedOperationException("a channel writes ByteBuf and FileRegion, not " + message.getClass().getName());
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) throws Exception {
    if (stream == null) {
      throw new NotYetConnectedException();
    }
    while (inFlight < SEND_BUFFER && !broken) {
      Object message = in.current();
      if (message == null) {
        return;
      }
      if (message instanceof ByteBuf bytes) {
        if (bytes.readableBytes() < OutboundChunks.SMALL && in.size() > 1) {
          send(OutboundChunks.gather(in, alloc()));
        } else {
          writeWhole(in, bytes);
        }
      } else {
        send(OutboundChunks.read(in, (FileRegion) message, alloc()));
      }
    }
    // The rest goes when the stream has handed on what it has.
  }

  private void writeWhole(ChannelOutboundBuffer in, ByteBuf bytes) {
    int most = stream.maxWrite();
    while (bytes.readableBytes() > most) {
      ByteBuf part = bytes.readRetainedSlice(most);
      in.progress(most);
      send(part);
      if (inFlight >= SEND_BUFFER) {
        return;
      }
    }
    if (bytes.isReadable()) {
      send(bytes.readRetainedSlice(bytes.readableBytes()));
    }
    in.remove();
  }

  private void send(ByteBuf bytes) {
    int size = bytes.readableBytes();
    if (size == 0) {
      bytes.release();
      return;
    }
    inFlight += size;
    stream.write(bytes, (v, cause) -> sent(size, cause));
  }

  private void sent(int size, Throwable cause) {
    // What waits is not to be taken for written by a stream that is about to say why it is over.
    broken |= cause != null;
    boolean waiting = inFlight >= SEND_BUFFER;
    inFlight -= size;
    if (waiting && inFlight < SEND_BUFFER && !closed && !broken) {
      ((RdmaUnsafe) unsafe()).flushAgain();
    }
  }

  // ---- half closure

  @Override
  public boolean isInputShutdown() {
    return inputShutdown || closed;
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShutdown || closed;
  }

  @Override
  public boolean isShutdown() {
    return isInputShutdown() && isOutputShutdown();
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    return onLoop(promise, () -> {
      inputShutdown = true;
      promise.setSuccess();
    });
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    return onLoop(promise, () -> ((RdmaUnsafe) unsafe()).shutdownOutput(promise));
  }

  @Override
  protected void doShutdownOutput() {
    outputShutdown = true;
    if (stream != null) {
      stream.end();
    }
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    inputShutdown = true;
    return shutdownOutput(promise);
  }

  private ChannelFuture onLoop(ChannelPromise promise, Runnable task) {
    if (eventLoop().inEventLoop()) {
      task.run();
    } else {
      eventLoop().execute(task);
    }
    return promise;
  }

  // ---- connecting

  /** Connects through the dialer. */
  private final class RdmaUnsafe extends AbstractUnsafe {

    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      if (promise.isDone() || !ensureOpen(promise)) {
        return;
      }
      if (active) {
        promise.tryFailure(new AlreadyConnectedException());
        return;
      }
      if (connecting != null) {
        promise.tryFailure(new ConnectionPendingException());
        return;
      }
      int timeout = config.getConnectTimeoutMillis();
      Connecting attempt = new Connecting(promise, remote, timeout <= 0 ? null : eventLoop().schedule(() -> failed(
        new ConnectTimeoutException("connection timed out after " + timeout + " ms: " + remote)), timeout, TimeUnit.MILLISECONDS));
      connecting = attempt;
      promise.addListener(done -> {
        if (done.isCancelled()) {
          failed(done.cause());
        }
      });
      dialer.connect(RdmaChannel.this, remote, local).onComplete(done -> {
        if (eventLoop().inEventLoop()) {
          dialled(attempt, done.result(), done.cause());
        } else {
          eventLoop().execute(() -> dialled(attempt, done.result(), done.cause()));
        }
      });
    }

    private void dialled(Connecting attempt, ByteStream made, Throwable cause) {
      if (connecting != attempt) {
        if (made != null) {
          made.close();
        }
      } else if (made == null) {
        failed(annotateConnectException(cause, attempt.remote));
      } else {
        connecting = null;
        attempt.finish();
        stream = made;
        active = true;
        boolean wanted = attempt.promise.trySuccess();
        pipeline().fireChannelActive();
        made.start(new Receiving());
        if (!wanted) {
          // Cancelled at the last moment.
          close(voidPromise());
        }
      }
    }

    private void failed(Throwable cause) {
      Connecting attempt = connecting;
      if (attempt != null) {
        connecting = null;
        attempt.finish();
        attempt.promise.tryFailure(cause);
        closeIfClosed();
        close(voidPromise());
      }
    }

    void flushAgain() {
      super.flush0();
    }
  }
}
