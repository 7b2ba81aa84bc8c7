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

/** A link as a stream of bytes: a write completes when its bytes arrive even if this process ends, and messages have no limits. */
final class LinkStream implements ByteStream, MessageHandler {
  /** A write up to this arrives as one read: who takes messages apart need not put them together first. The receiver sets so much aside. */
  private static final int LARGEST_WRITE = 2 << 20;
  /** Bytes that wait for a receiver at which the peer is held back, and those that a message costs besides its own. */
  private static final int MOST_EARLY = 256 << 10;
  private static final int OVERHEAD = 64;
  /** Private data of a connector that sends an empty message as soon as it has the link, see {@link #confirm}. */
  private static final byte CONFIRMS = 1;
  private static final Completable<Void> NOBODY = (v, cause) -> {
  };

  /** Window where a write lasts a round trip to the peer: one large write is under way while the next is prepared. */
  private static final int ROUND_TRIP_WINDOW = 2 * LARGEST_WRITE;

  private final Link link;
  private final SocketAddress local;
  private final Runnable whenClosed;
  private final int window;
  /** Completes with the first message. Fails if the link closes before. Null unless an acceptor waits for it. */
  private Promise<Void> confirmed;
  /** Known before the stream is started. */
  private volatile SocketAddress remote;
  /** Events before there is a receiver. */
  private ArrayDeque<Runnable> early = new ArrayDeque<>();
  private int earlyBytes;
  private Receiver receiver;
  private boolean over;

  /** Makes the handler of a link, on the link's event loop. @param whenClosed runs once when the link has closed */
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

  /** Returns the private data of a connector that calls {@link #confirm}. */
  static byte[] promiseToConfirm() {
    return new byte[] {CONFIRMS};
  }

  /** Confirms that this side uses the link. A connector that has given up meanwhile, and continues by TCP, does not. */
  LinkStream confirm() {
    link.send(Unpooled.EMPTY_BUFFER, null);
    return this;
  }

  /**
   * Waits until the connector of an accepted link has confirmed that it uses the link. The application does not get other links. On the
   * link's event loop, before a message can have arrived.
   *
   * @param data private data of the connector. One without {@link #promiseToConfirm} uses each link that it opened
   * @return fails if the link closes before
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
      // Before they are received: the receiver may hold the peer back itself.
      receiving(true);
    }
    before.forEach(Runnable::run);
  }

  @Override
  public void message(ByteBuf message) {
    completeConfirmation(null);
    if (!message.isReadable()) {
      // No bytes of a stream: what counts those that wait would let any number of such wait.
      message.release();
      return;
    }
    TransportCounters.PROCESS.received(message.readableBytes());
    if (receiver == null) {
      early.add(() -> receiver.received(message));
      earlyBytes += OVERHEAD + message.readableBytes();
      if (earlyBytes > MOST_EARLY) {
        receiving(false);
      }
    } else {
      receiver.received(message);
    }
  }

  /** Completes the wait for the connector. @param cause why the link has closed; null after a message */
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
    over = true;
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
    TransportCounters.PROCESS.sent(bytes.readableBytes());
    link.send(bytes, done);
  }

  @Override
  public boolean begin(int bytes) {
    return link.begin(bytes);
  }

  @Override
  public void append(ByteBuf bytes) {
    TransportCounters.PROCESS.sent(bytes.readableBytes());
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
    if (!over) {
      link.pause(!on);
    }
  }

  @Override
  public void end() {
    if (!over) {
      link.end(NOBODY);
    }
  }

  @Override
  public void closing() {
    if (!over) {
      link.closing();
    }
  }

  @Override
  public void close() {
    if (!over) {
      link.close(NOBODY);
    }
  }

  @Override
  public void abort(String why) {
    if (!over) {
      link.fail(new RdmaException(RdmaException.Reason.CLOSED, why));
    }
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
