package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.node.ConnectionPrefix;
import io.github.vertxrdma.impl.poll.JdkFailures;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;

/**
 * Handler nearest to the head of a TCP channel, whose bytes it can move to a fabric. Each direction moves by itself, between two bytes: its
 * sender waits until the kernel has all bytes written by TCP, and states their number over the fabric before its first byte there. The TCP
 * connection stays open, and its end is the end of the connection. See docs/protocol.adoc. Confined to the channel's event loop.
 */
final class MoveHandler extends ChannelDuplexHandler {
  /** Time in ms in which the end of the peer's bytes must follow the end of TCP. */
  private static final int END_MILLIS = 200;
  /** Control word of a node that has the stream. The other node moves its output only after it. */
  static final byte READY = 1;
  /** Control word of a sender whose bytes come over the fabric from now on. Its offset is the number of bytes sent by TCP. */
  static final byte MOVED = 2;
  /** Control word of a sender that ends its output. Its offset is the number of bytes sent over the fabric. */
  static final byte END = 3;

  private enum Output {
    TCP,
    /** Writes wait, until the kernel has the earlier ones. */
    MOVING,
    FABRIC
  }

  private enum Input {
    TCP,
    /** The peer has moved, but not all its bytes by TCP have arrived. */
    MOVING,
    FABRIC
  }

  /** Finds streams for a handler. Called on the channel's event loop. */
  interface Owner {
    void connected(MoveHandler handler);

    /** Called once, when enough bytes have passed to recognize the connection by them. */
    default void recognizable() {
    }

    /** Called when the fabric was lost before any byte was sent over it. TCP goes on. */
    void notMoved(MoveHandler handler, Throwable cause);

    /** Called when the fabric failed after bytes were sent over it, so that the connection ends. */
    void lost(MoveHandler handler, Throwable cause);

    void disconnected(MoveHandler handler);
  }

  private final Owner owner;
  private final ClosingLimit limit;
  private final ConnectionPrefix prefix = new ConnectionPrefix();
  private ChannelHandlerContext context;
  /** Context of {@link JdkFailures}, which changes no bytes, if that is the only handler nearer to the head; otherwise null. */
  private ChannelHandlerContext failures;
  private MovedOutput output;
  private MovedInput input;
  private ByteStream fabric;
  private Output out = Output.TCP;
  private Input in = Input.TCP;
  private long written;
  private long read;
  private long readBefore;
  private boolean ready;
  private boolean displaced;
  private boolean recognizable;
  private boolean isDisconnected;
  private boolean fabricClosed;
  private Throwable fabricFailure;
  /** True if half-closure is switched on for this handler, which then holds the end of TCP. */
  private boolean holdsEnd;
  private boolean halfClosure;
  private boolean awaitsEnd;
  private boolean peerEnded;
  private boolean tcpEnded;
  private Throwable tcpFailure;
  /** True if no more bytes came over the fabric after a reset of TCP. */
  private boolean isDrained;
  private boolean endSent;
  private boolean inputShutDown;
  private ChannelPromise closing;
  private boolean tcpClosed;
  /** Number of empty writes that wait. */
  private int lastWrites;

  MoveHandler(Owner owner, ClosingLimit limit) {
    this.owner = owner;
    this.limit = limit;
  }

  /** Adds a handler to a new channel. */
  MoveHandler addTo(Channel channel) {
    channel.pipeline().addLast(this);
    return this;
  }

  Channel channel() {
    return context.channel();
  }

  EventLoop loop() {
    return context.channel().eventLoop();
  }

  ConnectionPrefix prefix() {
    return prefix;
  }

  /** Keeps the channel on TCP, unless it has moved. */
  void stay() {
    displaced |= !isMoved();
  }

  /** Returns whether the channel may get a stream. */
  boolean isMovable() {
    return fabric == null && !displaced && !tcpEnded && closing == null && channel().isActive() && isFirst() && !isShutDown();
  }

  /** Returns whether the channel can never get a stream again. */
  boolean stays() {
    return displaced || tcpEnded || closing != null || isMoved() || isShutDown() || !isFirst();
  }

  /** Returns whether the channel has sent or received bytes over a fabric. */
  boolean hasMoved() {
    return sent() + received() > 0;
  }

