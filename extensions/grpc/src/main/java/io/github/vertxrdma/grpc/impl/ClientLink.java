package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.netty.util.collection.IntObjectHashMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Timer;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A connection at the client, with its running and waiting calls. */
final class ClientLink implements FrameChannel.Side {
  /** Maximum time to wait for the SETTINGS frame, which a server of another protocol never sends. */
  private static final int GREETING_SECONDS = 10;

  final FrameChannel channel;
  private final IntObjectHashMap<ClientCall<?, ?>> calls = new IntObjectHashMap<>();
  private final LinkedHashSet<ClientCall<?, ?>> waiting = new LinkedHashSet<>();
  private final Promise<ClientLink> greeted;
  /** Called when no call can begin on this connection any more. */
  private final Runnable left;
  private final Runnable away;
  private final Consumer<ClientLink> closed;
  private int last;
  private volatile int outstanding;
  /** Number of successive timer checks at which the server was suspected. */
  int silentLooks;
  /** True while {@link #givePlaces} begins waiting calls. A call that ends meanwhile does not begin others. */
  private boolean giving;

  ClientLink(ContextInternal context, RdmaConnection connection, CallFrame.Settings own, Runnable left, Runnable away,
    Consumer<ClientLink> closed) {
    this.channel = new FrameChannel(context, connection, own, this);
    this.greeted = context.promise();
    this.left = left;
    this.away = away;
    this.closed = closed;
  }

  /** Completes when the server's SETTINGS have arrived. */
  Future<ClientLink> open() {
    channel.open();
    Timer late = channel.context.timer(GREETING_SECONDS, TimeUnit.SECONDS);
    late.onSuccess(v -> close(new RdmaException(Reason.TIMEOUT, "node " + channel.connection.remoteNodeId() + " sent no greeting within "
      + GREETING_SECONDS + " s. Check that it is an RdmaGrpcServer")));
    return greeted.future().onComplete(v -> late.cancel());
  }

  /** Thread-safe. */
  int outstanding() {
    return outstanding;
  }

  boolean isOpen() {
    return channel.state() == ConnectionState.OPEN;
  }

  /**
   * Begins a call and returns its number, or 0 if the call must wait. Later calls {@link ClientCall#pump} when it can begin, or {@link
   * ClientCall#lost} if it cannot begin on this connection.
   */
  int begin(ClientCall<?, ?> call) {
    if (isOpen() && calls.size() < channel.peer().maxCalls()) {
      int number = ++last;
      calls.put(number, call);
      if (last == Integer.MAX_VALUE) {
        leave();
      }
      counted();
      return number;
    }
    if (waiting.add(call)) {
      counted();
      if (!isOpen()) {
        // Notifies the call in a separate task, because its sender is still running.
        channel.context.runOnContext(v -> leftBehind(call));
      }
    }
    return 0;
  }

  private void leftBehind(ClientCall<?, ?> call) {
    if (waiting.remove(call)) {
      counted();
      call.lost(
        new IllegalStateException(
          "cannot begin the call: the connection to node " + channel.connection.remoteNodeId() + " accepts no more calls"),
        true);
    }
  }

  private void counted() {
    outstanding = calls.size() + waiting.size();
  }

  void done(ClientCall<?, ?> call, int number) {
    if (number == 0) {
      waiting.remove(call);
    } else {
      calls.remove(number);
    }
    counted();
    if (channel.mayAwait()) {
      // Uses a separate task, because a listener called by goOn() may block until its call has begun.
      channel.context.runOnContext(v -> goOn());
    } else if (!giving) {
      goOn();
    }
  }

  private void goOn() {
    givePlaces();
    closeIfIdle();
  }

  private void givePlaces() {
    giving = true;
    try {
      while (isOpen() && !waiting.isEmpty() && calls.size() < channel.peer().maxCalls()) {
        waiting.removeFirst().pump();
      }
    } finally {
      giving = false;
    }
  }

  private void closeIfIdle() {
    if (channel.state() == ConnectionState.LEAVING && calls.isEmpty()) {
      channel.close();
      channel.end(null);
    }
  }

  private void leave() {
    channel.leave();
    left.run();
  }

  /** Thread-safe. */
  String nodeId() {
    return channel.connection.remoteNodeId();
  }

  void callsElsewhere() {
    IllegalStateException cause = new IllegalStateException("node " + nodeId() + " does not answer");
    new ArrayList<>(waiting).forEach(call -> call.elsewhere(cause));
    new ArrayList<>(calls.values()).forEach(call -> call.elsewhere(cause));
  }

  Future<Void> close(Throwable cause) {
    channel.end(cause);
    return channel.close();
  }

  @Override
  public CallState stateOf(int number) {
    ClientCall<?, ?> call = calls.get(number);
    return call != null ? call.state() : number <= last ? CallState.DONE : CallState.UNUSED;
  }

  @Override
  public int lastTaken() {
    return CallFrame.NO_CALL;
  }

  @Override
  public void greeted() {
    greeted.tryComplete(this);
  }

  @Override
  public void frame(CallFrame frame) {
    if (frame instanceof CallFrame.GoAway away) {
      goAway(away);
      return;
    }
    ClientCall<?, ?> call = calls.get(frame.call());
    if (call != null) {
      call.frame(frame);
    }
  }

  private void goAway(CallFrame.GoAway frame) {
    leave();
    away.run();
    List<ClientCall<?, ?>> elsewhere = new ArrayList<>(waiting);
    waiting.clear();
    for (int number : calls.keySet().stream().mapToInt(Integer::intValue).filter(n -> n > frame.last()).sorted().toArray()) {
      elsewhere.add(calls.remove(number));
    }
    counted();
    String words = "node " + channel.connection.remoteNodeId() + " accepts no more calls"
      + (frame.reason().isEmpty() ? "" : ": " + PeerText.of(frame.reason()));
    elsewhere.forEach(call -> call.lost(new IllegalStateException(words), true));
    closeIfIdle();
  }

  @Override
  public void drained() {
    new ArrayList<>(calls.values()).forEach(call -> call.request.sender.drained());
  }

  @Override
  public void ended(Throwable cause) {
    left.run();
    closed.accept(this);
    greeted.tryFail(cause == null ? new IllegalStateException("the client was closed") : cause);
    List<ClientCall<?, ?>> begun = new ArrayList<>(calls.values());
    List<ClientCall<?, ?>> notBegun = new ArrayList<>(waiting);
    calls.clear();
    waiting.clear();
    counted();
    begun.forEach(call -> call.lost(cause, false));
    notBegun.forEach(call -> call.lost(cause, true));
  }
}
