package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Future;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Netty channel over a {@link ByteStream} that behaves like a TCP channel. */
final class RdmaChannel extends AbstractChannel implements DuplexChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

  private final Config config = new Config();
  private final Dialer dialer;
  private final ByteStream accepted;
  private final EventLoop streamLoop;
  private final boolean requireEncryption;
  private final ChannelInput input = new ChannelInput(this);
  private final ChannelOutput output = new ChannelOutput(this);
  private ClosingLimit limit = ClosingLimit.NONE;
  private ByteStream stream;
  private Connecting connecting;
  private boolean gaveUp;
  private volatile boolean active;
  private volatile boolean closed;
  private volatile boolean outputShutdown;

  @FunctionalInterface
  interface Dialer {
    Future<ByteStream> connect(RdmaChannel channel, SocketAddress remote, SocketAddress local);
  }

  RdmaChannel(Dialer dialer, boolean requireEncryption) {
    super(null);
    this.dialer = dialer;
    this.requireEncryption = requireEncryption;
    this.accepted = null;
    this.streamLoop = null;
  }

  RdmaChannel(Channel parent, ByteStream stream, EventLoop loop, boolean requireEncryption) {
    super(parent);
    this.dialer = null;
    this.requireEncryption = requireEncryption;
    this.accepted = stream;
    this.streamLoop = loop;
    // Used if the channel closes before its registration.
    this.stream = loop == null ? stream : new BridgedStream(stream, loop, loop);
    this.active = true;
  }

  RdmaChannel limit(ClosingLimit value) {
    limit = value;
    return this;
  }

  private record Connecting(ChannelPromise promise, SocketAddress remote, ScheduledFuture<?> timeout) {
    void finish() {
      if (timeout != null) {
        timeout.cancel(false);
      }
    }
  }

  ByteStream stream() {
    return stream;
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
  public Config config() {
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

  @Override
  protected void doRegister() {
    if (accepted != null) {
      boolean here = streamLoop == null || streamLoop == eventLoop();
      stream = guarded(here ? accepted : new BridgedStream(accepted, streamLoop, eventLoop()));
      // Runs later, when the pipeline has its handlers.
      eventLoop().execute(() -> stream.start(input));
    }
  }

  private ByteStream guarded(ByteStream made) {
    return requireEncryption ? new EncryptedStream(made, pipeline()) : made;
  }

  @Override
  protected void doBind(SocketAddress localAddress) {
    throw new UnsupportedOperationException("a channel over a fabric cannot be bound to a local address");
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  public ChannelFuture close() {
    limit.closing(this, this::giveUp);
    return super.close();
  }

  /** Starts the time limit before the pipeline's handlers, which may delay the close. */
  @Override
  public ChannelFuture close(ChannelPromise promise) {
    limit.closing(this, this::giveUp);
    return super.close(promise);
  }

  void giveUp(String why) {
    if (gaveUp || output.isDone() || stream == null) {
      return;
    }
    gaveUp = true;
    reportUndelivered();
    stream.abort(why);
    if (!closed) {
      unsafe().close(voidPromise());
    }
  }

  private void reportUndelivered() {
    limit.undelivered(stream.peer(), output.unconfirmedBytes(), output.unconfirmedMessages());
  }

  @Override
  protected void doClose() {
    if (closed) {
      return;
    }
    closed = true;
    boolean unread = input.drop();
    Connecting attempt = connecting;
    connecting = null;
    if (attempt != null) {
      attempt.finish();
      attempt.promise.tryFailure(new ClosedChannelException());
    }
    if (stream != null && (unread || Integer.valueOf(0).equals(config.socketOptions.get(ChannelOption.SO_LINGER)))) {
      stream.abort("this side closed the connection before it had read everything");
    } else if (stream != null) {
      if (!output.isDone()) {
        stream.closing();
      }
      output.finish(stream::close);
    }
  }

  @Override
  protected void doBeginRead() {
    input.read();
  }

  @Override
  protected Object filterOutboundMessage(Object message) throws ClosedChannelException {
    if (outputShutdown) {
      throw new ClosedChannelException();
    }
    if (message instanceof ByteBuf || message instanceof FileRegion) {
      return message;
    }
    throw new UnsupportedOperationException("a channel over a fabric can write ByteBuf and FileRegion only, not "
      + message.getClass().getName());
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) throws Exception {
    if (stream == null) {
      throw new NotYetConnectedException();
    }
    output.write(in);
  }

  boolean hasFailedWrites() {
    return output.streamFailure() != null;
  }

  void flushAgain() {
    if (!closed) {
      ((RdmaUnsafe) unsafe()).flushAgain();
    }
  }

  @Override
  public boolean isInputShutdown() {
    return input.isShutdown() || closed;
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
    return whenConnected(promise, () -> {
      input.shutdown();
      promise.setSuccess();
    });
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    return whenConnected(promise, () -> shutdownWrittenOutput(promise));
  }

  private void shutdownWrittenOutput(ChannelPromise promise) {
    if (!outputShutdown) {
      outputShutdown = true;
      output.finish(stream::end);
    }
    output.whenDone(() -> {
      if (!closed) {
        ((RdmaUnsafe) unsafe()).shutdownOutput(promise);
      } else if (output.streamFailure() != null) {
        promise.tryFailure(new ClosedChannelException());
      } else {
        promise.trySuccess();
      }
    });
  }

  @Override
  protected void doShutdownOutput() {
    if (!outputShutdown) {
      outputShutdown = true;
      stream.end();
    }
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    return whenConnected(promise, () -> {
      input.shutdown();
      shutdownWrittenOutput(promise);
    });
  }

  private ChannelFuture whenConnected(ChannelPromise promise, Runnable task) {
    if (!eventLoop().inEventLoop()) {
      eventLoop().execute(() -> whenConnected(promise, task));
    } else if (closed) {
      promise.tryFailure(new ClosedChannelException());
    } else if (stream == null) {
      promise.tryFailure(new NotYetConnectedException());
    } else {
      task.run();
    }
    return promise;
  }

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
      dialer.connect(RdmaChannel.this, remote, local)
        .onComplete((made, cause) -> LoopCall.run(eventLoop(), () -> dialled(attempt, made, cause)));
    }

    private void dialled(Connecting attempt, ByteStream made, Throwable cause) {
      if (connecting != attempt) {
        if (made != null) {
          made.close();
        }
      } else if (made == null) {
        // The exception of a TCP channel contains the address.
        failed(cause);
      } else {
        connecting = null;
        attempt.finish();
        stream = guarded(made);
        active = true;
        boolean wanted = attempt.promise.trySuccess();
        pipeline().fireChannelActive();
        stream.start(input);
        if (!wanted) {
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

    /** Completes the promises of flushed bytes before the stream closes. Unflushed messages fail. */
    @Override
    protected Executor prepareToClose() {
      if (output.isDone()) {
        return null;
      }
      limit.closing(RdmaChannel.this, RdmaChannel.this::giveUp);
      doClose();
      return task -> output.whenDone(() -> {
        if (output.streamFailure() instanceof RdmaException lost && lost.reason() == RdmaException.Reason.TIMEOUT) {
          reportUndelivered();
        }
        task.run();
      });
    }
  }

  /** Options of a channel. Socket options apply to TCP connections only. */
  final class Config extends DefaultChannelConfig {
    final Map<ChannelOption<?>, Object> socketOptions = new HashMap<>();
    volatile boolean allowHalfClosure;

    private Config() {
      super(RdmaChannel.this);
    }

    /** Adds the send buffer, whose bytes Netty counts as pending until they are confirmed. */
    @Override
    public int getWriteBufferHighWaterMark() {
      return withSendBuffer(getWriteBufferWaterMark().high());
    }

    @Override
    public int getWriteBufferLowWaterMark() {
      return withSendBuffer(getWriteBufferWaterMark().low());
    }

    private static int withSendBuffer(int bytes) {
      return (int) Math.min((long) bytes + ChannelOutput.SEND_BUFFER, Integer.MAX_VALUE);
    }

    @Override
    @SuppressWarnings({"unchecked", "deprecation"})
    public <T> T getOption(ChannelOption<T> option) {
      if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
        return (T) Boolean.valueOf(allowHalfClosure);
      }
      if (option == ChannelOption.WRITE_BUFFER_HIGH_WATER_MARK) {
        return (T) Integer.valueOf(getWriteBufferWaterMark().high());
      }
      if (option == ChannelOption.WRITE_BUFFER_LOW_WATER_MARK) {
        return (T) Integer.valueOf(getWriteBufferWaterMark().low());
      }
      T value = super.getOption(option);
      return value == null ? (T) socketOptions.get(option) : value;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
      validate(option, value);
      if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
        allowHalfClosure = (Boolean) value;
      } else if (!super.setOption(option, value)) {
        socketOptions.put(option, value);
      }
      return true;
    }

    @Override
    protected void autoReadCleared() {
      if (!isRegistered() || eventLoop().inEventLoop()) {
        input.readCleared();
      } else {
        eventLoop().execute(input::readCleared);
      }
    }
  }
}
