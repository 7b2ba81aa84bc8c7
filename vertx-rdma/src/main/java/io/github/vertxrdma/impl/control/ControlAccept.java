package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.security.MessageDigest;

/** The handshake of the accepting side. On the control context. */
final class ControlAccept implements ControlSocket.Handler {
  private static final Logger LOG = LoggerFactory.getLogger(ControlAccept.class);

  /** What decides about a peer that has proved the secret. */
  interface Judge {
    NodeEntry self();

    /** @return null to take the link, or {@link ControlSocket#DUPLICATE} */
    Byte refuse(Hello hello);

    void accepted(ControlLink link, Hello hello);

    /** Said once, whatever became of it. */
    void finished(ControlAccept accept);
  }

  private final Context context;
  private final ClusterSecret secret;
  private final Judge judge;
  private final ControlSocket socket;
  private Hello hello;
  private Welcome welcome;
  private boolean finished;

  ControlAccept(Context context, ClusterSecret secret, ControlPipe net, Judge judge) {
    this.context = context;
    this.secret = secret;
    this.judge = judge;
    this.socket = new ControlSocket(net, this);
  }

  void close() {
    finish();
    socket.close();
  }

  @Override
  public void frame(byte type, Buffer payload) {
    if (finished) {
      return;
    }
    if (type == ControlSocket.HELLO && hello == null) {
      hello(payload);
    } else if (type == ControlSocket.CONFIRM && welcome != null) {
      confirm(payload);
    } else {
      close();
    }
  }

  private void hello(Buffer payload) {
    NodeEntry self = judge.self();
    try {
      hello = Hello.read(payload);
    } catch (IllegalArgumentException e) {
      LOG.warn("A control connection from " + socket.remote() + " was refused: " + e.getMessage());
      close();
      return;
    }
    if (!hello.wants(self)) {
      socket.write(ControlSocket.REFUSE, Buffer.buffer("node " + self.nodeId() + " is here now"));
      close();
      return;
    }
    welcome = Welcome.make(secret, hello, self);
    socket.write(ControlSocket.WELCOME, welcome.payload());
  }

  private void confirm(Buffer proof) {
    if (!MessageDigest.isEqual(welcome.confirmation(secret, hello), proof.getBytes())) {
      LOG.warn("A control connection from " + socket.remote() + " was refused: the peer, which calls itself node " + hello.self().nodeId()
        + ", does not know the cluster secret");
      close();
      return;
    }
    finish();
    Byte refusal = judge.refuse(hello);
    if (refusal != null) {
      socket.write(refusal, Buffer.buffer());
      socket.close();
      return;
    }
    socket.proven();
    socket.write(ControlSocket.READY, Buffer.buffer());
    judge.accepted(new ControlLink(context, socket, hello.self(), hello.linkId()), hello);
  }

  @Override
  public void closed(Throwable cause) {
    finish();
  }

  private void finish() {
    if (!finished) {
      finished = true;
      judge.finished(this);
    }
  }
}