  /** Returns the number of bytes sent over the fabric. */
  long sent() {
    return output.written();
  }

  long received() {
    return input.received();
  }

  private boolean isMoved() {
    return out == Output.FABRIC || in != Input.TCP;
  }

  boolean isMoving() {
    return out == Output.MOVING || in == Input.MOVING;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    ChannelHandlerContext first = added.pipeline().firstContext();
    failures = first.handler() instanceof JdkFailures ? first : null;
    output = new MovedOutput(added, this::outputDone);
    input = new MovedInput(added, this::inputDelivered);
  }

  private boolean isShutDown() {
    return channel() instanceof DuplexChannel duplex && (duplex.isInputShutdown() || duplex.isOutputShutdown());
  }

  private boolean isFirst() {
    ChannelHandlerContext first = context.pipeline().firstContext();
    return first == context || first == failures;
  }

  /**
   * Returns whether this handler is nearest to the head. Otherwise, a handler below it may change the bytes by TCP, for example one of TLS:
   * the channel never moves then, and ends if it has moved.
   */
  private boolean isNearest() {
    if (!displaced && !isFirst()) {
      displaced = true;
      if (isMoved()) {
        reset("a handler was added to the connection, for example that of TLS, after it had moved to a fabric");
      } else if (fabric != null) {
        leave("a handler was added that may change the bytes by TCP");
      }
    }
    return !displaced;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    if (isFirst()) {
      owner.connected(this);
    } else {
      // Handlers were added before it, such as that of a proxy. No byte has passed yet.
      MoveHandler first = new MoveHandler(owner, limit);
      ChannelHandlerContext head = active.pipeline().firstContext();
      if (head.handler() instanceof JdkFailures) {
        active.pipeline().addAfter(head.name(), null, first);
      } else {
        active.pipeline().addFirst(first);
      }
      isDisconnected = true;
      active.pipeline().remove(this);
      owner.connected(first);
    }
    active.fireChannelActive();
  }

  /** Gives the channel a stream to its peer. Both use it when both have it. */
  void move(ByteStream stream) {
    if (!isMovable()) {
      stream.abort("the TCP connection cannot move to the fabric any more");
      return;
    }
    fabric = stream;
    fabricClosed = false;
    if (!holdsEnd) {
      holdsEnd = true;
      halfClosure = Boolean.TRUE.equals(channel().config().getOption(ChannelOption.ALLOW_HALF_CLOSURE));
      channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }
    input.begin(stream);
    stream.control(READY, 0);
    stream.start(new FromFabric(stream));
  }

  /** Receives from a stream, as long as the channel uses it. */
  private final class FromFabric implements ByteStream.Receiver {
    private final ByteStream from;

    FromFabric(ByteStream from) {
      this.from = from;
    }

    @Override
    public void received(ByteBuf bytes) {
      if (fabric == from) {
        MoveHandler.this.received(bytes);
      } else {
        bytes.release();
      }
    }

    @Override
    public void control(byte kind, long offset) {
      if (fabric == from && closing == null) {
        MoveHandler.this.control(kind, offset);
      }
    }

    @Override
    public void ended() {
      // END says more.
    }

    @Override
    public void closed(Throwable cause) {
      if (fabric == from) {
        MoveHandler.this.closed(cause);
      }
    }
  }

