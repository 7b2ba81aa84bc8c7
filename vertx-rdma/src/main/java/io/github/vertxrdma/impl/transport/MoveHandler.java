package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.node.ConnectionPrefix;
import io.github.vertxrdma.impl.poll.JdkFailures;
import io.github.vertxrdma.impl.poll.LoopCall;
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
import io.vertx.core.Future;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Handler nearest to the head of a TCP channel, whose bytes it can move to a fabric. Each direction moves by itself, between two bytes: its
 * sender waits until the kernel has all bytes written by TCP, and states their number over the fabric before its first byte there. The TCP
 * connection stays open, and its end is the end of the connection. See docs/protocol.adoc. Confined to the channel's event loop.
 */
final class MoveHandler extends ChannelDuplexHandler {
  /** Time in ms in which the end of the peer's bytes must follow the end of TCP. */
  private static final int END_MILLIS = 200;
  private static final int FLUSH_SECONDS = 10;
  /** Control word of a receiver that has the stream, and asks the sender to use the fabric. Void if the sender is returning to TCP. */
  static final byte ASK_FABRIC = 1;
  /** Offset of {@link #ASK_FABRIC} by a peer that does not measure. */
  private static final long INSISTS = 1;
  /** Control word of a sender whose bytes come over the fabric from now on. Its offset is the number of bytes sent by TCP. */
  static final byte MOVED = 2;
  /** Control word of a sender that ends its output. Its offset is the number of bytes sent over the fabric. */
  static final byte END = 3;
  /** Control word of a receiver that asks the sender to use TCP again. */
  static final byte ASK_TCP = 4;
  /** Control word of a sender that returns to TCP. Its offset is the number of bytes sent over the fabric. */
  static final byte RETURNED = 5;
  /** Control word of a receiver that has these bytes. */
  static final byte RECEIVED = 6;
  /** Maximum number of control words that the peer has not taken. */
  private static final int MOST_WORDS = 16;
  /** Maximum number of bytes by TCP that wait for {@link #RETURNED}. */
  private static final int MOST_HELD = 4 << 20;
  /** Maximum number of bytes by TCP that wait for a fabric. The kernels hold less than that after the peer's end. */
  private static final int MOST_EARLY = 16 << 20;
  /** Maximum number of removals after which this handler adds itself again. */
  private static final int MOST_REMOVALS = 4;

  private enum Output {
    TCP,
    /** Writes wait, until the kernel has the earlier ones. */
    MOVING,
    FABRIC,
    /** Writes wait until the receiver has the bytes of the fabric, or go by TCP if a handler was added below. */
    RETURNING
  }

  private enum Input {
    TCP,
    /** The peer has moved, but not all its bytes by TCP have arrived. */
    MOVING,
    FABRIC
  }

  /** Finds streams for a handler. Called on the channel's event loop. */
  interface Owner {
    /**
     * Called when a channel that must use a fabric connects.
     *
     * @return the address of the server, or null to use TCP
     */
    default Future<SocketAddress> find(MoveHandler handler, SocketAddress remote, ChannelPromise promise) {
      return Future.succeededFuture();
    }

    void connected(MoveHandler handler);

    /** Called once, when enough bytes have passed to recognize the connection by them. */
    default void recognizable() {
    }

    /** Called each time that the peer moves its output to the fabric, and when a channel that must use a fabric does. */
    default void moved() {
    }

    /** Called when the fabric was lost before any byte was sent over it. TCP goes on. */
    void notMoved(MoveHandler handler, Throwable cause);

    /** Called when the fabric failed after bytes were sent over it, so that the connection ends. */
    void lost(MoveHandler handler, Throwable cause);

    void disconnected(MoveHandler handler);
  }

