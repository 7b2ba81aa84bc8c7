package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.impl.link.Refusals;
import io.netty.util.collection.IntObjectHashMap;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.List;

/**
 * A connection with its running calls. Sends and receives their frames. Checks that the states of the connection and its calls allow each
 * received frame.
 */
abstract class CallLink<C extends MessageWriter<?, ?>> {
  static final VersionRange VERSIONS = new VersionRange(1, 1);
  private static final Logger LOG = LoggerFactory.getLogger(CallLink.class);
  private static final Refusals VIOLATIONS = new Refusals(LOG, System::nanoTime);
  /** Maximum time to wait for the SETTINGS frame, which a peer of another protocol never sends. */
  static final int SETTINGS_SECONDS = 10;
  private static final long CLOSE_MILLIS = 5_000;
  /** Maximum number of {@link #pendingAnswers} frames, plus four for each possible call. More close the connection. */
  private static final int MAX_PENDING_ANSWERS = 4_096;
  /** Bytes of frames that a client has not read, above which the server reads no frames of this client until half are read. */
  private static final int MAX_PENDING_BYTES = 4 << 20;
  /** Bytes of received messages that wait for the application, above which no frames are read until half are consumed. */
  private static final int MOST_WAITING_BYTES = 64 << 20;
  /** Waiting bytes that a connection need not add to {@link #ofPeer}, so that short calls need no atomic update. */
  private static final int UNCOUNTED_BYTES = 64 << 10;
  private static final int MOST_CALLS = 65_536;

  final ContextInternal context;
  final RdmaConnection connection;
  final CallFrame.Settings own;
  final IntObjectHashMap<C> calls = new IntObjectHashMap<>();
  private final FrameReader reader;
  private final CallFrameWriter writer = new CallFrameWriter();
  private final OutgoingMemory registered;
  private ConnectionState state = ConnectionState.GREETING;
  private boolean inPlace;
  private RegisteredMessage inFrame;
  /** Number of STATUS and CREDIT frames whose write has not completed. */
  private int pendingAnswers;
  private long maxPendingAnswers;
  /** Bytes of the {@link #pendingAnswers} frames; at a server, of all frames whose write has not completed. */
  private long pendingBytes;
  private long waitingBytes;
  /** Part of {@link #waitingBytes} that was added to {@link #ofPeer}. */
  private long countedBytes;
  private PeerBytes ofPeer;
  private boolean paused;
  private boolean resuming;
  private CallFrame.Settings peer;
  private Throwable failure;
  private volatile Handler<Void> closeHandler;
  private volatile Handler<Throwable> exceptionHandler;

  CallLink(ContextInternal context, RdmaConnection connection, CallFrame.Settings own) {
    this.context = context;
    this.connection = connection;
    this.own = own;
    this.reader = new FrameReader(own.maxMetadata());
    this.registered = new OutgoingMemory(connection::allocate);
  }

  /** Returns the state of a call that is not among {@link #calls}. */
  abstract CallState stateWithoutCall(int number);

  /** Returns the greatest number of the peer's calls that this side has begun. */
  abstract int lastTaken();

  abstract void settingsArrived();

  /** @param cause null if this side closed the connection */
  abstract void ended(Throwable cause);

  /** @throws FrameException to end the connection */
  void frame(CallFrame frame) {
    C call = calls.get(frame.call());
    if (call != null) {
      call.frame(frame);
    }
  }

  /** Sends SETTINGS. Closes the connection if its maximum message size is smaller than this frame. */
  final void greet() {
    ofPeer = PeerBytes.of(nodeId());
    connection.exceptionHandler(cause -> failure = cause).closeHandler(inTasks(v -> end(failure == null ? new RdmaException(
      Reason.CLOSED, "node " + nodeId() + " has closed its connection") : failure)));
    connection.drainHandler(v -> List.copyOf(calls.values()).forEach(Sender::drained));
    connection.handler(inTasks(this::arrived));
    try {
      write(own);
    } catch (UnsentException e) {
      close();
      end(e);
    }
  }

  /** Returns whether a handler may block until later frames arrive. */
  boolean mayAwait() {
    return context.threadingModel() == ThreadingModel.VIRTUAL_THREAD;
  }

  private <M> Handler<M> inTasks(Handler<M> handler) {
    return mayAwait() ? what -> context.runOnContext(v -> handler.handle(what)) : handler;
  }

