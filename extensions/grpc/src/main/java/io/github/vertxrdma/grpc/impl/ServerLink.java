package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaConnection;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Timer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/** A connection at the server, with its running calls. */
final class ServerLink extends CallLink<ServerResponse<?, ?>> {
  /**
   * Maximum number of calls, plus four for each possible call, that clients or deadlines may end within a second. Further calls are
   * refused, because handlers of ended calls may still run.
   */
  private static final int MOST_UNFINISHED = 256;
  private static final long UNFINISHED_MILLIS = 1_000;

  private final ServerImpl server;
  private final Promise<Void> idle;
  private int last;
  private int lastTaken;
  private long unfinished;

  ServerLink(ServerImpl server, ContextInternal context, RdmaConnection connection, CallFrame.Settings own) {
    super(context, connection, own);
    this.server = server;
    this.idle = context.promise();
  }

  /**
   * Accepts no more calls. Completes when GOAWAY is sent and no call is in flight. GOAWAY follows the client's SETTINGS, since calls may be
   * on their way before these arrive.
   */
  Future<Void> leave(String reason) {
    if (state() == ConnectionState.OPEN) {
      leave();
      goAway(reason);
    }
    if (calls.isEmpty() && hasGreeted()) {
      idle.tryComplete();
    }
    if (!hasGreeted()) {
      Timer late = context.timer(SETTINGS_SECONDS, TimeUnit.SECONDS);
      late.onSuccess(v -> idle.tryComplete());
      idle.future().onComplete(v -> late.cancel());
    }
    return idle.future();
  }

  /** Called when a client, a deadline or an invalid message ends a call before its handler does. */
  void unfinished() {
    if (unfinished++ == 0) {
      context.timer(UNFINISHED_MILLIS, TimeUnit.MILLISECONDS).onSuccess(v -> unfinished = 0);
    }
  }

  void done(int number) {
    calls.remove(number);
    if (calls.isEmpty() && state() == ConnectionState.LEAVING) {
      idle.tryComplete();
    }
  }

  @Override
  CallState stateWithoutCall(int number) {
    return number > last ? CallState.NEW : CallState.SERVED;
  }

  @Override
  int lastTaken() {
    return lastTaken;
  }

  @Override
  void settingsArrived() {
    String closing = server.closing();
    if (closing != null) {
      leave(closing);
    }
  }

  @Override
  void frame(CallFrame frame) {
    switch (frame) {
      case CallFrame.Call call -> call(call);
      case CallFrame.GoAway away -> leave();
      default -> super.frame(frame);
    }
  }

  private void call(CallFrame.Call call) {
    last = call.call();
    if (state() != ConnectionState.OPEN) {
      // The client sent this call before it received GOAWAY, which reports the call as not begun.
      return;
    }
    lastTaken = last;
    if (calls.size() >= own.maxCalls()) {
      refuse(last, GrpcStatus.RESOURCE_EXHAUSTED, "more than " + own.maxCalls() + " calls at a time over one connection");
    } else if (unfinished >= MOST_UNFINISHED + 4L * own.maxCalls()) {
      refuse(last, GrpcStatus.RESOURCE_EXHAUSTED, unfinished + " calls over one connection ended within " + UNFINISHED_MILLIS
        + " ms while their handlers still ran: they were cancelled, missed their deadline, or had invalid messages");
    } else if (call.head().metadata() == null) {
      refuse(last, GrpcStatus.RESOURCE_EXHAUSTED, "the metadata of the request have more than " + own.maxMetadata() + " bytes");
    } else if (call.head().encoding() > 1) {
      refuse(last, GrpcStatus.UNIMPLEMENTED, "the messages of this call have an unknown encoding: use identity or gzip");
    } else {
      Method<?, ?> method = server.method(call.path());
      if (method == null) {
        refuse(last, GrpcStatus.UNIMPLEMENTED, "Method not found: " + call.path());
      } else {
        serve(call, method);
      }
    }
  }

  private <Req, Resp> void serve(CallFrame.Call call, Method<Req, Resp> method) {
    ServerRequest<Req, Resp> request = new ServerRequest<>(server, this, context.duplicate(), call, method);
    calls.put(call.call(), request.call());
    request.serve(call, method);
  }

  @Override
  void ended(Throwable cause) {
    server.linkClosed(this);
    ArrayList<ServerResponse<?, ?>> under = new ArrayList<>(calls.values());
    calls.clear();
    under.forEach(ServerResponse::lost);
    idle.tryComplete();
  }
}