  private final Owner owner;
  private final ClosingLimit limit;
  private boolean requiresTls;
  /** True if the channel must use a fabric. */
  private boolean forced;
  /** True until a forced channel uses its fabric, or fails. */
  private boolean opening;
  /** Promise of the connect while it is not completed. */
  private ChannelPromise connecting;
  /** Why the connect fails unless the peer's end follows, although the fabric is not open; null to wait for the fabric. */
  private Throwable refusal;
  /** True if a read waits for the fabric. */
  private boolean readWaits;
  private final ConnectionPrefix prefix = new ConnectionPrefix();
  private ChannelHandlerContext context;
  /** Context of {@link JdkFailures}, which changes no bytes, if that is the only handler nearer to the head; otherwise null. */
  private ChannelHandlerContext failures;
  private int removals;
  /** True if bytes were written, whose first ones were TLS if that is required. */
  private boolean begun;
  private final MoveTraffic traffic = new MoveTraffic(this);
  private MovedOutput output;
  private MovedInput input;
  private ByteStream fabric;
  private Output out;
  private Input in = Input.TCP;
  private long written;
  private long read;
  private long readBefore;
  /** Bytes by TCP that arrived before {@link #RETURNED}. */
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
  private int heldBytes;
  /** True if the peer asks for the fabric. */
  private boolean asked;
  /** True if the peer asks for it without a measure, for example since its fabric is forced. */
  private boolean insists;
  /** True if {@link #RETURNED} was sent, and its answer has come. */
  private boolean returnSent;
  private boolean confirmed;
  /** True if this side is to receive over the fabric. */
  private boolean wantsFabric;
  /** True if the peer was asked for that. */
  private boolean asks;
  /** Number of control words that are not sent yet. */
  private int words;
  /** True if the peer was asked for that, and has not returned since. */
  private boolean peerMayMove;
  private boolean peerReturned;
  /** Number of writes that complete before bytes by TCP are read after the peer's return. */
  private long writesBefore;
  private boolean displaced;
  /** True if something was read that this handler did not count. */
  private boolean passesReads;
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
  /** True if the output ends when what was flushed is written, and then if {@link #END} was sent. */
  private boolean ending;
  private boolean endSent;
  private boolean inputShutDown;
  private ChannelPromise closing;
  /** Promise of a close that waits until an accepted channel uses the fabric, which takes what was flushed; otherwise null. */
  private ChannelPromise laterClose;
  private boolean tcpClosed;
  /** True while the kernel takes the bytes of a closed channel. */
  private boolean flushing;
  /** Number of empty writes that wait. */
  private int lastWrites;

