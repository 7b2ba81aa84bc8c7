package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaMessage;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;

/** Frames over a connection: the greeting, the table of states, the end. Confined to the context of the connection. */
final class FrameChannel {
  static final int VERSION = 1;
  private static final Logger LOG = LoggerFactory.getLogger(FrameChannel.class);
  /** The time that a close waits for the peer. */
  private static final long CLOSE_MILLIS = 5_000;
  /** Answers and credits that wait for a peer to take them, beside four for each call that may be under way. */
  private static final int MOST_UNTAKEN = 4_096;
  /** Bytes that wait for a client to take them, beyond which none of its frames are read until half of that is taken. */
  private static final int MOST_UNTAKEN_BYTES = 4 << 20;
  /** Calls that a server may say that it takes, and be believed in that. */
  private static final int MOST_CALLS = 65_536;

  /** The client's or the server's side of a connection. */
  interface Side {
    /** The state of a call that the peer names. */
    CallState stateOf(int call);

    /** The greatest number of a call of the peer that this side has looked at. */
    int lastTaken();

    /** The peer's settings have come. */
    void greeted();

    /** A frame that has a meaning; a {@link FrameException} ends the connection. */
    void frame(Frame frame);

    /** There is room for messages again. */
    void drained();

    /** The connection is over. @param cause null if this side closed it */
    void over(Throwable cause);
  }

  final ContextInternal context;
  final RdmaConnection connection;
  final Frame.Settings own;
  private final Side side;
  private final FrameReader reader;
  private final FrameWriter writer = new FrameWriter();
  private final OutgoingMemory registered;
  private ConnectionState state = ConnectionState.GREETING;
  private boolean inPlace;
  /** Answers and credits, which the peer has drawn from this side and the fabric has not taken. */
  private int untaken;
  private long mostUntaken;
  /** Bytes of these, and of what a server has written else. */
  private long untakenBytes;
  /** Whether the client is held back until it takes them. */
  private boolean held;
  private Frame.Settings peer;
  private Throwable failure;
  private volatile Handler<Void> closeHandler;
  private volatile Handler<Throwable> exceptionHandler;

  FrameChannel(ContextInternal context, RdmaConnection connection, Frame.Settings own, Side side) {
    this.context = context;
    this.connection = connection;
    this.own = own;
    this.side = side;
    this.reader = new FrameReader(own.maxMetadata());
    this.registered = new OutgoingMemory(connection::allocate);
  }

  /** Greets, and hears what comes. Closes a connection that cannot take the greeting: frames that end calls and connections are shorter. */
  void open() {
    connection.exceptionHandler(cause -> failure = cause).closeHandler(apart(v -> over(failure == null ? new RdmaException(
      Reason.CONNECTION_LOST, "node " + connection.remoteNodeId() + " has closed its connection") : failure)));
    connection.drainHandler(v -> side.drained());
    connection.handler(apart(this::arrived));
    try {
      write(own);
    } catch (UnsentException e) {
      close();
      over(e);
    }
  }

  /** Whether who hears of something may wait there for frames that come later. */
  boolean mayAwait() {
    return context.threadingModel() == ThreadingModel.VIRTUAL_THREAD;
  }

  /** Takes what comes, the end too, in its turn, and in a task of its own if the next may have to come before it is done. */
  private <M> Handler<M> apart(Handler<M> handler) {
    return mayAwait() ? what -> context.runOnContext(v -> handler.handle(what)) : handler;
  }

  /** Tells an application of something; in a task of its own, if it may wait there for what is told next. */
  static void tell(ContextInternal context, Runnable what) {
    if (context.threadingModel() == ThreadingModel.VIRTUAL_THREAD) {
      context.runOnContext(v -> what.run());
    } else {
      what.run();
    }
  }

  /** Tells a handler so. @param handler null if nobody listens */
  static <T> void tell(ContextInternal context, T what, Handler<T> handler) {
    if (handler != null) {
      tell(context, () -> context.dispatch(what, handler));
    }
  }

  ConnectionState state() {
    return state;
  }

  /** Null until they have come. */
  Frame.Settings peer() {
    return peer;
  }

  /** No call begins from now on. */
  void leave() {
    if (state == ConnectionState.OPEN) {
      state = ConnectionState.LEAVING;
    }
  }

  /** @throws UnsentException if the peer or the connection does not take it, or its message cannot be written */
  Future<Void> write(Frame frame) {
    if (frame.call() != Frame.NO_CALL) {
      check("metadata", frame.metadata(), peer.maxMetadata());
      check("a message", frame.body() == null ? 0 : frame.body().length(), peer.maxMessage());
    }
    long size = FrameWriter.size(frame);
    check("a frame", size, connection.maxMessageSize());
    RdmaMessage memory = size >= FrameWriter.LONG && frame.body() != null && frame.body().outgoing() != null ? registered.take((int) size)
      : null;
    if (memory != null) {
      try {
        FrameWriter.append(memory.body(), frame);
      } catch (Throwable e) {
        memory.release();
        throw e;
      }
      return counted(frame, size, connection.write(memory));
    }
    Buffer bytes = writer.bytes(frame);
    Future<Void> written = connection.write(bytes);
    if (written.succeeded()) {
      writer.sent(bytes);
      return written;
    }
    return counted(frame, size, written);
  }

