package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaConnection;
import io.netty.util.collection.IntObjectHashMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

/** A connection at the server, with its running calls. */
final class ServerLink implements FrameChannel.Side {
  /**
   * Maximum number of calls, plus four for each possible call, that clients or deadlines may end within a second. Further calls are
   * refused, because handlers of ended calls may still run.
   */
  private static final int MOST_UNFINISHED = 256;
  private static final long UNFINISHED_MILLIS = 1_000;

  private final ServerImpl server;
  final FrameChannel channel;
  private final IntObjectHashMap<ServerResponse<?, ?>> calls = new IntObjectHashMap<>();
  private final Promise<Void> idle;
  private int last;
  private int lastTaken;
  private long unfinished;

  ServerLink(ServerImpl server, ContextInternal context, RdmaConnection connection, CallFrame.Settings own) {
    this.server = server;
    this.channel = new FrameChannel(context, connection, own, this);
    this.idle = context.promise();
  }

  /** Accepts no more calls. Completes when no call is in flight. */
  Future<Void> leave(String reason) {
    if (channel.state() == ConnectionState.OPEN) {
      channel.leave();
      channel.goAway(reason);
    }
    if (calls.isEmpty()) {
      idle.tryComplete();
    }
    return idle.future();
  }

  Future<Void> close(Throwable cause) {
    channel.end(cause);
    return channel.close();
  }

  /** Called when a client, a deadline or an invalid message ends a call before its handler does. */
  void unfinished() {
    if (unfinished++ == 0) {
      channel.context.timer(UNFINISHED_MILLIS, TimeUnit.MILLISECONDS).onSuccess(v -> unfinished = 0);
    }
  }

  void done(int number) {
    calls.remove(number);
    if (calls.isEmpty() && channel.state() == ConnectionState.LEAVING) {
      idle.tryComplete();
    }
  }

  @Override
  public CallState stateOf(int number) {
    if (number > last) {
      return CallState.NEW;
    }
    ServerResponse<?, ?> call = calls.get(number);
    return call == null ? CallState.SERVED : call.state();
  }

  @Override
  public int lastTaken() {
    return lastTaken;
  }

  @Override
  public void settingsArrived() {
    String closing = server.closing();
    if (closing != null) {
      leave(closing);
    }
  }

  @Override
  public void frame(CallFrame frame) {
    switch (frame) {
      case CallFrame.Call call -> call(call);
      case CallFrame.GoAway away -> channel.leave();
      default -> {
        ServerResponse<?, ?> call = calls.get(frame.call());
        if (call != null) {
          call.frame(frame);
        }
      }
    }
  }

  private void call(CallFrame.Call call) {
    last = call.call();
    if (channel.state() != ConnectionState.OPEN) {
      // The client sent this call before it received GOAWAY, which reports the call as not begun.
      return;
    }
    lastTaken = last;
    if (calls.size() >= channel.own.maxCalls()) {
      refuse(call, GrpcStatus.RESOURCE_EXHAUSTED, "more than " + channel.own.maxCalls() + " calls at a time over one connection");
    } else if (unfinished >= MOST_UNFINISHED + 4L * channel.own.maxCalls()) {
      refuse(call, GrpcStatus.RESOURCE_EXHAUSTED, unfinished + " calls over one connection ended within " + UNFINISHED_MILLIS
        + " ms while their handlers still ran: they were cancelled, missed their deadline, or had invalid messages");
    } else if (call.head().metadata() == null) {
      refuse(call, GrpcStatus.RESOURCE_EXHAUSTED, "the metadata of the request have more than " + channel.own.maxMetadata() + " bytes");
    } else if (call.head().encoding() > 1) {
      refuse(call, GrpcStatus.UNIMPLEMENTED, "the messages of this call have an unknown encoding: use identity or gzip");
    } else {
      Method<?, ?> method = server.method(call.path());
      if (method == null) {
        refuse(call, GrpcStatus.UNIMPLEMENTED, "Method not found: " + call.path());
      } else {
        serve(call, method);
      }
    }
  }

  private void refuse(CallFrame.Call call, GrpcStatus status, String words) {
    channel.refuse(call.call(), status, words);
  }

  private <Req, Resp> void serve(CallFrame.Call call, Method<Req, Resp> method) {
    ServerRequest<Req, Resp> request = new ServerRequest<>(server, this, channel.context.duplicate(), call, method);
    calls.put(call.call(), request.answer());
    request.serve(call, method);
  }

  @Override
  public void drained() {
    new ArrayList<>(calls.values()).forEach(call -> call.sender.drained());
  }

  @Override
  public void ended(Throwable cause) {
    server.linkClosed(this);
    ArrayList<ServerResponse<?, ?>> under = new ArrayList<>(calls.values());
    calls.clear();
    under.forEach(ServerResponse::lost);
    idle.tryComplete();
  }
}
