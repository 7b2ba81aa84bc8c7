package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.vertx.core.buffer.Buffer;
import java.util.function.Supplier;

/** Accepting side of a control connection's handshake. */
final class ControlAccept {
  private static final int UNPROVEN_PAYLOAD = 1 << 10;
  private static final int JOIN_PAYLOAD = 65 << 10;

  private enum State {
    HELLO_AWAITED(ControlSocket.HELLO), PROOF_AWAITED(ControlSocket.CONFIRM), JOIN_AWAITED(ControlSocket.JOIN), FINISHED((byte) 0);

    private final byte frame;

    State(byte frame) {
      this.frame = frame;
    }
  }

  private final Scheduler scheduler;
  private final ClusterSecret secret;
  private final Supplier<NodeEntry> self;
  private final LinkTable table;
  private final ControlLinks control;
  final ControlSocket socket;
  private State state = State.HELLO_AWAITED;
  private Hello hello;
  private Transcript transcript;
  private long identityNanos;
  Reason reason = Reason.PROTOCOL;

  ControlAccept(Scheduler scheduler, ClusterSecret secret, Supplier<NodeEntry> self, ControlPipe net, LinkTable table,
    ControlLinks control) {
    this.scheduler = scheduler;
    this.secret = secret;
    this.self = self;
    this.table = table;
    this.control = control;
    this.socket = new ControlSocket(net, UNPROVEN_PAYLOAD, this::frame, this::closed);
  }

  void close(String why) {
    finish(why);
    socket.close();
  }

  private void frame(byte type, Buffer payload) {
    try {
      if (state != State.FINISHED && type != state.frame) {
        throw new IllegalArgumentException("the peer does not follow the protocol: it sent a frame of type " + type + ", but type "
          + state.frame + " was expected");
      }
      switch (state) {
        case HELLO_AWAITED -> hello(payload);
        case PROOF_AWAITED -> confirmed(payload);
        case JOIN_AWAITED -> join(Join.read(transcript.proven(Transcript.JOIN, payload)));
        case FINISHED -> {}
      }
    } catch (IllegalArgumentException e) {
      close(e.getMessage());
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
      // An empty REFUSE shows the peer only that its secret differs.
      socket.write(ControlSocket.REFUSE, Buffer.buffer());
      throw e;
    }
    state = State.JOIN_AWAITED;
    identityNanos = scheduler.nanoTime();
    control.proven(this);
    socket.limit(JOIN_PAYLOAD);
    socket.write(ControlSocket.IDENTITY, transcript.prove(Transcript.ACCEPTOR, self.get().toBuffer()));
  }

  private void join(Join join) {
    reason = Reason.REJECTED;
    NodeEntry me = self.get();
    if (join.self().nodeId().equals(me.nodeId())) {
      // Refuses the peer, because other nodes would take its entries for those of this node.
      String why = LinkTable.sameIdMessage(me);
      socket.write(ControlSocket.REFUSE, Buffer.buffer(why));
      close(why);
      return;
    }
    if (!join.wants(me)) {
      socket.write(ControlSocket.REFUSE, Buffer.buffer("node " + me.nodeId() + " is now at this address"));
      // If the peer wants this node's id, this node rejoined after it sent IDENTITY. This is no error, because the peer tries again.
      close(join.wanted().equals(me.nodeId()) ? null : "the peer looks for node " + join.wanted() + ", which is not at this address");
      return;
    }
    finish(null);
    Byte refusal = table.refusal(join, identityNanos, socket.remote());
    if (refusal != null) {
      socket.write(refusal, Buffer.buffer());
      socket.close();
      return;
    }
    socket.limit(ControlSocket.MAX_PAYLOAD + 1);
    socket.write(ControlSocket.READY, Buffer.buffer().appendByte((byte) (table.hasWrittenOff(join.self()) ? 1 : 0)));
    table.established(new ControlLink(scheduler, socket, false, join.self(), hello.linkId(), join.writtenOff()));
  }

  /** Reports a refusal of a frame, but no end of a connection: of two simultaneous ones one is closed, and port scanners only connect. */
  private void closed(Throwable cause) {
    finish(cause instanceof IllegalArgumentException ? cause.getMessage() : null);
  }

  private void finish(String why) {
    if (state != State.FINISHED) {
      state = State.FINISHED;
      control.finished(this, why);
    }
  }
}
