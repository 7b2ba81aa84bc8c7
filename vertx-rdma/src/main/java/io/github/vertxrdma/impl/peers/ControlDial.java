package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Connecting side of a control connection's handshake. */
final class ControlDial {
  /** Failure because the peer's own connection or attempt is used instead. */
  static final class DuplicateException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DuplicateException(String peerName) {
      super(peerName + " already has a connection with this node's id", null, false, false);
    }
  }

  /** Failure because another node or epoch answered at the address. */
  static final class ReplacedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ReplacedException(String message) {
      super(message);
    }
  }

  /** Failure because the peer closed the connection during the handshake: its process has probably ended. */
  static final class ClosedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ClosedException(String message) {
      super(message, null, false, false);
    }
  }

  private static final int IDENTITY_PAYLOAD = 64 << 10;
  /** Maximum attempts if the acceptor closes connections early because it has too many. */
  private static final int ATTEMPTS = 6;
  private static final String NO_ANSWER = "the peer did not answer within ";

  private final ControlHost control;
  private final String host;
  private final int port;
  private final ClusterSecret secret;
  private final NodeEntry peer;
  private final Function<NodeEntry, Join> join;
  private final Hello hello;
  private final Attempts attempts;
  private final Promise<ControlLink> promise = Promise.promise();
  private ControlSocket socket;
  private State state;
  private int connectTimeoutMillis;
  private long connectedNanos;
  private Transcript transcript;
  private NodeEntry found;

  private enum State { WELCOME_AWAITED, IDENTITY_AWAITED, READY_AWAITED }

  /** A {@code peer} of null is any node. {@code join} returns null if no connection is needed, which ends this attempt. */
  ControlDial(ControlHost control, ClusterSecret secret, NodeEntry peer, String host, int port, Function<NodeEntry, Join> join) {
    this.control = control;
    this.secret = secret;
    this.peer = peer;
    this.host = host;
    this.port = port;
    this.join = join;
    this.hello = Hello.make(control.random());
    this.attempts = new Attempts(
      new Attempts.Limits(ATTEMPTS, Duration.ofMillis(50), Duration.ofSeconds(1), () -> control.random().nextDouble()));
  }

  /** Completes with the link, whose socket still has the handlers of this object. The caller replaces them. */
  Future<ControlLink> start(int connectMillis, long timeoutMillis) {
    Deadline timer = control.schedule(() -> fail(NO_ANSWER + timeoutMillis + " ms"), Math.max(1, timeoutMillis), TimeUnit.MILLISECONDS);
    return start(connectMillis).onComplete(done -> timer.cancel());
  }

  /** Starts without a time limit for the handshake, because a stopped process may continue. */
  Future<ControlLink> start(int connectMillis) {
    connectTimeoutMillis = connectMillis;
    dial();
    return promise.future();
  }

  /** Returns whether the failure is a missing answer, so that the peer's process may live. */
  static boolean isNoAnswer(Throwable cause) {
    return cause instanceof IOException && !(cause instanceof ConnectException) || String.valueOf(cause.getMessage()).contains(NO_ANSWER);
  }

  long nanosSinceConnected() {
    return connectedNanos == 0 ? 0 : control.nanoTime() - connectedNanos;
  }

  private void dial() {
    if (promise.future().isComplete()) {
      return;
    }
    connectedNanos = 0;
    control.connect(host, port, connectTimeoutMillis).onSuccess(this::connected).onFailure(promise::tryFail);
  }

  void cancel() {
    fail("the connection is no longer needed");
  }

  private void connected(ControlPipe net) {
    if (promise.future().isComplete()) {
      net.close();
      return;
    }
    connectedNanos = control.nanoTime();
    state = State.WELCOME_AWAITED;
    socket = new ControlSocket(net, IDENTITY_PAYLOAD, this::frame, this::closed);
    socket.write(ControlSocket.HELLO, hello.payload());
  }

  private void frame(byte type, Buffer payload) {
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
          boolean writtenOff = payload.length() > 0 && payload.getByte(0) != 0;
          promise.tryComplete(new ControlLink(control, socket, true, found, hello.linkId(), writtenOff));
        }
        case ControlSocket.DUPLICATE -> {
          expect(State.READY_AWAITED);
          end(new DuplicateException(peerName()));
        }
        case ControlSocket.REFUSE -> refused(payload);
        default -> fail("the peer does not follow the protocol: it sent a frame of type " + type);
      }
    } catch (IllegalArgumentException e) {
      fail(e.getMessage());
    }
  }

  private void expect(State due) {
    if (state != due) {
      throw new IllegalArgumentException("the peer does not follow the protocol");
    }
  }

  private void welcome(Buffer payload) {
    VersionRange chosen = Hello.read(payload).versions();
    if (Hello.SPOKEN.common(chosen) == 0) {
      throw new IllegalArgumentException(Hello.refusal(chosen));
    }
    transcript = new Transcript(secret, hello.payload(), payload);
    state = State.IDENTITY_AWAITED;
    socket.write(ControlSocket.CONFIRM, transcript.prove(Transcript.CONNECTOR, Buffer.buffer()));
  }

  private void identified(NodeEntry node) {
    found = node;
    boolean isSameId = peer == null || node.nodeId().equals(peer.nodeId());
    if (!isSameId || peer != null && peer.epoch() != 0 && peer.epoch() != node.epoch()) {
      String how = isSameId ? " has restarted at this address" : " is now at this address";
      end(new ReplacedException(failure("node " + node.nodeId() + how)));
      return;
    }
    Join wanted = join.apply(node);
    if (wanted == null) {
      end(new DuplicateException(peerName()));
    } else {
      socket.limit(ControlSocket.MAX_PAYLOAD + 1);
      state = State.READY_AWAITED;
      socket.write(ControlSocket.JOIN, transcript.prove(Transcript.JOIN, wanted.payload()));
    }
  }

  private void refused(Buffer text) {
    switch (state) {
      case WELCOME_AWAITED -> fail(Hello.refusal(VersionRange.of(Cursor.reading("a refusal", text.getBytes()).u16())));
      case IDENTITY_AWAITED -> fail("the peer answers that this node does not know the cluster secret. Give all nodes the same secret ("
        + ClusterSecret.FILE_VARIABLE + ")");
      case READY_AWAITED -> end(new ReplacedException(failure("the peer refused: " + ControlSocket.text(text))));
    }
  }

  private void end(RuntimeException cause) {
    promise.tryFail(cause);
    socket.close();
  }

  private void closed(Throwable cause) {
    if (cause instanceof IllegalArgumentException) {
      fail(cause.getMessage());
      return;
    }
    if (state != State.READY_AWAITED && attempts.isLeft()) {
      control.schedule(this::dial, attempts.pauseMillis(), TimeUnit.MILLISECONDS);
      return;
    }
    promise.tryFail(new ClosedException(
      failure("the peer closed the connection during the handshake" + (cause == null ? "" : ": " + cause.getMessage()))));
  }

  private void fail(String why) {
    if (promise.tryFail(failure(why)) && socket != null) {
      socket.close();
    }
  }

  private String failure(String why) {
    return peerName() + " at " + host + ':' + port + " cannot be reached: " + why;
  }

  private String peerName() {
    return peer == null ? "the node" : "node " + peer.nodeId();
  }
}