  /** Calls a handler of the application, in a separate task if the handler may block. */
  static void dispatch(ContextInternal context, Runnable what) {
    if (context.threadingModel() == ThreadingModel.VIRTUAL_THREAD) {
      context.runOnContext(v -> what.run());
    } else {
      what.run();
    }
  }

  static <T> void dispatch(ContextInternal context, T what, Handler<T> handler) {
    if (handler != null) {
      dispatch(context, () -> context.dispatch(what, handler));
    }
  }

  ConnectionState state() {
    return state;
  }

  /** Returns whether the peer's SETTINGS have arrived. */
  boolean hasGreeted() {
    return state != ConnectionState.GREETING;
  }

  CallFrame.Settings peer() {
    return peer;
  }

  /** Returns the id of the peer. Thread-safe. */
  final String nodeId() {
    return connection.remoteNodeId();
  }

  /** Returns the name of the peer with the beginning of its id, or its id. Thread-safe. */
  final String nodeName() {
    String name = connection.remoteNodeName();
    return name.equals(nodeId()) ? name : name + " (" + nodeId().substring(0, Math.min(8, nodeId().length())) + ')';
  }

  final void leave() {
    if (state == ConnectionState.OPEN) {
      state = ConnectionState.LEAVING;
    }
  }

  /** @throws UnsentException if the peer or the connection does not accept the frame, or its message cannot be written */
  Future<Void> write(CallFrame frame) {
    CallFrame.Body body = frame.body();
    int length = body == null ? 0 : body.length();
    if (frame.call() != CallFrame.NO_CALL) {
      check("a message", length, peer.maxMessage());
    }
    check("a frame", length, connection.maxMessageSize());
    Buffer front = writer.front(frame);
    if (frame.call() != CallFrame.NO_CALL) {
      check("metadata", writer.metadataBytes(), peer.maxMetadata());
    }
    long size = (long) front.length() + length;
    check("a frame", size, connection.maxMessageSize());
    RdmaMessage memory = length >= CallFrameWriter.LONG && body.outgoing() != null ? registered.take((int) size) : null;
    if (memory != null) {
      try {
        body.outgoing().writeTo(memory.body().appendBuffer(front));
        writer.sent(front);
      } catch (Throwable e) {
        memory.release();
        throw e;
      }
      return counted(frame, size, connection.write(memory));
    }
    Buffer bytes = CallFrameWriter.append(front, body);
    Future<Void> written = connection.write(bytes);
    if (written.succeeded()) {
      writer.sent(bytes);
      return written;
    }
    return counted(frame, size, written);
  }

  /** Sends GOAWAY, without the reason if the frame would exceed the maximum message size. */
  void goAway(String reason) {
    writeEither(new CallFrame.GoAway(lastTaken(), reason), new CallFrame.GoAway(lastTaken(), ""));
  }

  /** Ends a call with a status, without the text if the frame would exceed the maximum message size. */
  void refuse(int call, GrpcStatus status, String words) {
    writeEither(new CallFrame.Status(call, null, status.code, words, null, null),
      new CallFrame.Status(call, null, status.code, null, null, null));
  }

  private void writeEither(CallFrame preferred, CallFrame shorter) {
    try {
      write(preferred);
    } catch (UnsentException e) {
      write(shorter);
    }
  }

  private Future<Void> counted(CallFrame frame, long size, Future<Void> written) {
    int answers = frame.type() == FrameType.STATUS || frame.type() == FrameType.CREDIT ? 1 : 0;
    if (!written.isComplete() && (answers > 0 || isServer())) {
      pendingAnswers += answers;
      pendingBytes += size;
      pauseIfFull();
      written.onComplete((v, cause) -> {
        pendingAnswers -= answers;
        pendingBytes -= size;
        resumeLater();
      });
    }
    return written;
  }

  void waits(long change) {
    if (state == ConnectionState.CLOSED) {
      return;
    }
    waitingBytes += change;
    long uncounted = waitingBytes - countedBytes;
    if (Math.abs(uncounted) > UNCOUNTED_BYTES || waitingBytes == 0 && uncounted != 0) {
      countedBytes = waitingBytes;
      ofPeer.add(uncounted);
    }
    if (change > 0) {
      pauseIfFull();
    } else {
      resumeLater();
    }
  }

  private void pauseIfFull() {
    if (paused) {
      return;
    }
    if (waitingBytes > MOST_WAITING_BYTES || isServer() && pendingBytes > MAX_PENDING_BYTES) {
      paused = true;
    } else if (countedBytes > 0 && ofPeer.isExceeded()) {
      paused = true;
      ofPeer.await(this);
    }
    if (paused) {
      connection.pause();
    }
  }

