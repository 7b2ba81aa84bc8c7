package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.github.vertxrdma.impl.loop.Scheduler;
import io.vertx.core.buffer.Buffer;

/**
 * The handshake of the accepting side. It says nothing of this node, holds one short frame and has no answer but a nonce for whoever has
 * not proved the secret. On the control loop.
 */
final class ControlAccept implements ControlSocket.Handler {
  /** Bytes of a frame of somebody who has not proved the secret, at most. */
  static final int STRANGER_PAYLOAD = 1 << 10;
  /** Bytes of a frame of a peer that has proved it and has not joined, at most: those of its node entry, and a few. */
  static final int JOIN_PAYLOAD = 65 << 10;

  /** Hears of a peer. */
  interface Judge {
    NodeEntry self();

    /** It has proved the secret, and has still to say what it wants. */
    void proven(ControlAccept accept);

    /** Said once, whatever became of it. @param why null if it was accepted, or there was one already */
    void finished(ControlAccept accept, String why);
  }

  private enum State { HELLO_AWAITED, PROOF_AWAITED, JOIN_AWAITED, OVER }

  private final Scheduler scheduler;
  private final ClusterSecret secret;
  private final LinkTable table;
  private final Judge judge;
  private final ControlSocket socket;
  private State state = State.HELLO_AWAITED;
  private Hello hello;
  private Transcript transcript;
  private long askedNanos;

  ControlAccept(Scheduler scheduler, ClusterSecret secret, ControlPipe net, LinkTable table, Judge judge) {
    this.scheduler = scheduler;
    this.secret = secret;
    this.table = table;
    this.judge = judge;
    this.socket = new ControlSocket(net, STRANGER_PAYLOAD, this);
  }

  /** Ends it. */
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
          hello(Hello.read(payload));
        }
        case PROOF_AWAITED -> {
          expect(ControlSocket.CONFIRM, type);
          confirmed(payload);
        }
        case JOIN_AWAITED -> {
          expect(ControlSocket.JOIN, type);
          join(Join.read(transcript.proven(Transcript.JOIN, payload)));
        }
        case OVER -> {}
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

  private void hello(Hello read) {
    hello = read;
    Buffer welcome = Buffer.buffer(Hello.newNonce(scheduler.random()));
    transcript = new Transcript(secret, hello.payload(), welcome);
    state = State.PROOF_AWAITED;
    socket.write(ControlSocket.WELCOME, welcome);
  }

  private void confirmed(Buffer payload) {
    try {
      transcript.proven(Transcript.CONNECTOR, payload);
    } catch (IllegalArgumentException e) {
      // So that it can tell its user what is wrong, and no more than that.
      socket.write(ControlSocket.REFUSE, Buffer.buffer());
      throw e;
    }
    state = State.JOIN_AWAITED;
    askedNanos = scheduler.nanoTime();
    judge.proven(this);
    socket.limit(JOIN_PAYLOAD);
    socket.write(ControlSocket.IDENTITY, transcript.prove(Transcript.ACCEPTOR, judge.self().toBuffer()));
  }

  private void join(Join join) {
    NodeEntry self = judge.self();
    if (join.self().nodeId().equals(self.nodeId())) {
      // Entries that it tells of, and its good-bye, would be taken for this node's.
      String why = LinkTable.sameId(self);
      socket.write(ControlSocket.REFUSE, Buffer.buffer(why));
      close(why);
      return;
    }
    if (!join.wants(self)) {
      socket.write(ControlSocket.REFUSE, Buffer.buffer("node " + self.nodeId() + " is here now"));
      close("it looks for node " + join.wanted());
      return;
    }
    finish(null);
    Byte refusal = table.refuse(join, askedNanos);
    if (refusal != null) {
      socket.write(refusal, Buffer.buffer());
      socket.close();
      return;
    }
    socket.proven();
    socket.write(ControlSocket.READY, Buffer.buffer().appendByte((byte) (table.hasWrittenOff(join.self()) ? 1 : 0)));
    table.made(new ControlLink(scheduler, socket, join.self(), hello.linkId(), join.writtenOff()));
  }

  /** Address of the peer, for messages. */
  String remote() {
    return socket.remote();
  }

  /** No refusal: of two nodes that dial each other one gives up its connection, and who looks whether a port is open asks for nothing. */
  @Override
  public void closed(Throwable cause) {
    finish(null);
  }

  private void finish(String why) {
    if (state != State.OVER) {
      state = State.OVER;
      judge.finished(this, why);
    }
  }
}
