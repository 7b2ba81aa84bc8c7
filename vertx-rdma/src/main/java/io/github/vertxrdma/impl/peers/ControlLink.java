package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.net.SocketAddress;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/** Control connection with a peer that has proved the secret. Handlers run on the control loop. */
public final class ControlLink {
  private static final int MOST_EPOCHS = 1024;

  private final Scheduler scheduler;
  final ControlSocket socket;
  final boolean dialled;
  private volatile NodeEntry peer;
  final long id;
  /** True if the peer had declared this node dead before this connection. */
  final boolean writtenOff;
  final long establishedNanos;
  private volatile boolean open = true;
  volatile boolean suspected;
  /** True if this node has sent a PING and received nothing since. */
  boolean pinged;
  /** Time of the last PING, moved forward by pauses of this process. */
  long pingedNanos;
  /** Earlier epochs of the peer's process, oldest first. */
  final SequencedSet<Long> formerEpochs = new LinkedHashSet<>();
  private Handler<String> closeHandler;
  private String closeCause;
  /** Time of the last received frame, moved forward by pauses of this process. */
  long receivedNanos;

  ControlLink(Scheduler scheduler, ControlSocket socket, boolean dialled, NodeEntry peer, long id, boolean writtenOff) {
    this.scheduler = scheduler;
    this.socket = socket;
    this.dialled = dialled;
    this.peer = peer;
    this.id = id;
    this.writtenOff = writtenOff;
    establishedNanos = scheduler.nanoTime();
    receivedNanos = establishedNanos;
    pingedNanos = establishedNanos - Heartbeat.CLAIM_NANOS;
  }

  /** Returns the peer's node entry, which a rejoin of the peer replaces. */
  public NodeEntry peer() {
    return peer;
  }

  public String nodeId() {
    return peer.nodeId();
  }

  public long epoch() {
    return peer.epoch();
  }

  /** Returns the peer's address; null if the connection is closed. */
  public SocketAddress remoteAddress() {
    return socket.remoteAddress();
  }

  /** Returns whether the kernel states that the peer is in this network namespace. */
  public boolean isNear() {
    return socket.isNear();
  }

  public boolean isOpen() {
    return open;
  }

  public boolean isSuspected() {
    return suspected;
  }

  /** Sends up to 1 MiB. Messages of one thread arrive in order. Fails if the connection is closed or its queue is full. Any thread. */
  public Future<Void> send(int kind, Buffer message) {
    return send(kind, message, false);
  }

  /** Sends a message even if the write queue is full, for callers that wait for each message. */
  public Future<Void> sendNext(int kind, Buffer message) {
    return send(kind, message, true);
  }

  private Future<Void> send(int kind, Buffer message, boolean waits) {
    if (message.length() > ControlSocket.MAX_PAYLOAD) {
      return Future.failedFuture(new IllegalArgumentException("cannot send a control message of " + message.length() + " bytes: at "
        + "most " + ControlSocket.MAX_PAYLOAD + " are allowed"));
    }
    return LoopCall.on(scheduler, Promise.promise(), promise -> {
      if (!open || !waits && socket.isFull()) {
        promise.fail(new IllegalStateException("the control message to node " + nodeId() + " was not sent: "
          + (open ? "the node does not read the messages that were sent before" : closeCause)));
      } else {
        socket.write(ControlSocket.MESSAGE, Buffer.buffer(1 + message.length()).appendByte((byte) kind).appendBuffer(message))
          .onComplete(promise);
      }
    });
  }

  /** @param handler called once with the cause, even if the connection is already closed */
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

  /** Returns whether the node is the peer, perhaps under another epoch of its process. All this is public, so it proves nothing. */
  boolean isWith(NodeEntry node) {
    return peer.nodeId().equals(node.nodeId()) && (node.epoch() == 0 || peer.epoch() == node.epoch()
      || peer.process().sameProcess(node.process()) && listensAt(node.controlHost(), node.controlPort()));
  }

  /** Returns whether this is the address of the peer's control connections, which only the peer can listen at while it lives. */
  boolean listensAt(String host, int port) {
    return peer.controlPort() == port && peer.controlHost().equals(host);
  }

  void peer(NodeEntry node) {
    formerEpochs.add(peer.epoch());
    formerEpochs.remove(node.epoch());
    peer = node;
    forgetOldest();
  }

  void addEpochs(ControlLink before) {
    formerEpochs.addAll(before.formerEpochs);
    formerEpochs.add(before.epoch());
    formerEpochs.remove(epoch());
    forgetOldest();
  }

  private void forgetOldest() {
    while (formerEpochs.size() > MOST_EPOCHS) {
      formerEpochs.removeFirst();
    }
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
