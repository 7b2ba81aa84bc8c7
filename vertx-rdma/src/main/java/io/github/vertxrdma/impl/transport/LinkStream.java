package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.process.NodeName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.SocketAddress;
import java.util.ArrayDeque;

final class LinkStream implements ByteStream, MessageHandler {
  /** Maximum bytes of one write. The peer receives a write as one read. */
  private static final int LARGEST_WRITE = 2 << 20;
  private static final int MOST_EARLY = 256 << 10;
  private static final int OVERHEAD = 64;
  /** First byte of private data with which a connector promises an empty message as confirmation. */
  private static final byte CONFIRMS = 1;
  /** Bytes of a control word, which follows an empty message: kind and offset. */
  private static final int CONTROL = 1 + Long.BYTES;
  private static final Completable<Void> IGNORED = (v, cause) -> {
  };

  /** Window in bytes if completing a write takes a round trip: one write is in flight while the next is prepared. */
  private static final int ROUND_TRIP_WINDOW = 2 * LARGEST_WRITE;

  private final Link link;
  private final SocketAddress local;
  private final Runnable whenClosed;
  private final int window;
  private Promise<Void> confirmed;
  private volatile SocketAddress remote;
  private ArrayDeque<Runnable> early = new ArrayDeque<>();
  private int earlyBytes;
  private Receiver receiver;
  private boolean closed;
  private boolean hasControl;
  private boolean controlIsNext;

  LinkStream(Link link, SocketAddress local, Runnable whenClosed) {
    this.link = link;
    this.local = local;
    this.whenClosed = whenClosed;
    this.window = link.completeWritesOnArrival() ? ROUND_TRIP_WINDOW : ChannelOutput.SEND_BUFFER;
    link.handler(this);
  }

  LinkStream remoteAddress(SocketAddress address) {
    remote = address;
    return this;
  }

  /** Makes an empty message announce a control word. Called before a message can arrive. */
  LinkStream withControl() {
    hasControl = true;
    return this;
  }

  static byte[] promiseToConfirm() {
    return new byte[] {CONFIRMS};
  }

  LinkStream confirm() {
    link.send(Unpooled.EMPTY_BUFFER, null);
    return this;
  }

  /**
   * Waits for the connector's confirmation, if {@code data} promises one. Called before a message can arrive.
   *
   * @return fails if the link closes first
   */
  Future<Void> confirmed(byte[] data) {
    if (data.length == 0 || data[0] != CONFIRMS) {
      return Future.succeededFuture();
    }
    confirmed = Promise.promise();
    return confirmed.future();
  }

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
    ArrayDeque<Runnable> before = early;
    early = null;
    if (earlyBytes > MOST_EARLY) {
      // The receiver now decides whether to pause the peer.
      receiving(true);
    }
    before.forEach(Runnable::run);
  }

  @Override
  public void message(ByteBuf message) {
    completeConfirmation(null);
    if (!message.isReadable()) {
      // Drops empty messages, which limits in bytes do not count.
      message.release();
      controlIsNext = hasControl;
      return;
    }
    if (controlIsNext) {
      controlIsNext = false;
      controlReceived(message);
      return;
    }
    TransportCounters.PROCESS.received.add(message.readableBytes());
    if (receiver == null) {
      early.add(() -> receiver.received(message));
      earlyBytes += OVERHEAD + message.readableBytes();
      pauseEarly();
    } else {
      receiver.received(message);
    }
  }

  private void pauseEarly() {
    if (earlyBytes > MOST_EARLY) {
      receiving(false);
    }
  }

  private void controlReceived(ByteBuf message) {
    if (message.readableBytes() != CONTROL) {
      abort("the peer sent a control word of " + message.readableBytes() + " bytes");
      message.release();
      return;
    }
    byte kind = message.getByte(message.readerIndex());
    long offset = message.getLong(message.readerIndex() + 1);
    message.release();
    if (receiver == null) {
      early.add(() -> receiver.control(kind, offset));
      earlyBytes += OVERHEAD;
      pauseEarly();
    } else {
      receiver.control(kind, offset);
    }
  }

  private void completeConfirmation(Throwable cause) {
    Promise<Void> waiting = confirmed;
    confirmed = null;
    if (waiting != null) {
      waiting.complete(null, cause);
    }
  }

  @Override
  public void ended() {
    if (receiver == null) {
      early.add(() -> receiver.ended());
    } else {
      receiver.ended();
    }
  }

  @Override
  public void closed(Throwable failure) {
    closed = true;
    whenClosed.run();
    if (confirmed != null) {
      completeConfirmation(link.closeCause());
    }
    Throwable cause = failure != null && link.hasPeerEnded() ? new PeerEnded(failure) : failure;
    if (receiver == null) {
      early.add(() -> receiver.closed(cause));
    } else {
      receiver.closed(cause);
    }
  }

  @Override
  public void write(ByteBuf bytes, Completable<Void> done) {
    TransportCounters.PROCESS.sent.add(bytes.readableBytes());
    link.send(bytes, done);
  }

  @Override
  public void control(byte kind, long offset, Completable<Void> done) {
    link.send(Unpooled.EMPTY_BUFFER, null);
    link.send(Unpooled.buffer(CONTROL).writeByte(kind).writeLong(offset), done);
  }

  @Override
  public void suspect(String why) {
    link.suspect(why);
  }

  @Override
  public boolean begin(int bytes) {
    return link.begin(bytes);
  }

  @Override
  public void append(ByteBuf bytes) {
    TransportCounters.PROCESS.sent.add(bytes.readableBytes());
    link.append(bytes);
  }

  @Override
  public void finish(Completable<Void> done) {
    link.finish(done);
  }

  @Override
  public int maxWrite() {
    return Math.min(LARGEST_WRITE, link.maxMessageSize());
  }

  @Override
  public int window() {
    return window;
  }

  @Override
  public void receiving(boolean on) {
    if (!closed) {
      link.pause(!on);
    }
  }

  @Override
  public void end() {
    link.end(IGNORED);
  }

  @Override
  public void closing() {
    link.failWithoutProgress();
  }

  @Override
  public void close() {
    link.close(IGNORED);
  }

  @Override
  public void abort(String why) {
    link.fail(new RdmaException(RdmaException.Reason.CLOSED, why));
  }

  @Override
  public String peer() {
    return NodeName.words(link.peerName(), link.peer().nodeId()) + " at " + remote;
  }

  @Override
  public SocketAddress localAddress() {
    return local;
  }

  @Override
  public SocketAddress remoteAddress() {
    return remote;
  }
}