  /** Says that no more calls are looked at; without the reason if the peer takes no message of that length. */
  void goAway(String reason) {
    Frame away = new Frame.GoAway(side.lastTaken(), reason);
    write(fits(away) ? away : new Frame.GoAway(side.lastTaken(), ""));
  }

  /** Ends a call that is served with a status; without the words if the peer takes no message of that length. */
  void refuse(int call, GrpcStatus status, String words) {
    Frame refusal = new Frame.Status(call, null, status.code, words, null, null);
    write(fits(refusal) ? refusal : new Frame.Status(call, null, status.code, null, null, null));
  }

  private boolean fits(Frame frame) {
    return FrameWriter.size(frame) <= connection.maxMessageSize();
  }

  private Future<Void> counted(Frame frame, long size, Future<Void> written) {
    int answers = frame.type() == FrameType.STATUS || frame.type() == FrameType.CREDIT ? 1 : 0;
    if (!written.isComplete() && (answers > 0 || isServer())) {
      untaken += answers;
      untakenBytes += size;
      if (isServer() && untakenBytes > MOST_UNTAKEN_BYTES && !held) {
        held = true;
        connection.pause();
      }
      written.onComplete((v, cause) -> taken(answers, size));
    }
    return written;
  }

  /** Whether clients call over it. A server alone holds its peer back: if a client did so too, each might wait for the other. */
  private boolean isServer() {
    return own.maxCalls() > 0;
  }

  private void taken(int answers, long bytes) {
    untaken -= answers;
    untakenBytes -= bytes;
    if (held && untakenBytes <= MOST_UNTAKEN_BYTES / 2) {
      // Not from within a write, which may complete others: frames that wait are delivered at once.
      context.runOnContext(v -> goOn());
    }
  }

  private void goOn() {
    if (held && untakenBytes <= MOST_UNTAKEN_BYTES / 2) {
      held = false;
      connection.resume();
    }
  }

  private void check(String what, long bytes, int most) {
    if (bytes > most) {
      throw new UnsentException(GrpcStatus.RESOURCE_EXHAUSTED,
        what + " of " + bytes + " bytes: node " + connection.remoteNodeId() + " takes at most "
          + most);
    }
  }

  /** Lets long messages from now on come in registered memory: there is somebody who parses them there. */
  void receiveInPlace() {
    if (!inPlace) {
      inPlace = true;
      Handler<RdmaMessage> handler = apart(this::arrived);
      connection.messageHandler(message -> handler.handle(message.retain()));
    }
  }

  private void arrived(RdmaMessage message) {
    FrameMemory memory = message.isZeroCopy() ? new FrameMemory(message) : null;
    try {
      arrived(message.body(), memory);
    } finally {
      if (memory != null) {
        memory.release();
      }
    }
  }

  private void arrived(Buffer bytes) {
    arrived(bytes, null);
  }

  private void arrived(Buffer bytes, FrameMemory memory) {
    if (state == ConnectionState.CLOSED) {
      return;
    }
    try {
      Frame frame = reader.frame(bytes, memory);
      if (!state.frames.contains(frame.type())) {
        throw new FrameException(frame.type() + " out of turn (" + state + ')');
      }
      if (frame instanceof Frame.Settings settings) {
        greeted(settings);
        return;
      }
      if (frame.type() != FrameType.GOAWAY) {
        CallState call = side.stateOf(frame.call());
        if (!call.frames.contains(frame.type())) {
          throw new FrameException(frame.type() + " out of turn (call " + frame.call() + " is " + call + ')');
        }
      }
      if (untaken > mostUntaken) {
        throw new FrameException("it takes no answers: " + untaken + " wait");
      }
      side.frame(frame);
    } catch (FrameException e) {
      violated(e.getMessage());
    }
  }

  private void greeted(Frame.Settings settings) {
    if (settings.lowest() > VERSION || settings.highest() < VERSION) {
      throw new FrameException(
        "it speaks versions " + settings.lowest() + " to " + settings.highest() + " of calls, and this node " + VERSION);
    }
    peer = settings;
    // A client takes no calls.
    mostUntaken = MOST_UNTAKEN + 4L * (isServer() ? own.maxCalls() : Math.min(settings.maxCalls(), MOST_CALLS));
    state = ConnectionState.OPEN;
    side.greeted();
  }

  private void violated(String words) {
    String message = "node " + connection.remoteNodeId() + " broke the protocol of calls: " + words;
    LOG.warn(message + "; the connection is closed");
    goAway(words);
    close();
    over(new RdmaException(Reason.PROTOCOL, message));
  }

  Future<Void> close() {
    return connection.shutdown(Duration.ofMillis(CLOSE_MILLIS));
  }

  /** Ends all that goes over it. */
  void over(Throwable cause) {
    if (state != ConnectionState.CLOSED) {
      state = ConnectionState.CLOSED;
      side.over(cause);
      if (cause != null) {
        tell(context, cause, exceptionHandler);
      }
      tell(context, null, closeHandler);
    }
  }

  void closeHandler(Handler<Void> handler) {
    closeHandler = handler;
  }

  void exceptionHandler(Handler<Throwable> handler) {
    exceptionHandler = handler;
  }
}