  private void moveOutput() {
    if (!ready || fabric == null || out != Output.TCP || fabricClosed || !isNearest() || isShutDown()) {
      return;
    }
    out = Output.MOVING;
    ByteStream to = fabric;
    if (hasUnwritten()) {
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
        // An earlier attempt, whose fabric was lost, may have had the same purpose.
        if (done.isSuccess() && fabric == to) {
          outputWritten();
        }
      });
    } else {
      outputWritten();
    }
  }

  private boolean hasUnwritten() {
    ChannelOutboundBuffer buffer = channel().unsafe().outboundBuffer();
    return buffer == null || buffer.size() > 0 || buffer.totalPendingWriteBytes() > output.waitingBytes();
  }

  private void outputWritten() {
    if (out == Output.MOVING && channel().isActive() && !fabricClosed && isNearest()) {
      out = Output.FABRIC;
      fabric.control(MOVED, written);
      output.begin(fabric);
    }
  }

  @Override
  public void write(ChannelHandlerContext to, Object message, ChannelPromise promise) {
    isNearest();
    if (closing == null && out == Output.TCP) {
      writeByTcp(message, promise);
    } else if (closing != null || endSent || !channel().isActive()) {
      ReferenceCountUtil.release(message);
      if (!promise.isVoid()) {
        promise.tryFailure(new ClosedChannelException());
      }
    } else {
      if (message == Unpooled.EMPTY_BUFFER && !promise.isVoid()) {
        awaitLast(promise);
      }
      output.add(message, promise);
    }
  }

  /** Limits the time of an empty write, after which Vert.x closes the channel. */
  private void awaitLast(ChannelPromise promise) {
    lastWrites++;
    promise.addListener(done -> lastWrites--);
    limit.closing(channel(), this::giveUp);
  }

  private void writeByTcp(Object message, ChannelPromise promise) {
    // A write that is cancelled later would be counted, and not sent.
    if (!promise.isVoid() && !promise.setUncancellable()) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof ByteBuf bytes) {
      written += bytes.readableBytes();
      prefix.sent(bytes);
      checkPrefix();
    } else if (message instanceof FileRegion region) {
      written += region.count() - region.transferred();
      prefix.endSent();
    }
    context.write(message, promise);
  }

  @Override
  public void flush(ChannelHandlerContext from) {
    if (out == Output.TCP) {
      context.flush();
    } else {
      output.flush();
    }
  }

  private void outputDone() {
    if (output.unreadable() != null && closing == null) {
      reset("cannot read what was to be sent: " + output.unreadable().getMessage());
    } else if (closing != null && output.isDone()) {
      close();
    }
  }

  @Override
  public void read(ChannelHandlerContext from) {
    input.read();
    // Netty's epoll channels fail reads after the end.
    if (!tcpEnded) {
      context.read();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext from, Object message) {
    isNearest();
    if (closing != null) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (!(message instanceof ByteBuf bytes) || displaced) {
      context.fireChannelRead(message);
      return;
    }
    read += bytes.readableBytes();
    if (in == Input.FABRIC || in == Input.MOVING && read > readBefore) {
      bytes.release();
      violated("it sent bytes by TCP after it had moved its output to the fabric");
      return;
    }
    prefix.received(bytes);
    checkPrefix();
    // TCP answers the read, also if it was asked for before the move.
    input.answered();
    context.fireChannelRead(message);
    checkInput();
  }

  private void checkPrefix() {
    if (!recognizable && prefix.isRecognizable()) {
      recognizable = true;
      owner.recognizable();
    }
  }

  private void checkInput() {
    if (in == Input.MOVING && read == readBefore) {
      in = Input.FABRIC;
      input.setReadable();
      checkEnd();
    }
  }

  private void received(ByteBuf bytes) {
    isNearest();
    if (closing != null || inputShutDown || !channel().isOpen()) {
      bytes.release();
    } else if (in == Input.TCP) {
      bytes.release();
      violated("it sent bytes over the fabric before it had moved its output");
    } else {
      input.add(bytes);
    }
  }

  private void control(byte kind, long offset) {
    switch (kind) {
      case READY -> {
        ready = true;
        moveOutput();
      }
      case MOVED -> {
        if (in != Input.TCP || offset < read) {
          violated("it moved its output at byte " + offset + ", and " + read + " bytes have arrived by TCP");
          return;
        }
        in = Input.MOVING;
        readBefore = offset;
        checkInput();
      }
      case END -> {
        if (offset != input.received()) {
          violated("it ended its output after " + offset + " bytes, and " + input.received() + " have arrived");
          return;
        }
        peerEnded = true;
        checkEnd();
      }
      default -> violated("it sent the unknown control word " + kind);
    }
  }

  private void closed(Throwable cause) {
    fabricClosed = true;
    fabricFailure = cause;
    if (closing != null) {
      if (cause instanceof RdmaException lost && lost.reason() == RdmaException.Reason.TIMEOUT && !output.isDone()) {
        reportUndelivered();
      }
      output.fail(cause == null ? new ClosedChannelException() : cause);
    } else if (out != Output.FABRIC && in == Input.TCP) {
      notMoved(cause);
    } else {
      if (cause != null && !peerEnded) {
        owner.lost(this, cause);
      }
      if (out == Output.FABRIC) {
        output.fail(cause == null ? new ClosedChannelException() : cause);
      } else {
        returnWaiting();
      }
      if (inputShutDown && out == Output.FABRIC) {
        reset("the peer closed the fabric");
      } else {
        checkEnd();
      }
    }
  }

  private void notMoved(Throwable cause) {
    fabric = null;
    ready = false;
    returnWaiting();
    owner.notMoved(this, cause);
    checkEnd();
  }

  private void returnWaiting() {
    if (out == Output.MOVING) {
      boolean flush = output.release(this::writeByTcp);
      // Set last, since listeners may write, and these writes follow the others.
      out = Output.TCP;
      if (flush) {
        context.flush();
      }
    }
  }

  private void leave(String why) {
    ByteStream left = fabric;
    fabric = null;
    ready = false;
    returnWaiting();
    left.abort(why);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext from, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      tcpEnded = true;
    }
    if (event == ChannelInputShutdownEvent.INSTANCE && holdsEnd) {
      checkEnd();
    } else if (event == ChannelInputShutdownReadComplete.INSTANCE && holdsEnd) {
      // shutDownInput() fires it.
      return;
    } else {
      if (event == ChannelOutputShutdownEvent.INSTANCE) {
        endOutput();
      }
      context.fireUserEventTriggered(event);
    }
  }

  private void endOutput() {
    if (fabric != null && !fabricClosed && !endSent) {
      endSent = true;
      // The kernel drops what it does not have, too.
      output.failWaiting();
      fabric.control(END, output.written());
    }
  }

  private void inputDelivered() {
    if (input.isEmpty()) {
      checkEnd();
    }
  }

  /** Reports the end of the connection when everything before it was delivered. */
  private void checkEnd() {
    if (closing != null || inputShutDown) {
      return;
    }
    if (tcpFailure != null && tcpEnded) {
      tcpFailed();
    } else if (in == Input.MOVING && (tcpEnded || fabricClosed && !peerEnded && !(fabricFailure instanceof ByteStream.PeerEnded))) {
      // Otherwise, the bytes by TCP that came before are still to be read.
      reset("the connection was lost while it moved to a fabric");
    } else if (fabricClosed && !peerEnded
      && (in == Input.FABRIC || in == Input.TCP && out == Output.FABRIC && !(fabricFailure instanceof ByteStream.PeerEnded))) {
      input.deliverAll();
      reset(fabricFailure == null ? "the peer closed the fabric, but did not end its output" : String.valueOf(fabricFailure.getMessage()));
    } else if (input.isEmpty() && tcpEnded && (fabric == null || fabricClosed || peerEnded)) {
      shutDownInput();
    } else if (tcpEnded && fabric != null && !peerEnded && !awaitsEnd) {
      awaitEnd(input.received());
    }
  }

  /** Ends a connection whose TCP connection was reset when its fabric is drained. */
  private void tcpFailed() {
    if (fabric == null || fabricClosed || peerEnded && input.isEmpty() || isDrained) {
      input.deliverAll();
      if (closing == null) {
        fail(tcpFailure, "its TCP connection was reset");
      }
    } else if (!awaitsEnd) {
      awaitEnd(input.received());
    }
  }

  /** Checks whether the peer lives, if the end of its output does not follow that of TCP soon. */
  private void awaitEnd(long before) {
    awaitsEnd = true;
    context.executor().schedule(() -> {
      awaitsEnd = false;
      if (fabric != null && !fabricClosed && closing == null && (!peerEnded || tcpFailure != null)) {
        boolean quiet = input.received() == before;
        isDrained = quiet && tcpFailure != null;
        if (isDrained) {
          tcpFailed();
          return;
        }
        if (quiet) {
          fabric.suspect("it closed its TCP connection, but did not end its output");
        }
        awaitEnd(input.received());
      }
    }, END_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void shutDownInput() {
    inputShutDown = true;
    if (halfClosure) {
      context.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      context.fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
    }
    // Without the fabric nothing can be written any more.
    if (!halfClosure || fabricClosed && out == Output.FABRIC) {
      close(context, context.newPromise());
    }
  }

  private void violated(String what) {
    reset("the peer broke the rules of moved connections: " + what);
  }

  private void reset(String why) {
    if (closing != null) {
      return;
    }
    fail(new IOException(why, fabricFailure), why);
  }

  private void fail(Throwable cause, String why) {
    closing = context.newPromise();
    input.drop();
    context.fireExceptionCaught(cause);
    abort(why, cause);
  }

  private void abort(String why, Throwable cause) {
    resetTcp();
    endSent = true;
    if (fabric != null && !fabricClosed) {
      fabric.abort(why);
    }
    output.fail(cause);
    // Closed before the writes in flight fail, which they do when the fabric has released them.
    closeTcp();
  }

  private void resetTcp() {
    if (channel().isOpen()) {
      channel().config().setOption(ChannelOption.SO_LINGER, 0);
    }
  }

  private void closeTcp() {
    if (!tcpClosed) {
      tcpClosed = true;
      context.close(closing);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
    if (holdsEnd && closing == null && cause instanceof IOException && channel().isActive()) {
      // Held like the end, which follows: with half-closure, Netty does not close a channel that was reset.
      tcpFailure = cause;
      checkEnd();
    } else {
      context.fireExceptionCaught(cause);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext from) {
    if (closing == null) {
      input.deliverAll();
      if (tcpFailure != null) {
        context.fireExceptionCaught(tcpFailure);
      }
    }
    if (closing == null) {
      closing = context.newPromise();
      tcpClosed = true;
    }
    input.drop();
    output.fail(new ClosedChannelException());
    if (fabric != null && !fabricClosed) {
      fabric.close();
    }
    disconnect();
    context.fireChannelInactive();
  }

  @Override
  public void close(ChannelHandlerContext from, ChannelPromise promise) {
    if (fabric == null && out == Output.TCP) {
      context.close(promise);
      return;
    }
    if (closing != null) {
      channel().closeFuture().addListener(done -> promise.trySuccess());
      return;
    }
    closing = promise;
    limit.closing(channel(), this::giveUp);
    returnWaiting();
    boolean unread = input.drop();
    if (unread && !fabricClosed) {
      abort("this side closed the connection before it had read everything", new ClosedChannelException());
      return;
    }
    if (unread) {
      resetTcp();
    }
    output.failUnflushed();
    if (out == Output.FABRIC && !output.isDone()) {
      fabric.closing();
    }
    close();
  }

  private void close() {
    if (output.unreadable() != null && !tcpClosed) {
      abort("it cannot send everything", new ClosedChannelException());
      return;
    }
    if (output.isSubmitted() && fabric != null && !fabricClosed) {
      if (!endSent) {
        endSent = true;
        fabric.control(END, output.written());
      }
      fabric.close();
    }
    if (output.isDone()) {
      closeTcp();
    }
  }

  private void giveUp(String why) {
    if ((closing != null || lastWrites > 0) && channel().isOpen() && !output.isDone()) {
      reportUndelivered();
      closing = closing == null ? context.newPromise() : closing;
      abort(why, new IOException(why));
    }
  }

  private void reportUndelivered() {
    limit.undelivered(fabric.peer(), output.unconfirmedBytes(), output.messages());
  }

  private void disconnect() {
    if (!isDisconnected) {
      isDisconnected = true;
      owner.disconnected(this);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext from) {
    if (isMoved() && closing == null && channel().isOpen()) {
      reset("its handler was removed");
    } else if (fabric != null && closing == null) {
      leave("its handler was removed");
    }
    disconnect();
  }

  @Override
  public String toString() {
    return "output " + out + ", input " + in + ", " + written + " bytes written by TCP, " + read + " read, " + output.written()
      + " written over the fabric, " + input.received() + " received" + (fabric == null ? ", no fabric" : "") + (fabricClosed ? ", lost"
        : "")
      + (closing == null ? "" : ", closing") + (tcpEnded ? ", TCP ended" : "") + (ready ? "" : ", not ready");
  }
}
