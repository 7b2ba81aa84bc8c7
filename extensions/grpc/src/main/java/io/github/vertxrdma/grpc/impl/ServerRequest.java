package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Timer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.spi.context.storage.AccessMode;
import io.vertx.grpc.common.GrpcLocal;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

final class ServerRequest<Req, Resp> extends MessageReader<GrpcServerRequest<Req, Resp>, Req> implements GrpcServerRequest<Req, Resp>,
  RdmaGrpcCall {
  private final ServerImpl server;
  private final ServerLink link;
  private final ServerResponse<Req, Resp> response;
  private final String path;
  private final long timeoutNanos;
  private ServiceName serviceName;
  private Timer deadline;
  private Observation observation = Observation.NONE;
  private boolean requested;
  /** Status of the call when it has ended. */
  private GrpcStatus ended;
  /** Null until an interceptor asks for it. */
  private Promise<GrpcStatus> status;

  ServerRequest(ServerImpl server, ServerLink link, ContextInternal context, CallFrame.Call call, Method<Req, Resp> method) {
    super(context, method.decoder(), call.head(), link);
    this.server = server;
    this.link = link;
    this.path = call.path();
    this.timeoutNanos = call.timeoutNanos();
    this.response = new ServerResponse<>(link, this, call.call(), method.encoder());
    response.format(format());
    if (timeoutNanos > 0) {
      if (server.options.isDeadlinePropagation()) {
        context.putLocal(GrpcLocal.CONTEXT_LOCAL_KEY, AccessMode.CONCURRENT, new ServedDeadline(timeoutNanos));
      }
      if (server.options.isScheduleDeadline()) {
        deadline = context.timer(timeoutNanos, TimeUnit.NANOSECONDS);
        deadline.onSuccess(v -> response.reject(GrpcStatus.DEADLINE_EXCEEDED, null));
      }
    }
  }

  /** Calls the handler, then delivers the first message, or the reverse if the handler may block for that message. */
  void serve(CallFrame.Call call, Method<Req, Resp> method) {
    observation = server.observe(context, call.call(), link.connection, this);
    context.putLocal(CallLocal.KEY, AccessMode.CONCURRENT, this);
    Future<Void> passed = server.interceptors.isEmpty() ? context.succeededFuture() : intercept();
    if (passed.succeeded() && !link.mayAwait()) {
      handle(method);
      take(call.body(), call.end());
      deliverFirst();
    } else {
      take(call.body(), call.end());
      passed.onSuccess(v -> serveLate(method)).onFailure(response::fail);
    }
  }

  private void serveLate(Method<Req, Resp> method) {
    if (link.mayAwait()) {
      deliverFirst();
      handle(method);
    } else {
      handle(method);
      deliverFirst();
    }
  }

  private Future<Void> intercept() {
    ContextInternal before = context.beginDispatch();
    try {
      return server.interceptors.run(context, this);
    } finally {
      context.endDispatch(before);
    }
  }

  private void handle(Method<Req, Resp> method) {
    if (response.state() != CallState.SERVED) {
      context.dispatch(this, guarded(method.handler()));
    }
  }

  void data(CallFrame.Data data) {
    if (data.head() != null) {
      throw new FrameException("DATA of call " + data.call() + " with metadata, which a client may only send with CALL");
    }
    take(data.body(), data.end());
    deliver();
  }

  private void take(CallFrame.Body body, boolean end) {
    if (end) {
      response.requested();
    }
    if (body != null) {
      arrived(body);
    }
    if (end) {
      endArrived();
      requestEnded();
    }
  }

  private void requestEnded() {
    if (!requested) {
      requested = true;
      observation.requested(received());
    }
  }

  void ended(GrpcStatus with, Throwable cause, long sent) {
    if (deadline != null) {
      deadline.cancel();
    }
    requestEnded();
    complete();
    ended = with;
    if (status != null) {
      // In a task, since a listener may answer the call, which has not failed yet.
      context.runOnContext(v -> status.tryComplete(with));
    }
    observation.ended(with, cause, sent);
  }

  @Override
  <M> Handler<M> guarded(Handler<M> handler) {
    return handler == null ? null : what -> {
      try {
        handler.handle(what);
      } catch (Throwable e) {
        response.thrown(e);
      }
    };
  }

  @Override
  public ServiceName serviceName() {
    if (serviceName == null) {
      serviceName = ServiceName.create(path.substring(0, Math.max(0, path.lastIndexOf('/'))));
    }
    return serviceName;
  }

  @Override
  public String methodName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  @Override
  public String fullMethodName() {
    return path;
  }

  @Override
  public String remoteNodeId() {
    return link.nodeId();
  }

  @Override
  public MultiMap responseHeaders() {
    return response.lastHeaders();
  }

  @Override
  public MultiMap responseTrailers() {
    return response.lastTrailers();
  }

  @Override
  public Future<GrpcStatus> status() {
    if (ended != null) {
      return context.succeededFuture(ended);
    }
    if (status == null) {
      status = context.promise();
    }
    return status.future();
  }

  @Override
  public GrpcServerResponse<Req, Resp> response() {
    return response;
  }

  @Override
  ServerResponse<Req, Resp> call() {
    return response;
  }

  @Override
  public HttpConnection connection() {
    return new ConnectionView(link);
  }

  @Override
  public long timeout() {
    return TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
  }

  @Override
  public Timer deadline() {
    return deadline;
  }

  /** Deadline of a served call by the monotonic clock. */
  static final class ServedDeadline extends GrpcLocal {
    private final long at;

    ServedDeadline(long timeoutNanos) {
      super(0);
      at = System.nanoTime() + timeoutNanos;
    }

    /** Returns the nanoseconds left; negative after the deadline. */
    long leftNanos() {
      return at - System.nanoTime();
    }

    @Override
    public Instant deadline() {
      return Instant.now().plusNanos(leftNanos());
    }
  }
}
