package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
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
final class ClientLink extends CallLink<ClientCall<?, ?>> {
  private final LinkedHashSet<ClientCall<?, ?>> waiting = new LinkedHashSet<>();
  private final Promise<ClientLink> opened;
  /** Called when no call can begin on this connection any more. */
  private final Runnable unlist;
  /** Called when the server accepts no more calls. */
  private final Runnable avoid;
  private final Consumer<ClientLink> closed;
  private int last;
  private volatile int outstanding;
  /** Number of successive checks at which the server was suspected. */
  int suspectedChecks;
  /** True while {@link #beginWaiting} begins waiting calls. A call that ends meanwhile does not begin others. */
  private boolean beginning;

  ClientLink(ContextInternal context, RdmaConnection connection, CallFrame.Settings own, Runnable unlist, Runnable avoid,
    Consumer<ClientLink> closed) {
    super(context, connection, own);
    this.opened = context.promise();
    this.unlist = unlist;
    this.avoid = avoid;
    this.closed = closed;
  }

  /** Completes when the server's SETTINGS have arrived. */
  Future<ClientLink> open() {
    greet();
    Timer late = context.timer(SETTINGS_SECONDS, TimeUnit.SECONDS);
    late.onSuccess(v -> close(new RdmaException(Reason.TIMEOUT, "node " + nodeId() + " sent no greeting within "
      + SETTINGS_SECONDS + " s. Check that it is an RdmaGrpcServer")));
    return opened.future().onComplete(v -> late.cancel());
  }

  /** Thread-safe. */
  int outstanding() {
    return outstanding;
  }

  boolean isOpen() {
    return state() == ConnectionState.OPEN;
  }

  /**
   * Begins a call and returns its number, or 0 if the call must wait. Later calls {@link ClientCall#begin()} when it can begin, or {@link
   * ClientCall#lost} if it cannot begin on this connection.
   */
  int begin(ClientCall<?, ?> call) {
    if (isOpen() && calls.size() < peer().maxCalls()) {
      int number = ++last;
      calls.put(number, call);
      if (last == Integer.MAX_VALUE) {
        leave();
        unlist.run();
      }
      counted();
      return number;
    }
    if (waiting.add(call)) {
      counted();
      if (!isOpen()) {
        // Notifies the call in a separate task, because its sender is still running.
        context.runOnContext(v -> failWaiting(call));
      }
    }
    return 0;
  }

  private void failWaiting(ClientCall<?, ?> call) {
    if (waiting.remove(call)) {
      counted();
      call.lost(new IllegalStateException(
        "cannot begin the call: the connection to node " + nodeId() + " accepts no more calls"), true);
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
    if (mayAwait()) {
      // Uses a separate task, because a listener called by callEnded() may block until its call has begun.
      context.runOnContext(v -> callEnded());
    } else if (!beginning) {
      callEnded();
    }
  }

  private void callEnded() {
    beginWaiting();
    closeIfIdle();
  }

  private void beginWaiting() {
    beginning = true;
    try {
      while (isOpen() && !waiting.isEmpty() && calls.size() < peer().maxCalls()) {
        waiting.removeFirst().begin();
      }
    } finally {
      beginning = false;
    }
  }

  private void closeIfIdle() {
    if (state() == ConnectionState.LEAVING && calls.isEmpty()) {
      close();
      end(null);
    }
  }

  void moveCalls() {
    IllegalStateException cause = new IllegalStateException("node " + nodeId() + " does not answer");
    new ArrayList<>(waiting).forEach(call -> call.moveToOtherServer(cause));
    new ArrayList<>(calls.values()).forEach(call -> call.moveToOtherServer(cause));
  }

  @Override
  CallState stateWithoutCall(int number) {
    return number <= last ? CallState.DONE : CallState.UNUSED;
  }

  @Override
  int lastTaken() {
    return CallFrame.NO_CALL;
  }

  @Override
  void settingsArrived() {
    opened.tryComplete(this);
  }

  @Override
  void frame(CallFrame frame) {
    if (frame instanceof CallFrame.GoAway away) {
      goAway(away);
    } else {
      super.frame(frame);
    }
  }

  private void goAway(CallFrame.GoAway frame) {
    leave();
    unlist.run();
    avoid.run();
    List<ClientCall<?, ?>> refused = new ArrayList<>(waiting);
    waiting.clear();
    for (int number : calls.keySet().stream().mapToInt(Integer::intValue).filter(n -> n > frame.last()).sorted().toArray()) {
      refused.add(calls.remove(number));
    }
    counted();
    String words = "node " + nodeId() + " accepts no more calls"
      + (frame.reason().isEmpty() ? "" : ": " + PeerText.of(frame.reason()));
    refused.forEach(call -> call.lost(new IllegalStateException(words), true));
    closeIfIdle();
  }

  @Override
  void ended(Throwable cause) {
    unlist.run();
    closed.accept(this);
    opened.tryFail(cause == null ? new IllegalStateException("the client was closed") : cause);
    List<ClientCall<?, ?>> begun = new ArrayList<>(calls.values());
    List<ClientCall<?, ?>> notBegun = new ArrayList<>(waiting);
    calls.clear();
    waiting.clear();
    counted();
    begun.forEach(call -> call.lost(cause, false));
    notBegun.forEach(call -> call.lost(cause, true));
  }
}
