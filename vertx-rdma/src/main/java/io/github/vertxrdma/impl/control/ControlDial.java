package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** One attempt to connect to a peer's control address, with the handshake of the connecting side. On the control loop. */
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

  /** Bytes of a frame until the acceptor has proved the secret, with room for its node entry. */
  private static final int IDENTITY_PAYLOAD = 64 << 10;
  /** Times that it dials again where it was hung up on before it was known: others came at the same time, too many for the acceptor. */
  private static final int MOST_HANG_UPS = 5;
  /** Pause before the first of these, about; each is twice as long as the one before. */
  private static final long PAUSE_MILLIS = 50;

  private final ControlHost control;
  private final String host;
  private final int port;
  private final ClusterSecret secret;
  /** Null for whoever is there. */
  private final NodeEntry peer;
  /** Asked when it is known who is there. */
  private final Function<NodeEntry, Join> join;
  private final Hello hello;
  private final Promise<ControlLink> promise = Promise.promise();
  private ControlSocket socket;
  private State state;
  private int connectTimeoutMillis;
  private int hangUps;
  private long connectedNanos;
  private Transcript transcript;
  private NodeEntry found;

  private enum State { WELCOME_AWAITED, IDENTITY_AWAITED, READY_AWAITED }

  /**
   * To a control address.
   *
   * @param peer the node that has to be there; null for whoever is
   * @param join what to say to the node that is there; null if no connection with it is wanted
   */
  ControlDial(ControlHost control, ClusterSecret secret, NodeEntry peer, String host, int port, Function<NodeEntry, Join> join) {
    this.control = control;
    this.secret = secret;
    this.peer = peer;
    this.host = host;
    this.port = port;
    this.join = join;
    this.hello = Hello.make(control.random());
  }

  /** Returns the link, whose socket has this object as its handler until another one is set. Fails also after the timeout. */
  Future<ControlLink> start(int connectMillis, long timeoutMillis) {
    Deadline timer = control.schedule(() -> fail("it did not answer within " + timeoutMillis + " ms"), Math.max(1, timeoutMillis),
      TimeUnit.MILLISECONDS);
    return start(connectMillis).onComplete(done -> timer.cancel());
  }

  /** Does the same without a limit for the handshake: a stopped process answers when it goes on, and its kernel holds the connection. */
  Future<ControlLink> start(int connectMillis) {
    connectTimeoutMillis = connectMillis;
    dial();
    return promise.future();
  }

  /** Returns for how many nanoseconds the last connection has stood, or stood when it ended; 0 if there was none. */
  long stoodNanos() {
    return connectedNanos == 0 ? 0 : control.nanoTime() - connectedNanos;
  }

  private void dial() {
    if (promise.future().isComplete()) {
      return;
    }
    connectedNanos = 0;
    control.connect(host, port, connectTimeoutMillis).onComplete(connected -> {
      if (connected.failed()) {
        promise.tryFail(connected.cause());
      } else {
        connected(connected.result());
      }
    });
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
    connectedNanos = control.nanoTime();
    state = State.WELCOME_AWAITED;
    socket = new ControlSocket(net, IDENTITY_PAYLOAD, this);
    socket.write(ControlSocket.HELLO, hello.payload());
  }

  @Override
  public void frame(byte type, Buffer payload) {
    if (promise.future().isComplete()) {
      return;
    }
    try {
      switch (type) {
        case ControlSocket.WELCOME -> {
          expect(State.WELCOME_AWAITED);
          welcome(payload);
        }
        case ControlSocket.IDENTITY -> {
          expect(State.IDENTITY_AWAITED);
          identified(Join.node(transcript.proven(Transcript.ACCEPTOR, payload)));
        }
        case ControlSocket.READY -> {
          expect(State.READY_AWAITED);
          promise.tryComplete(new ControlLink(control, socket, found, hello.linkId(), payload.length() > 0 && payload.getByte(0) != 0));
        }
        case ControlSocket.DUPLICATE -> {
          expect(State.READY_AWAITED);
          duplicate();
        }
        case ControlSocket.REFUSE -> refused(payload);
        default -> fail("it does not follow the protocol (frame " + type + ")");
      }
    } catch (IllegalArgumentException e) {
      fail(e.getMessage());
    }
  }

  private void expect(State due) {
    if (state != due) {
      throw new IllegalArgumentException("it does not follow the protocol");
    }
  }

  private void welcome(Buffer payload) {
    if (payload.length() != Hello.NONCE_LENGTH) {
      throw new IllegalArgumentException("its answer has " + payload.length() + " bytes");
    }
    transcript = new Transcript(secret, hello.payload(), payload);
    state = State.IDENTITY_AWAITED;
    socket.write(ControlSocket.CONFIRM, transcript.prove(Transcript.CONNECTOR, Buffer.buffer()));
  }

  private void identified(NodeEntry node) {
    found = node;
    if (peer != null && (!found.nodeId().equals(peer.nodeId()) || peer.epoch() != 0 && peer.epoch() != found.epoch())) {
      gone("node " + found.nodeId() + (found.nodeId().equals(peer.nodeId()) ? " is here now under another epoch" : " has its address now"));
      return;
    }
    Join wanted = join.apply(found);
    if (wanted == null) {
      duplicate();
    } else {
      socket.proven();
      state = State.READY_AWAITED;
      socket.write(ControlSocket.JOIN, transcript.prove(Transcript.JOIN, wanted.payload()));
    }
  }

  private void refused(Buffer words) {
    if (state == State.READY_AWAITED) {
      gone("it said: " + words);
    } else {
      fail("it says that this node does not know the cluster secret; give all nodes the same one (" + ClusterSecret.FILE_VARIABLE + ")");
    }
  }

  private void gone(String why) {
    promise.tryFail(new GoneException(failure(why)));
    socket.close();
  }

  private void duplicate() {
    promise.tryFail(new DuplicateException(who()));
    socket.close();
  }

  @Override
  public void closed(Throwable cause) {
    if (state != State.READY_AWAITED && hangUps < MOST_HANG_UPS) {
      long pause = PAUSE_MILLIS << hangUps++;
      // Those that were hung up on at the same time come back at different ones.
      control.schedule(this::dial, pause / 2 + control.random().nextLong(pause), TimeUnit.MILLISECONDS);
      return;
    }
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