  /**
   * @param requiresTls true to end the connection if a byte is not of TLS
   * @param forced true if the channel must use a fabric
   */
  MoveHandler(Owner owner, ClosingLimit limit, boolean requiresTls, boolean forced) {
    this.owner = owner;
    this.limit = limit;
    this.requiresTls = requiresTls;
    this.forced = forced;
    this.opening = forced;
    this.out = forced ? Output.MOVING : Output.TCP;
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

  MoveTraffic traffic() {
    return traffic;
  }

  /** Uses the fabric when a measure decides so. @param by null if the peer's measure decides */
  void measure(PeerMeasure by) {
    leaveMeasure();
    if (fabric != null && !isDisconnected) {
      traffic.choose(insists ? null : by);
      traffic.follow(asked);
    }
  }

  private void leaveMeasure() {
    wantsFabric &= !traffic.leave();
  }

  /** Keeps the channel on TCP, unless it has moved. */
  void stay() {
    displaced |= !isMoved();
  }

  /** Returns whether the channel may get a stream. */
  boolean isMovable() {
    // A server may end its output before a client has connected.
    boolean open = connecting != null || !tcpEnded && !isInputShutDown();
    return open && fabric == null && !displaced && closing == null && channel().isActive() && isFirst();
  }

  /** Returns whether the channel can never get a stream again. */
  boolean stays() {
    return displaced || tcpEnded || closing != null || isMoved() || isInputShutDown() || !isFirst();
  }

  /** Returns whether the channel must use a fabric, and does not yet. */
  boolean isOpening() {
    return opening && closing == null;
  }

  /** Returns whether the channel has sent or received bytes over a fabric. */
  boolean hasMoved() {
    return sent() + received() > 0;
  }

  boolean hasReceivedNothing() {
    return !passesReads && prefix.receivedLength() == 0 && !hasMoved();
  }

  /** Returns whether the channel can move, but has not, and has received nothing. */
  boolean isSilent() {
    return !displaced && hasReceivedNothing();
  }

  /** Returns the number of bytes sent over the fabric. */
  long sent() {
    return output.written();
  }

  long received() {
    return input.received();
  }

  private boolean isMoved() {
    return sendsByFabric() || in != Input.TCP;
  }

  private boolean sendsByFabric() {
    return out == Output.FABRIC || out == Output.RETURNING;
  }

  boolean isMoving() {
    return out == Output.MOVING || in == Input.MOVING || out == Output.RETURNING;
  }

  /** Returns true, since this handler adds itself again when another place is nearest to the head. */
  @Override
  public boolean isSharable() {
    return true;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    if (output == null) {
      output = new MovedOutput(added, this::outputDone);
      input = new MovedInput(this::inputDelivered);
    }
    input.context(added);
  }

  private boolean isInputShutDown() {
    return channel() instanceof DuplexChannel duplex && duplex.isInputShutdown();
  }

  private boolean isOutputShutDown() {
    return channel() instanceof DuplexChannel duplex && duplex.isOutputShutdown();
  }

  private boolean isFirst() {
    ChannelHandlerContext first = context.pipeline().firstContext();
    if (first != context && first != failures && first.handler() instanceof JdkFailures
      && context.pipeline().names().get(1).equals(context.name())) {
      failures = first;
    }
    return first == context || first == failures;
  }

  /**
   * Returns whether this handler is nearest to the head. Otherwise, a handler below it may change the bytes by TCP, for example one of TLS:
   * from then on all bytes take its way, and the channel never moves again.
   */
  private boolean isNearest() {
    if (isOpening()) {
      takePlace();
    }
    if (!displaced && !isFirst()) {
      displaced = true;
      if (closing != null) {
        return false;
      }
      if (forced) {
        reset("a handler was added to the connection, for example that of TLS, after it had begun to use its fabric. Add it before");
      } else if (!isMoved() && !peerMayMove && input.isEmpty()) {
        if (fabric != null) {
          leave("a handler was added that may change the bytes by TCP");
        }
      } else if (in == Input.MOVING || out == Output.RETURNING && output.messages() > 0) {
        reset("a handler was added to the connection, for example that of TLS, while bytes were on their way");
      } else {
        leaveByTcp();
      }
    }
    return !displaced;
  }

  /** Sends what was written before the handler was added over the fabric, and the rest by TCP. */
  private void leaveByTcp() {
    if (out == Output.MOVING) {
      returnWaiting();
    }
    returnOutput();
    ask();
    input.toHead();
    passHeld();
  }

  private void deliverAll() {
    if (peerReturned) {
      passHeld();
    }
    input.deliverAll();
  }

  private void passHeld() {
    heldBytes = 0;
    while (!held.isEmpty()) {
      input.append(held.poll());
    }
  }

  /** Takes the place nearest to the head, before handlers that were added there write or read a byte. */
  private void takePlace() {
    if (written + read == 0 && !isFirst()) {
      context.pipeline().remove(this);
    }
  }

  @Override
  public void channelRegistered(ChannelHandlerContext registered) {
    takePlace();
    registered.fireChannelRegistered();
  }

  @Override
  public void connect(ChannelHandlerContext from, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
    // The handler of a proxy writes before channelActive() of those above it is called.
    takePlace();
    if (!opening || from != context) {
      from.connect(remote, local, promise);
    } else if (closing != null) {
      promise.tryFailure(new ClosedChannelException());
    } else {
      connecting = promise;
      promise.addListener(done -> {
        if (!done.isSuccess()) {
          refuse(done.cause());
        }
      });
      owner.find(this, remote, promise).onComplete((server, cause) -> LoopCall.run(loop(), () -> found(server, cause, remote, local)));
    }
  }

  private void found(SocketAddress server, Throwable cause, SocketAddress remote, SocketAddress local) {
    if (!isOpening()) {
      return;
    }
    if (cause != null) {
      refuse(cause);
    } else if (server == null) {
      // The server is not one of a node, but for example a database.
      forced = false;
      requiresTls = false;
      opening = false;
      out = Output.TCP;
      displaced = true;
      context.connect(remote, local, connecting);
      connecting = null;
    } else {
      context.connect(server, local).addListener(done -> {
        if (!done.isSuccess()) {
          refuse(done.cause());
        }
      });
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    isNearest();
    if (opening) {
      // The peer may write and close before the fabric is open.
      holdEnd();
    }
    owner.connected(this);
    // A server has the channel already, and its writes wait.
    if (!opening || connecting == null) {
      active.fireChannelActive();
    }
  }

  /** Completes the connect of a channel whose output uses the fabric now. */
  private void open() {
    opening = false;
    ChannelPromise connected = connecting;
    connecting = null;
    if (out == Output.FABRIC) {
      owner.moved();
    }
    if (connected != null) {
      boolean set = connected.trySuccess();
      // As Netty's channels do, also if a listener has closed the channel.
      context.fireChannelActive();
      if (!set) {
        close(context, context.newPromise());
      }
    }
    if (laterClose != null) {
      close(context, laterClose);
    }
    boolean passes = !held.isEmpty();
    heldBytes = 0;
    while (!held.isEmpty() && closing == null) {
      context.fireChannelRead(held.poll());
    }
    if (passes && closing == null) {
      context.fireChannelReadComplete();
    }
    if (readWaits && closing == null) {
      read(context);
    }
    if (closing == null) {
      checkInput();
      checkEnd();
    }
  }

  /** Returns whether the peer has ended its output by TCP. */
  boolean hasEnded() {
    return tcpEnded;
  }

  /**
   * Connects a channel whose peer has closed its end before the fabric was open, to read what the peer has sent by TCP before.
   *
   * @param cause of the failure if the peer sends nothing for some time, and does not end
   */
  void openEnded(Throwable cause) {
    if (isOpening() && refusal == null) {
      refusal = cause;
      awaitEarlyEnd(-1);
    }
  }

  private void awaitEarlyEnd(long before) {
    if (!isOpening()) {
      return;
    }
    if (tcpEnded) {
      forced = false;
      ending = true;
      // The peer reads no more.
      output.fail(new ClosedChannelException());
      if (closing == null) {
        open();
      }
    } else if (read == before) {
      refuse(refusal);
    } else {
      long now = read;
      context.read();
      context.executor().schedule(() -> awaitEarlyEnd(now), END_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Fails a channel that must use a fabric, and does not yet. */
  void refuse(Throwable cause) {
    if (isOpening()) {
      Throwable first = refusal == null ? cause : refusal;
      fail(first, String.valueOf(first.getMessage()));
    }
  }

  /** Gives the channel a stream to its peer. Both use it when both have it. */
  void move(ByteStream stream) {
    if (!isMovable()) {
      stream.abort("the TCP connection cannot move to the fabric any more");
      refuse(new IOException("cannot use the fabric: the connection has ended, or a handler was added to it that may "
        + "change bytes by TCP. Add handlers, for example that of TLS, before the connect"));
      return;
    }
    fabric = stream;
    fabricClosed = false;
    holdEnd();
    input.begin(stream);
    output.begin(stream);
    ask();
    stream.start(new FromFabric(stream));
    ending |= isOutputShutDown();
    sendEnd();
  }

  private void holdEnd() {
    if (!holdsEnd) {
      holdsEnd = true;
      halfClosure = Boolean.TRUE.equals(channel().config().getOption(ChannelOption.ALLOW_HALF_CLOSURE));
      channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }
  }

  /** Asks the peer to send over the fabric, or by TCP. It obeys at its next write. */
  void receive(boolean byFabric) {
    wantsFabric = byFabric;
    ask();
  }

  private void send(byte kind, long offset) {
    if (words == MOST_WORDS) {
      violated("it takes no control words");
      return;
    }
    words++;
    ByteStream to = fabric;
    to.control(kind, offset, (v, cause) -> {
      if (fabric == to) {
        words--;
        ask();
      }
    });
  }

  private void ask() {
    boolean wants = (wantsFabric || forced) && !displaced;
    // Waits for the last word, so that words do not accumulate.
    // Nothing by TCP may wait behind bytes of the fabric when the peer moves again.
    if (fabric != null && !fabricClosed && closing == null && words == 0 && asks != wants
      && (!wants || in == Input.TCP && input.isEmpty())) {
      asks = wants;
      peerMayMove |= asks;
      send(asks ? ASK_FABRIC : ASK_TCP, asks && traffic.isFree() ? INSISTS : 0);
    }
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
      if (fabric == from && (closing == null || kind == RECEIVED)) {
        MoveHandler.this.control(kind, offset);
      } else if (fabric == from && kind == RETURNED && !endSent) {
        // Both sides close while they return.
        send(RECEIVED, offset);
      }
    }

    @Override
    public void closed(Throwable cause) {
      if (fabric == from) {
        MoveHandler.this.closed(cause);
      }
    }
  }

  private void moveOutput() {
    if (!asked || fabric == null || out != Output.TCP && !opening || fabricClosed || ending && output.isSubmitted()
      || !isNearest() || !opening && isInputShutDown()) {
      return;
    }
    out = Output.MOVING;
    ByteStream to = fabric;
    // The kernel takes no more after the end of the output.
    if (!ending && hasUnwritten()) {
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
    if (out != Output.MOVING || !channel().isActive() || fabricClosed || !isNearest()) {
      return;
    }
    if (!asked) {
      returnWaiting();
      return;
    }
    out = Output.FABRIC;
    send(MOVED, written);
    if (opening) {
      open();
    }
    output.resume();
  }

  private void returnOutput() {
    if (out == Output.FABRIC && (displaced || !asked) && !ending && !endSent && !fabricClosed) {
      out = Output.RETURNING;
      returnSent = false;
      confirmed = false;
      if (displaced) {
        output.flush();
      } else {
        output.hold();
      }
      sendReturned();
    }
  }

  private void sendReturned() {
    if (out == Output.RETURNING && !returnSent && closing == null && !fabricClosed && output.unreadable() == null
      && (!displaced || output.isSubmitted())) {
      returnSent = true;
      output.hold();
      // The answer follows the peer's bytes, and this side may be paused because its own writes wait.
      input.hurry(true);
      send(RETURNED, output.written());
    }
  }

  /** Uses TCP for what waits, when everything sent over the fabric has arrived. */
  private void outputReturned() {
    if (out != Output.RETURNING || !confirmed || !output.isHeld() || fabricClosed) {
      return;
    }
    returnWaiting();
    if (closing == null) {
      moveOutput();
      leaveFabric();
    } else if (channel().isActive()) {
      flushing = true;
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> flushed());
      limitFlush(Long.MAX_VALUE);
    }
  }

  private void flushed() {
    if (flushing) {
      flushing = false;
      close();
    }
  }

  /** Closes without the rest, as TCP channels do, if the peer takes no bytes for some time. */
  private void limitFlush(long before) {
    ChannelOutboundBuffer buffer = channel().unsafe().outboundBuffer();
    long pending = buffer == null ? 0 : buffer.totalPendingWriteBytes();
    if (pending >= before) {
      flushed();
    } else if (flushing) {
      context.executor().schedule(() -> limitFlush(pending), FLUSH_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Closes the fabric when it is used no more, and the peer knows that. */
  private void leaveFabric() {
    if (displaced && in == Input.TCP && out == Output.TCP && fabric != null && !fabricClosed && !peerMayMove) {
      ByteStream left = fabric;
      forget();
      left.close();
    }
  }

  @Override
  public void write(ChannelHandlerContext to, Object message, ChannelPromise promise) {
    isNearest();
    traffic.count(message instanceof ByteBuf bytes ? bytes.readableBytes() : message instanceof FileRegion region ? region.count() : 0, 0);
    if (requiresTls && closing == null && !maySend(message)) {
      ReferenceCountUtil.release(message);
      if (!promise.isVoid()) {
        promise.tryFailure(TlsRule.refusal(channel().remoteAddress()));
      }
      refusePlaintext();
    } else if (closing == null && (out == Output.TCP || out == Output.RETURNING && displaced)) {
      writeByTcp(message, promise);
    } else if (closing != null || laterClose != null || ending || endSent || !channel().isActive()) {
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

  /** Returns whether a message may be sent if TLS is required. A TLS handler may begin in plaintext, so the first bytes are checked. */
  private boolean maySend(Object message) {
    if (message instanceof ByteBuf bytes && !bytes.isReadable()) {
      return true;
    }
    boolean allowed = TlsRule.hasTls(context.pipeline())
      && (begun || displaced || message instanceof ByteBuf bytes && TlsRule.beginsTls(bytes));
    begun |= allowed;
    return allowed;
  }

  private void refusePlaintext() {
    RdmaException refusal = TlsRule.refusal(channel().remoteAddress());
    fail(new IOException(refusal.getMessage(), refusal), refusal.getMessage());
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
    if (displaced) {
      // Counts no bytes that the handler below may change.
    } else if (message instanceof ByteBuf bytes) {
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
    traffic.count(0, 1);
    if (out == Output.TCP || out == Output.RETURNING && displaced) {
      context.flush();
    } else {
      output.flush();
    }
  }

  private void outputDone() {
    if (output.unreadable() != null && closing == null) {
      reset("cannot read what was to be sent: " + output.unreadable().getMessage());
      return;
    }
    if (closing == null) {
      isNearest();
      sendEnd();
      sendReturned();
      checkReturn();
    }
    outputReturned();
    if (closing != null && output.isDone()) {
      close();
    }
  }

  @Override
  public void read(ChannelHandlerContext from) {
    readWaits = opening;
    if (opening) {
      return;
    }
    input.read();
    // Netty's epoll channels fail reads after the end.
    if (!tcpEnded) {
      context.read();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext from, Object message) {
    isNearest();
    if (requiresTls && closing == null && !TlsRule.hasTls(context.pipeline())) {
      refusePlaintext();
    }
    if (closing != null) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (opening && message instanceof ByteBuf early) {
      // Netty reads to the end that the peer has sent.
      read += early.readableBytes();
      held.add(early);
      heldBytes += early.readableBytes();
      if (heldBytes > MOST_EARLY) {
        refuse(refusal);
      }
      return;
    }
    if (!(message instanceof ByteBuf bytes) || displaced) {
      passesReads = true;
      context.fireChannelRead(message);
      return;
    }
    traffic.count(bytes.readableBytes(), 1);
    int after = in == Input.TCP ? 0 : (int) Math.clamp(read + bytes.readableBytes() - readBefore, 0, bytes.readableBytes());
    read += bytes.readableBytes();
    prefix.received(bytes);
    checkPrefix();
    if (in == Input.TCP && !input.isEmpty()) {
      input.append(bytes);
      return;
    }
    if (after > 0) {
      ByteBuf before = bytes.readRetainedSlice(bytes.readableBytes() - after);
      hold(bytes);
      bytes = before;
    }
    if (bytes.isReadable() || after == 0) {
      // TCP answers the read, also if it was asked for before the move.
      input.answered();
      context.fireChannelRead(bytes);
    } else {
      bytes.release();
    }
    checkInput();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext from) {
    if (!opening) {
      context.fireChannelReadComplete();
    } else if (refusal != null && !tcpEnded) {
      context.read();
    }
  }

  private void hold(ByteBuf bytes) {
    held.add(bytes);
    heldBytes += bytes.readableBytes();
    if (heldBytes > MOST_HELD) {
      violated("it sent bytes by TCP after it had moved its output to the fabric");
    }
  }

  private void checkPrefix() {
    if (!recognizable && prefix.isRecognizable()) {
      recognizable = true;
      owner.recognizable();
    }
  }

  private void checkInput() {
    if (in == Input.MOVING && read >= readBefore) {
      in = Input.FABRIC;
      input.setReadable(true);
      checkReturn();
      checkEnd();
    }
  }

  private void checkReturn() {
    // The listener of an earlier write may add a handler, such as that of TLS, which must get what the peer sends in return.
    if (!peerReturned || in != Input.FABRIC || output.completed() < writesBefore) {
      return;
    }
    in = Input.TCP;
    peerReturned = false;
    passHeld();
    if (fabricClosed && !sendsByFabric()) {
      notMoved(fabricFailure);
    } else {
      ask();
      leaveFabric();
      checkEnd();
    }
  }

  private void received(ByteBuf bytes) {
    isNearest();
    traffic.count(bytes.readableBytes(), 1);
    if (requiresTls && closing == null && !TlsRule.hasTls(context.pipeline())) {
      refusePlaintext();
    }
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
      case ASK_FABRIC -> {
        // The receiver asks again after a return that it did not know of.
        asked |= out != Output.RETURNING || confirmed;
        moveOutput();
        if (isOpening() && ending) {
          open();
        }
        insists = offset == INSISTS;
        if (insists && traffic.isMeasured()) {
          leaveMeasure();
          traffic.choose(null);
        }
        traffic.follow(true);
      }
      case ASK_TCP -> {
        asked = forced;
        returnOutput();
        traffic.follow(false);
      }
      case MOVED -> {
        if (in != Input.TCP || offset < read) {
          violated("it moved its output at byte " + offset + ", and " + read + " bytes have arrived by TCP");
          return;
        }
        if (!peerMayMove || !input.isEmpty()) {
          violated("it moved its output without being asked");
          return;
        }
        if (displaced && offset > read) {
          reset("a handler was added to the connection, for example that of TLS, while the peer moved its output");
          return;
        }
        in = Input.MOVING;
        readBefore = offset;
        input.setReadable(false);
        owner.moved();
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
      case RETURNED -> {
        isNearest();
        if (forced) {
          reset("the peer left the fabric that this connection must use: it returned to TCP, for example since its application added TLS. "
            + "Use TLS from the start");
          return;
        }
        if (in == Input.TCP || peerReturned || offset != input.received()) {
          violated("it returned to TCP after " + offset + " bytes over the fabric, and " + input.received() + " have arrived");
          return;
        }
        peerReturned = true;
        writesBefore = output.begun();
        asks = false;
        peerMayMove = false;
        send(RECEIVED, offset);
        checkReturn();
      }
      case RECEIVED -> {
        if (out != Output.RETURNING || !returnSent || confirmed || offset != output.written()) {
          violated("it confirmed " + offset + " bytes, and " + output.written() + " were sent");
          return;
        }
        confirmed = true;
        input.hurry(false);
        outputReturned();
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
    } else if (!isMoved()) {
      notMoved(cause);
    } else {
      if (cause != null && !peerEnded && (sendsByFabric() || !peerReturned)) {
        owner.lost(this, cause);
      }
      if (sendsByFabric()) {
        output.fail(cause == null ? new ClosedChannelException() : cause);
      } else {
        returnWaiting();
      }
      if (isOpening()) {
        owner.notMoved(this, cause);
      } else if (inputShutDown && sendsByFabric()) {
        reset("the peer closed the fabric");
      } else {
        checkEnd();
      }
    }
  }

  private void notMoved(Throwable cause) {
    forget();
    returnWaiting();
    if (laterClose != null) {
      giveUp("the fabric was lost before it was used" + (cause == null ? "" : ": " + cause.getMessage()));
      return;
    }
    owner.notMoved(this, cause);
    checkEnd();
  }

  private void forget() {
    leaveMeasure();
    fabric = null;
    asked = false;
    asks = false;
    peerMayMove = false;
    insists = false;
    words = 0;
  }

  private void returnWaiting() {
    if (out == Output.MOVING && !opening || out == Output.RETURNING && confirmed) {
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
    forget();
    returnWaiting();
    left.abort(why);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext from, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      tcpEnded = true;
      if (refusal != null) {
        awaitEarlyEnd(read);
      }
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
    if (!ending && (opening || fabric != null && !fabricClosed)) {
      ending = true;
      if (opening || out == Output.FABRIC) {
        // The fabric carries what was flushed.
        output.failUnflushed();
      } else {
        // The kernel drops what it does not have, too.
        output.failWaiting();
      }
      sendEnd();
    }
  }

  private void sendEnd() {
    if (ending && !endSent && output.isSubmitted() && fabric != null && !fabricClosed) {
      endSent = true;
      send(END, output.written());
    }
  }

  private void inputDelivered() {
    if (input.isEmpty()) {
      checkEnd();
      ask();
    }
  }

  /** Returns whether bytes of the peer may be lost with the fabric. If its process ended, all have been received, and TCP ends, too. */
  private boolean isLost() {
    return fabricClosed && !peerEnded && !(fabricFailure instanceof ByteStream.PeerEnded);
  }

  /** Reports the end of the connection when everything before it was delivered. */
  private void checkEnd() {
    if (closing != null || inputShutDown || opening) {
      return;
    }
    if (tcpFailure != null && tcpEnded) {
      tcpFailed();
    } else if (in == Input.MOVING && (tcpEnded || isLost() && !peerReturned)) {
      // Otherwise, the bytes by TCP that came before are still to be read.
      reset("the connection was lost while it moved to a fabric");
    } else if (isLost() && (in == Input.FABRIC && !peerReturned || in == Input.TCP && sendsByFabric())) {
      input.deliverAll();
      reset(fabricFailure == null ? "the peer closed the fabric, but did not end its output" : String.valueOf(fabricFailure.getMessage()));
    } else if (input.isEmpty() && held.isEmpty() && tcpEnded && (fabric == null || fabricClosed || peerEnded)) {
      shutDownInput();
    } else if (tcpEnded && fabric != null && !peerEnded && !awaitsEnd) {
      awaitEnd(input.received());
    }
  }

  /** Ends a connection whose TCP connection was reset when its fabric is drained. */
  private void tcpFailed() {
    if (fabric == null || fabricClosed || peerEnded && input.isEmpty() || isDrained) {
      deliverAll();
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

  void refuseClosed() {
    refuse(new IOException("cannot connect to " + channel().remoteAddress() + " over a fabric: the peer closed its TCP connection. Use an "
      + "address that leads to the node itself, and a server that waits for its client before it closes"));
  }

  private void shutDownInput() {
    inputShutDown = true;
    if (halfClosure) {
      context.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      context.fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
    }
    // Without the fabric nothing can be written any more.
    if (!halfClosure || fabricClosed && sendsByFabric()) {
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
    closing = laterClose == null ? context.newPromise() : laterClose;
    dropInput();
    if (connecting != null) {
      connecting.tryFailure(cause);
    } else if (laterClose == null) {
      context.fireExceptionCaught(cause);
    }
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
    if (isOpening()) {
      refuse(cause);
    } else if (holdsEnd && closing == null && cause instanceof IOException && channel().isActive()) {
      // Held like the end, which follows: with half-closure, Netty does not close a channel that was reset.
      tcpFailure = cause;
      checkEnd();
    } else {
      context.fireExceptionCaught(cause);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext from) {
    if (isOpening()) {
      refuseClosed();
    }
    if (closing == null) {
      deliverAll();
      if (tcpFailure != null) {
        context.fireExceptionCaught(tcpFailure);
      }
    }
    if (closing == null) {
      closing = context.newPromise();
      tcpClosed = true;
    }
    dropInput();
    output.fail(new ClosedChannelException());
    if (fabric != null && !fabricClosed) {
      fabric.close();
    }
    disconnect();
    if (!opening || connecting == null) {
      context.fireChannelInactive();
    }
  }

  @Override
  public void close(ChannelHandlerContext from, ChannelPromise promise) {
    if (fabric == null && out == Output.TCP) {
      dropInput();
      context.close(promise);
      return;
    }
    if (closing != null || opening && laterClose != null) {
      channel().closeFuture().addListener(done -> promise.trySuccess());
      return;
    }
    // The peer opens no other fabric in place of a lost one.
    if (opening && connecting == null && !tcpEnded && !fabricClosed) {
      // Set first, since listeners of failed writes may close.
      laterClose = promise;
      output.failUnflushed();
      if (!output.isSubmitted()) {
        limit.closing(channel(), this::giveUp);
        return;
      }
    }
    closing = promise;
    if (opening) {
      ClosedChannelException cause = new ClosedChannelException();
      if (connecting != null) {
        connecting.tryFailure(cause);
      }
      abort("this side closed the connection before it used the fabric", cause);
      return;
    }
    limit.closing(channel(), this::giveUp);
    if (out == Output.MOVING) {
      returnWaiting();
    }
    boolean unread = dropInput();
    boolean resets = channel().isOpen() && Integer.valueOf(0).equals(channel().config().getOption(ChannelOption.SO_LINGER));
    if ((unread || resets) && !fabricClosed) {
      abort(
        unread ? "this side closed the connection before it had read everything"
          : "this side closed the connection, and its SO_LINGER is 0",
        new ClosedChannelException());
      return;
    }
    if (unread) {
      resetTcp();
    }
    output.failUnflushed();
    if (sendsByFabric() && !output.isDone()) {
      fabric.closing();
    }
    close();
  }

  /** Drops the bytes that were not passed on. @return whether there were any */
  private boolean dropInput() {
    boolean unread = input.drop() || !held.isEmpty();
    held.forEach(ByteBuf::release);
    held.clear();
    return unread;
  }

  private void close() {
    if (output.unreadable() != null && !endSent) {
      abort("it cannot send everything", new ClosedChannelException());
      return;
    }
    if (flushing) {
      return;
    }
    if (output.isSubmitted() && fabric != null && !fabricClosed) {
      if (!endSent) {
        endSent = true;
        send(END, output.written());
      }
      fabric.close();
    }
    if (output.isDone()) {
      closeTcp();
    }
  }

  private void giveUp(String why) {
    if (isOpening()) {
      if (laterClose != null) {
        reportUndelivered();
      }
      refuse(new IOException(why));
    } else if (channel().isOpen() && (closing == null ? lastWrites > 0 : !output.isDone() || flushing)) {
      reportUndelivered();
      closing = closing == null ? context.newPromise() : closing;
      abort(why, new IOException(why));
    }
  }

  private void reportUndelivered() {
    limit.undelivered(fabric == null ? String.valueOf(channel().remoteAddress()) : fabric.peer(), output.unconfirmedBytes(),
      output.messages());
  }

  private void disconnect() {
    if (!isDisconnected) {
      isDisconnected = true;
      leaveMeasure();
      owner.disconnected(this);
    }
  }

  /** Adds this handler again: Vert.x's HTTP client removes all handlers of a new connection, except that of TLS. */
  @Override
  public void handlerRemoved(ChannelHandlerContext from) {
    if (from.channel().isOpen() && removals++ < MOST_REMOVALS) {
      ChannelHandlerContext first = from.pipeline().firstContext();
      if (first != null && first.handler() instanceof JdkFailures) {
        from.pipeline().addAfter(first.name(), null, this);
      } else {
        from.pipeline().addFirst(this);
      }
      return;
    }
    if (isOpening()) {
      refuse(new IOException("cannot use the fabric: the handler of the connection was removed"));
    }
    if (isMoved() && closing == null && from.channel().isOpen()) {
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
      + (closing == null ? "" : ", closing") + (tcpEnded ? ", TCP ended" : "") + (heldBytes == 0 ? "" : ", "
        + heldBytes + " bytes by TCP held")
      + (peerReturned ? ", peer returned" : "") + (opening ? ", opening" : "") + (asked ? ", asked" : "")
      + (asks ? ", asks" : wantsFabric ? ", wants the fabric" : "");
  }
}
