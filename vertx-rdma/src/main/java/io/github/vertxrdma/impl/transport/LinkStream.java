package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.process.NodeName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Completable;
import java.net.SocketAddress;
import java.util.ArrayDeque;

final class LinkStream implements ByteStream, MessageHandler {
  /** Maximum bytes of one write. The peer receives a write as one read. */
  private static final int LARGEST_WRITE = 2 << 20;
  private static final int MOST_EARLY = 256 << 10;
  private static final int OVERHEAD = 64;
  /** Bytes of a control word, which follows an empty message: kind and offset. */
  private static final int CONTROL = 1 + Long.BYTES;
  private static final Completable<Void> IGNORED = (v, cause) -> {
  };

  /** Window in bytes if completing a write takes a round trip: one write is in flight while the next is prepared. */
  private static final int ROUND_TRIP_WINDOW = 2 * LARGEST_WRITE;

  private final Link link;
  private final SocketAddress remote;
  private final Runnable whenClosed;
  private final int window;
  private ArrayDeque<Runnable> early = new ArrayDeque<>();
  private int earlyBytes;
  private Receiver receiver;
  private boolean closed;
  private boolean controlIsNext;

  /** @param remote address at the other end, for messages */
  LinkStream(Link link, SocketAddress remote, Runnable whenClosed) {
    this.link = link;
    this.remote = remote;
    this.whenClosed = whenClosed;
    this.window = link.completeWritesOnArrival() ? ROUND_TRIP_WINDOW : SEND_BUFFER;
    link.handler(this);
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
    if (!message.isReadable()) {
      // Drops empty messages, which limits in bytes do not count.
      message.release();
      controlIsNext = true;
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

  @Override
  public void ended() {
    // A control word precedes the end.
  }

  @Override
  public void closed(Throwable failure) {
    closed = true;
    whenClosed.run();
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
}
