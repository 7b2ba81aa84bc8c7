package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.vertx.core.buffer.Buffer;

/** Accepting side of the control handshake. */
final class ControlAccept implements ControlSocket.Handler {
  /** Maximum payload before the peer has proved the secret. */
  static final int UNPROVEN_PAYLOAD = 1 << 10;
  static final int JOIN_PAYLOAD = 65 << 10;

  interface Events {
    NodeEntry self();

    void proven(ControlAccept accept);

    /**
     * Called once.
     *
     * @param why cause of a refusal; null otherwise
     */
    void finished(ControlAccept accept, String why);
  }

  private enum State { HELLO_AWAITED, PROOF_AWAITED, JOIN_AWAITED, FINISHED }

  private final Scheduler scheduler;
  private final ClusterSecret secret;
  private final LinkTable table;
  private final Events events;
  private final ControlSocket socket;
  private State state = State.HELLO_AWAITED;
  private Hello hello;
  private Transcript transcript;
  private long identityNanos;
  private Reason reason = Reason.PROTOCOL;

  ControlAccept(Scheduler scheduler, ClusterSecret secret, ControlPipe net, LinkTable table, Events events) {
    this.scheduler = scheduler;
    this.secret = secret;
    this.table = table;
    this.events = events;
    this.socket = new ControlSocket(net, UNPROVEN_PAYLOAD, this);
  }

  void close(String why) {
    finish(why);
    socket.close();
  }

  @Override
  public void frame(byte type, Buffer payload) {
    try {
      switch (state) {
        case HELLO_AWAITED -> {
          expect(ControlSocket.HELLO, type);
          hello(payload);
        }
        case PROOF_AWAITED -> {
          expect(ControlSocket.CONFIRM, type);
          confirmed(payload);
        }
        case JOIN_AWAITED -> {
          expect(ControlSocket.JOIN, type);
          join(Join.read(transcript.proven(Transcript.JOIN, payload)));
        }
        case FINISHED -> {}
      }
    } catch (IllegalArgumentException e) {
      close(e.getMessage());
    }
  }

  private static void expect(byte due, byte type) {
    if (type != due) {
      throw new IllegalArgumentException("it does not follow the protocol: frame " + type + " where " + due + " was due");
    }
  }

  private void hello(Buffer payload) {
    hello = Hello.read(payload);
    int version = Hello.SPOKEN.common(hello.versions());
    if (version == 0) {
      socket.write(ControlSocket.REFUSE, Hello.refuse());
      throw new IllegalArgumentException(Hello.refusal(hello.versions()));
    }
    Buffer welcome = Hello.welcome(version, scheduler.random());
    transcript = new Transcript(secret, payload, welcome);
    state = State.PROOF_AWAITED;
    socket.write(ControlSocket.WELCOME, welcome);
  }

  private void confirmed(Buffer payload) {
    try {
      transcript.proven(Transcript.CONNECTOR, payload);
    } catch (IllegalArgumentException e) {
      reason = Reason.NOT_AUTHENTIC;
      // The peer may learn the cause, and no more.
      socket.write(ControlSocket.REFUSE, Buffer.buffer());
      throw e;
    }
    state = State.JOIN_AWAITED;
    identityNanos = scheduler.nanoTime();
    events.proven(this);
    socket.limit(JOIN_PAYLOAD);
    socket.write(ControlSocket.IDENTITY, transcript.prove(Transcript.ACCEPTOR, events.self().toBuffer()));
  }

  private void join(Join join) {
    reason = Reason.REJECTED;
    NodeEntry self = events.self();
    if (join.self().nodeId().equals(self.nodeId())) {
      // Its entries and its good-bye would be taken for this node's.
      String why = LinkTable.sameIdMessage(self);
      socket.write(ControlSocket.REFUSE, Buffer.buffer(why));
      close(why);
      return;
    }
    if (!join.wants(self)) {
      socket.write(ControlSocket.REFUSE, Buffer.buffer("node " + self.nodeId() + " is here now"));
      // This node's own id: it has rejoined its cluster since it sent its identity, and the peer learns that and tries again.
      close(join.wanted().equals(self.nodeId()) ? null : "it looks for node " + join.wanted());
      return;
    }
    finish(null);
    Byte refusal = table.refusal(join, identityNanos);
    if (refusal != null) {
      socket.write(refusal, Buffer.buffer());
      socket.close();
      return;
    }
    socket.proven();
    socket.write(ControlSocket.READY, Buffer.buffer().appendByte((byte) (table.hasWrittenOff(join.self()) ? 1 : 0)));
    table.established(new ControlLink(scheduler, socket, join.self(), hello.linkId(), join.writtenOff()));
  }

  String remote() {
    return socket.remote();
  }

  Reason reason() {
    return reason;
  }

  /** Ends without a refusal: of two connections one is closed, and port checks only connect. */
  @Override
  public void closed(Throwable cause) {
    finish(null);
  }

  private void finish(String why) {
    if (state != State.FINISHED) {
      state = State.FINISHED;
      events.finished(this, why);
    }
  }
}
