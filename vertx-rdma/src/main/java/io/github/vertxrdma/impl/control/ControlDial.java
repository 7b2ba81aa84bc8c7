package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.function.Predicate;

/** One attempt to connect to a peer's control address, with the handshake of the connecting side. On the control context. */
final class ControlDial implements ControlSocket.Handler {
  /** The peer has a connection with this node already, or is making the one that counts. */
  static final class DuplicateException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DuplicateException(String who) {
      super(who + " is connected already", null, false, false);
    }
  }

  /** Another node, or another run of it, is at that address: the one that was wanted is gone. */
  static final class GoneException extends RuntimeException {
    private static final long serialVersionUID = 1;

    GoneException(String message) {
      super(message);
    }
  }

  private final Vertx vertx;
  private final Context context;
  private final String host;
  private final int port;
  private final ClusterSecret secret;
  /** Null for whoever is there. */
  private final NodeEntry peer;
  /** Asked when it is known who is there, before anything is confirmed. */
  private final Predicate<NodeEntry> goOn;
  private final Hello hello;
  private final Promise<ControlLink> promise = Promise.promise();
  private ControlSocket socket;
  private Welcome welcome;

  /** To a node that is known. */
  ControlDial(Vertx vertx, Context context, ClusterSecret secret, NodeEntry self, NodeEntry peer, long replaces,
              boolean writtenOff) {
    this(vertx, context, secret, peer, peer.controlHost(), peer.controlPort(), found -> true,
      Hello.make(replaces, writtenOff, peer, self));
  }

  /** To whoever is at an address; the predicate decides whether a connection with that node is wanted. */
  ControlDial(Vertx vertx, Context context, ClusterSecret secret, NodeEntry self, String host, int port, Predicate<NodeEntry> goOn) {
    this(vertx, context, secret, null, host, port, goOn, Hello.make(0, false, null, self));
  }

  private ControlDial(Vertx vertx, Context context, ClusterSecret secret, NodeEntry peer, String host, int port,
                      Predicate<NodeEntry> goOn, Hello hello) {
    this.vertx = vertx;
    this.context = context;
    this.secret = secret;
    this.peer = peer;
    this.host = host;
    this.port = port;
    this.goOn = goOn;
    this.hello = hello;
  }

  /** The link, whose socket has this object as its handler until another one is set; fails also after the timeout. */
  Future<ControlLink> start(ControlTcp tcp, int connectTimeoutMillis, long timeoutMillis) {
    long timer = vertx.setTimer(Math.max(1, timeoutMillis), id -> fail("it did not answer within " + timeoutMillis + " ms"));
    tcp.connect(host, port, connectTimeoutMillis).onComplete(connected -> {
      if (connected.failed()) {
        promise.tryFail(connected.cause());
      } else {
        connected(connected.result());
      }
    });
    return promise.future().onComplete(done -> vertx.cancelTimer(timer));
  }

  /** Gives up; a connection that is made nevertheless is closed. */
  void abandon() {
    fail("it was not needed any more");
  }

  private void connected(ControlPipe net) {
    if (promise.future().isComplete()) {
      net.close();
      return;
    }
    socket = new ControlSocket(net, this);
    socket.write(ControlSocket.HELLO, hello.payload());
  }

  @Override
  public void frame(byte type, Buffer payload) {
    if (promise.future().isComplete()) {
      return;
    }
    switch (type) {
      case ControlSocket.WELCOME -> welcome(payload);
      case ControlSocket.READY -> ready();
      case ControlSocket.DUPLICATE -> {
        duplicate();
      }
      case ControlSocket.REFUSE -> {
        promise.tryFail(new GoneException(failure("it said: " + payload)));
        socket.close();
      }
      default -> fail("it does not follow the protocol (frame " + type + ")");
    }
  }

  private void welcome(Buffer payload) {
    try {
      welcome = Welcome.read(secret, hello, payload);
    } catch (IllegalArgumentException e) {
      fail(e.getMessage());
      return;
    }
    NodeEntry found = welcome.self();
    if (peer != null && (!found.nodeId().equals(peer.nodeId()) || peer.epoch() != 0 && peer.epoch() != found.epoch())) {
      promise.tryFail(new GoneException(failure("node " + found.nodeId() + " has its address now")));
      socket.close();
      return;
    }
    if (!goOn.test(found)) {
      duplicate();
      return;
    }
    socket.proven();
    socket.write(ControlSocket.CONFIRM, Buffer.buffer(welcome.confirmation(secret, hello)));
  }

  private void duplicate() {
    promise.tryFail(new DuplicateException(who()));
    socket.close();
  }

  private void ready() {
    if (welcome == null) {
      fail("it does not follow the protocol");
    } else {
      promise.tryComplete(new ControlLink(context, socket, welcome.self(), hello.linkId()));
    }
  }

  @Override
  public void closed(Throwable cause) {
    promise.tryFail(failure("it closed the connection during the handshake" + (cause == null ? "" : ": " + cause.getMessage())));
  }

  private void fail(String why) {
    if (promise.tryFail(failure(why)) && socket != null) {
      socket.close();
    }
  }

  private String failure(String why) {
    return who() + " at " + host + ':' + port + " cannot be reached: " + why;
  }

  private String who() {
    return peer == null ? "the node" : "node " + peer.nodeId();
  }
}
