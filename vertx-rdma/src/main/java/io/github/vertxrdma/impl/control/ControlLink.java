package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.loop.Scheduler;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.net.SocketAddress;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The control connection with a peer that has proved the secret. {@link #send} may be called from any thread; handlers run on the loop of
 * the control connections, which must not be blocked.
 */
public final class ControlLink {
  private final Scheduler scheduler;
  private final ControlSocket socket;
  private volatile NodeEntry peer;
  private final long id;
  private final boolean anew;
  private final long madeNanos;
  private volatile boolean open = true;
  private volatile boolean suspected;
  /** Whether a PING was sent since the peer was last heard. */
  private boolean asked;
  private final Set<Long> formerEpochs = new LinkedHashSet<>();
  private Handler<String> closeHandler;
  private String closeCause;
  /** When the peer was last heard, in nanoseconds; moved on by what this process itself was not running. */
  private long heardNanos;

  ControlLink(Scheduler scheduler, ControlSocket socket, NodeEntry peer, long id, boolean anew) {
    this.scheduler = scheduler;
    this.socket = socket;
    this.peer = peer;
    this.id = id;
    this.anew = anew;
    madeNanos = scheduler.nanoTime();
    heardNanos = madeNanos;
  }

  /** The peer as it described itself in the handshake, or as the directory has it since it took another epoch. */
  public NodeEntry peer() {
    return peer;
  }

  public String nodeId() {
    return peer.nodeId();
  }

  public long epoch() {
    return peer.epoch();
  }

  /** Returns the address of the peer's end of the connection, or null if it is closed. */
  public SocketAddress remoteAddress() {
    return socket.remoteAddress();
  }

  /** Whether the connection stands. */
  public boolean isOpen() {
    return open;
  }

  /** Whether the peer has been silent for longer than a healthy one is. */
  public boolean isSuspected() {
    return suspected;
  }

  /**
   * Sends a message; messages of one thread arrive in order.
   *
   * @param kind whose it is: what {@link ControlLinks#messageHandler} was set for
   * @param message at most 1 MiB; must not be changed until the future completes
   * @return completes once it is handed to the socket; fails if the connection is closed or the peer does not read
   */
  public Future<Void> send(int kind, Buffer message) {
    return send(kind, message, false);
  }

  /** The same for those who send the next message when this one is handed over: it waits, behind however much. */
  public Future<Void> sendNext(int kind, Buffer message) {
    return send(kind, message, true);
  }

  private Future<Void> send(int kind, Buffer message, boolean waits) {
    if (message.length() > ControlSocket.MAX_PAYLOAD) {
      return Future.failedFuture(new IllegalArgumentException("a control message of " + message.length() + " bytes: at most "
        + ControlSocket.MAX_PAYLOAD));
    }
    Promise<Void> promise = Promise.promise();
    scheduler.execute(() -> {
      if (!open || !waits && socket.isFull()) {
        promise.fail(new IllegalStateException("the control message to node " + nodeId() + " was not sent: "
          + (open ? "the node does not read" : closeCause)));
      } else {
        socket.write(ControlSocket.MESSAGE, Buffer.buffer(1 + message.length()).appendByte((byte) kind).appendBuffer(message))
          .onComplete(promise);
      }
    });
    return promise.future();
  }

  /** Hears once that the connection is closed, and why; at once if it is already. */
  public ControlLink closeHandler(Handler<String> handler) {
    scheduler.execute(() -> {
      closeHandler = handler;
      if (!open) {
        handler.handle(closeCause);
      }
    });
    return this;
  }

  @Override
  public String toString() {
    return "control connection with node " + nodeId();
  }

  /** Whether that is the peer, be it under another epoch after a rejoin. */
  boolean isWith(NodeEntry node) {
    return peer.nodeId().equals(node.nodeId()) && (node.epoch() == 0 || peer.epoch() == node.epoch()
      || peer.process().sameProcess(node.process()));
  }

  /** Whether the peer says that it had written this node off, and has torn down what they shared. */
  boolean isAnew() {
    return anew;
  }

  /** Notes an epoch of the peer's process: its present one, or one that a directory which is late still has. */
  void peer(NodeEntry node) {
    formerEpochs.add(peer.epoch());
    formerEpochs.remove(node.epoch());
    peer = node;
  }

  /** Notes the epochs of the peer's process that the link before this one knew of. */
  void follows(ControlLink before) {
    formerEpochs.addAll(before.formerEpochs);
    formerEpochs.add(before.epoch());
    formerEpochs.remove(epoch());
  }

  /** Other epochs that the peer's process has or had, oldest first. */
  Set<Long> formerEpochs() {
    return formerEpochs;
  }

  long id() {
    return id;
  }

  ControlSocket socket() {
    return socket;
  }

  /** When both ends had agreed on it. */
  long madeNanos() {
    return madeNanos;
  }

  long heardNanos() {
    return heardNanos;
  }

  void heardNanos(long nanos) {
    heardNanos = nanos;
  }

  boolean isAsked() {
    return asked;
  }

  void asked(boolean is) {
    asked = is;
  }

  void suspected(boolean is) {
    suspected = is;
  }

  void closed(String cause) {
    if (open) {
      open = false;
      closeCause = cause;
      if (closeHandler != null) {
        closeHandler.handle(cause);
      }
    }
  }
}