  /** Returns true at the server. Only servers stop reading while the peer does not read: two such sides could deadlock. */
  private boolean isServer() {
    return own.maxCalls() > 0;
  }

  private boolean mayResume() {
    return pendingBytes <= MAX_PENDING_BYTES / 2 && waitingBytes <= MOST_WAITING_BYTES / 2 && (countedBytes == 0 || ofPeer.hasRoom(this));
  }

  void resumeLater() {
    if (paused && !resuming && state != ConnectionState.CLOSED && mayResume()) {
      resuming = true;
      // Uses a separate task: resume() delivers frames synchronously, which must not happen during a write or another delivery.
      context.runOnContext(v -> resumeReading());
    }
  }

  private void resumeReading() {
    resuming = false;
    if (paused && mayResume()) {
      paused = false;
      connection.resume();
    }
  }

  private void check(String what, long bytes, int most) {
    if (bytes > most) {
      throw new UnsentException(GrpcStatus.RESOURCE_EXHAUSTED,
        what + " of " + bytes + " bytes: node " + nodeId() + " accepts at most " + most);
    }
  }

  /** Receives messages in registered memory, because a decoder can parse them there. Impossible if a later task handles messages. */
  void receiveInPlace() {
    if (!inPlace && !mayAwait()) {
      inPlace = true;
      connection.messageHandler(this::arrived);
    }
  }

  private void arrived(RdmaMessage message) {
    try {
      arrived(message.body(), message.isZeroCopy());
    } finally {
      if (inFrame != null) {
        inFrame.toHeap();
        inFrame = null;
      }
    }
  }

  /** Sets the message of the current frame. If it is not parsed while the frame is handled, it is then copied to the heap. */
  RegisteredMessage inFrame(RegisteredMessage message) {
    inFrame = message;
    return message;
  }

  private void arrived(Buffer bytes) {
    arrived(bytes, false);
  }

  private void arrived(Buffer bytes, boolean inRegistered) {
    if (state == ConnectionState.CLOSED) {
      return;
    }
    try {
      CallFrame frame = reader.frame(bytes, inRegistered);
      if (!state.frames.contains(frame.type())) {
        throw new FrameException(frame.type() + " is not allowed in state " + state + " of the connection");
      }
      if (frame instanceof CallFrame.Settings settings) {
        settings(settings);
        return;
      }
      if (frame.type() != FrameType.GOAWAY) {
        C known = calls.get(frame.call());
        CallState call = known == null ? stateWithoutCall(frame.call()) : known.state();
        if (!call.frames.contains(frame.type())) {
          throw new FrameException(frame.type() + " is not allowed in state " + call + " of call " + frame.call());
        }
      }
      if (pendingAnswers > maxPendingAnswers) {
        throw new FrameException("it does not read answers, " + pendingAnswers + " are waiting");
      }
      frame(frame);
    } catch (FrameException e) {
      violated(e.getMessage());
    }
  }

  private void settings(CallFrame.Settings settings) {
    if (VERSIONS.common(settings.versions()) == 0) {
      throw new FrameException(VERSIONS.refusal("the peer", "the protocol of calls", settings.versions()));
    }
    peer = settings;
    // A client's SETTINGS have a maximum of 0 calls.
    maxPendingAnswers = MAX_PENDING_ANSWERS + 4L * (isServer() ? own.maxCalls() : Math.min(settings.maxCalls(), MOST_CALLS));
    state = ConnectionState.OPEN;
    settingsArrived();
  }

  private void violated(String words) {
    String message = "node " + nodeId() + " broke the protocol of calls: " + words;
    VIOLATIONS.log(message + "; the connection is closed");
    goAway(words);
    close();
    end(new RdmaException(Reason.PROTOCOL, message));
  }

  final Future<Void> close(Throwable cause) {
    end(cause);
    return close();
  }

  final Future<Void> close() {
    return connection.shutdown(Duration.ofMillis(CLOSE_MILLIS));
  }

  final void end(Throwable cause) {
    if (state != ConnectionState.CLOSED) {
      state = ConnectionState.CLOSED;
      if (ofPeer != null) {
        ofPeer.leave(this, countedBytes);
      }
      ended(cause);
      if (cause != null) {
        dispatch(context, cause, exceptionHandler);
      }
      dispatch(context, null, closeHandler);
    }
  }

  void closeHandler(Handler<Void> handler) {
    closeHandler = handler;
  }

  void exceptionHandler(Handler<Throwable> handler) {
    exceptionHandler = handler;
  }
}
