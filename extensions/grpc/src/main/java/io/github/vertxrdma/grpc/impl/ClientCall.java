package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.github.vertxrdma.impl.calls.Instances;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Timer;
import io.vertx.core.VertxException;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.InvalidMessageException;
import io.vertx.grpc.common.ServiceName;
import java.util.concurrent.TimeUnit;

/** A call at its client. Sends and receives its frames, and may repeat it on another connection. */
final class ClientCall<Req, Resp> extends MessageWriter<GrpcClientRequest<Req, Resp>, Req> implements GrpcClientRequest<Req, Resp> {
  /** State of the call's first frame. */
  private enum Opening {
    /** The interceptors have not permitted the call yet. */
    INTERCEPTED,
    READY,
    SENT
  }

  private final ClientImpl client;
  private final Destination destination;
  private final GrpcMessageDecoder<Resp> decoder;
  private final Promise<GrpcClientResponse<Req, Resp>> response;
  private ClientLink link;
  /** The current connection, or the last one while there is none. */
  private ClientLink lastLink;
  private int number;
  /** True if the connection was closed before it had sent the call. */
  private boolean unsent;
  private Opening opening = Opening.INTERCEPTED;
  private CallState state = CallState.AWAITED;
  private ClientResponse<Req, Resp> answer;
  /** First frame, if it contains the entire request and no answer has arrived; otherwise null. */
  private CallFrame.Call repeatable;
  /** Completes when the request was written in any attempt; null if nothing waits for that. */
  private Promise<Void> requestTaken;
  private Observation observation = Observation.NONE;
  private View view;
  private boolean requested;
  private ServiceName serviceName;
  private String methodName;
  private long timeoutNanos;
  private Timer deadline;
  private long idleMillis;
  private Timer idle;
  private Attempts attempts;
  /** Pause before a repetition. */
  private Timer pause;

  ClientCall(ClientImpl client, ContextInternal context, Destination destination, ClientLink link, GrpcMessageEncoder<Req> encoder,
    GrpcMessageDecoder<Resp> decoder) {
    super(context, encoder);
    this.client = client;
    this.destination = destination;
    this.decoder = decoder;
    this.response = context.promise();
    at(link);
  }

  private void at(ClientLink next) {
    link = next;
    lastLink = next;
  }

  @Override
  CallState state() {
    return state;
  }

  void begin() {
    if (repeatable == null) {
      pump();
    } else if (number == 0 && ready()) {
      requestTaken(writeFrame(
        new CallFrame.Call(number, left(repeatable.timeoutNanos()), repeatable.path(), repeatable.head(), repeatable.body(), true)));
    }
  }

  @Override
  boolean ready() {
    if (number == 0 && link != null && opening != Opening.INTERCEPTED) {
      number = link.begin(this);
      if (number != 0) {
        resetCredit(lastLink.peer().window());
      }
    }
    return number != 0;
  }

  @Override
  boolean connectionFull() {
    // A call without a number is not notified when the connection drains.
    return number != 0 && lastLink.connection.writeQueueFull();
  }

  @Override
  Future<Void> transmit(Item item) {
    if (item.end()) {
      requested();
    }
    if (opening == Opening.SENT) {
      return writeFrame(new CallFrame.Data(number, null, item.body(), item.end()));
    }
    CallFrame.Call first = new CallFrame.Call(number, left(timeoutNanos), path(), head(),
      item.body(), item.end());
    if (item.end()) {
      repeatable = first;
    }
    restartIdle();
    return item.end() ? requestTaken(writeFrame(first)) : writeFrame(first);
  }

  /**
   * Completes with the first successful write of the request; fails only if the call fails.
   *
   * @param written write of one attempt
   */
  private Future<Void> requestTaken(Future<Void> written) {
    if (requestTaken == null) {
      if (written.succeeded()) {
        return written;
      }
      requestTaken = context.promise();
    }
    written.onSuccess(requestTaken::tryComplete);
    return requestTaken.future();
  }

  private Future<Void> writeFrame(CallFrame frame) {
    Future<Void> written;
    try {
      written = lastLink.write(frame);
    } catch (UnsentException e) {
      return refuse(e);
    }
    opening = Opening.SENT;
    if (!written.succeeded()) {
      ClientLink on = link;
      int of = number;
      written.onFailure(cause -> {
        // The call may have been repeated on another connection, where it can have the same number.
        if (link == on && number == of) {
          unwritten(frame, cause);
        }
      });
    }
    return written;
  }

  private void unwritten(CallFrame frame, Throwable cause) {
    boolean lost = cause instanceof RdmaException failed
      && (failed.reason() == Reason.CONNECTION_LOST || failed.reason() == Reason.CLOSED);
    if (!lost) {
      fail(GrpcError.INTERNAL, GrpcStatus.INTERNAL, cause);
    } else if (frame instanceof CallFrame.Call) {
      // The close handler of the connection repeats or fails the call.
      unsent = Instances.isUnsent(cause);
    }
  }

  private Future<Void> refuse(UnsentException cause) {
    if (opening == Opening.SENT) {
      writeFrame(new CallFrame.Cancel(number, cause.status.code));
    }
    ended(new CallFrame.Status(number, null, cause.status.code, cause.getMessage(), CallFrame.NO_METADATA, null));
    return context.succeededFuture();
  }

  @Override
  void beginning() {
    if (timeoutNanos > 0 && client.options.isScheduleDeadline() && state != CallState.DONE) {
      deadline = context.timer(timeoutNanos, TimeUnit.NANOSECONDS);
      deadline.onSuccess(v -> fail(GrpcError.CANCELLED, GrpcStatus.DEADLINE_EXCEEDED, null));
    }
    ClientObserver observer = client.observer;
    if (client.interceptors.isEmpty() && observer == null) {
      opening = Opening.READY;
      return;
    }
    view = new View();
    Future<Void> answer = client.interceptors.run(context, view);
    if (answer.succeeded()) {
      passed(observer);
    } else {
      answer.onComplete((v, cause) -> {
        if (cause != null) {
          refused(cause);
        } else {
          passed(observer);
          pump();
        }
      });
    }
  }

  private void passed(ClientObserver observer) {
    if (state != CallState.DONE) {
      opening = Opening.READY;
      if (observer != null) {
        observation = observer.begins(context, destination, view);
      }
    }
  }

  private void refused(Throwable cause) {
    if (state != CallState.DONE) {
      finish(GrpcStatus.CANCELLED, cause);
      reportFailure(GrpcError.CANCELLED, cause);
    }
  }

  @Override
  void frame(CallFrame frame) {
    restartIdle();
    switch (frame) {
      case CallFrame.Data data -> data(data);
      case CallFrame.Status status -> ended(status);
      case CallFrame.Cancel cancel -> {
        GrpcErrorException failure = Statuses.failure(cancel.code());
        failure.initCause(described(failure.status(), null));
        finish(failure.status(), failure);
        reportFailure(failure.error(), failure);
      }
      case CallFrame.Credit credit -> credit(credit.messages());
      default -> throw new FrameException("the server sent " + frame.type() + ", which only clients may send");
    }
  }

  private void data(CallFrame.Data data) {
    boolean first = answer == null;
    if (first == (data.head() == null) || data.end()) {
      throw new FrameException(
        "DATA of call " + number + (data.end() ? " that ends it" : first ? " without metadata" : " with metadata again"));
    }
    if (first) {
      if (!begun(data.head())) {
        return;
      }
      state = CallState.ANSWERED;
    }
    if (data.body() != null) {
      answer.arrived(data.body());
    }
    deliver(first);
  }

  private void deliver(boolean first) {
    if (first && requestTaken != null) {
      CallLink.dispatch(context, requestTaken::tryComplete);
    }
    if (first && lastLink.mayAwait()) {
      // A listener of the response may block until a message arrives.
      answer.deliverFirst();
      response.tryComplete(answer);
    } else if (first && response.tryComplete(answer)) {
      answer.deliverFirst();
    } else if (!first) {
      answer.deliver();
    }
  }

  /** Returns false if this side cannot read the answer. The call has then failed. */
  private boolean begun(CallFrame.Head head) {
    repeatable = null;
    observation.answered();
    if (head.metadata() == null) {
      tooLong();
      return false;
    }
    if (head.encoding() > 1) {
      fail(GrpcError.INTERNAL, GrpcStatus.INTERNAL,
        new IllegalStateException("the answer has an unknown encoding: only identity and gzip are supported"));
      return false;
    }
    answer = new ClientResponse<>(this, decoder, head, lastLink);
    return true;
  }

  @Override
  void give(int messages) {
    if (state != CallState.DONE) {
      writeFrame(new CallFrame.Credit(number, messages));
    }
  }

  @Override
  void unreadable(RuntimeException cause) {
    fail(GrpcError.CANCELLED, GrpcStatus.CANCELLED, cause);
  }

  @Override
  void tooLong(InvalidMessageException cause) {
    fail(GrpcError.RESOURCE_EXHAUSTED, GrpcStatus.RESOURCE_EXHAUSTED, cause);
  }

  private void tooLong() {
    fail(GrpcError.RESOURCE_EXHAUSTED, GrpcStatus.RESOURCE_EXHAUSTED, new IllegalStateException("the metadata of the answer have more than "
      + lastLink.own.maxMetadata() + " bytes"));
  }

  private void ended(CallFrame.Status status) {
    boolean first = answer == null;
    if (!first && status.head() != null) {
      throw new FrameException("STATUS of call " + number + " with metadata again");
    }
    boolean alone = first && status.body() == null;
    if (status.trailers() == null) {
      tooLong();
      return;
    }
    if (first) {
      CallFrame.Head head = status.head() == null ? CallFrame.Head.of(0, head().json(), CallFrame.NO_METADATA) : status.head();
      if (!begun(alone ? head.with(status.trailers()) : head)) {
        return;
      }
    }
    if (status.body() != null) {
      answer.arrived(status.body());
      if (state == CallState.DONE) {
        return;
      }
    }
    GrpcStatus code = Statuses.of(status.code());
    answer.ended(code, status.message(), alone ? CallFrame.NO_METADATA : status.trailers(), alone);
    finish(code, null);
    deliver(first);
  }

  private void requested() {
    if (!requested) {
      requested = true;
      observation.requested(sent());
    }
  }

  private void finish(GrpcStatus status, Throwable cause) {
    state = CallState.DONE;
    requested();
    if (view != null) {
      context.runOnContext(v -> view.status.tryComplete(status));
    }
    observation.ended(status, cause, answer == null ? 0 : answer.received());
    stop(deadline);
    stop(idle);
    endPause();
    if (link != null) {
      link.done(this, number);
    }
  }

  /** Fails the request if the server answered before the request ended. Later messages are not sent. */
  void answeredEarly() {
    if (!isEndSent()) {
      failed(GrpcError.CANCELLED, new GrpcErrorException(GrpcError.CANCELLED, GrpcStatus.CANCELLED));
    }
  }

  /** Repeats the call on another server with the same name, if that is permitted. */
  void moveToOtherServer(Throwable cause) {
    if (state != CallState.DONE && mayAgain(number == 0) && client.hasOther(destination) && attempts().isLeft()) {
      ClientLink from = link;
      int at = number;
      if (at != 0) {
        lastLink.write(new CallFrame.Cancel(at, GrpcStatus.CANCELLED.code));
      }
      from.done(this, at);
      lost(cause, at == 0);
    }
  }

  private boolean mayAgain(boolean unseen) {
    return answer == null && (number == 0 || repeatable != null && (unseen || client.isIdempotent(path())));
  }

  /**
   * Handles the loss of the connection: repeats the call, or fails it.
   *
   * @param untouched true if the server has not begun the call
   */
  void lost(Throwable cause, boolean untouched) {
    boolean notBegun = number == 0 || untouched || unsent;
    boolean mayAgain = mayAgain(notBegun);
    link = null;
    number = 0;
    unsent = false;
    if (opening == Opening.SENT) {
      opening = Opening.READY;
    }
    if (state == CallState.DONE) {
      return;
    }
    if (!mayAgain || client.isClosed() || !again(notBegun)) {
      unavailable(cause);
    }
  }

  /**
   * Repeats the call after a pause. Returns false if no attempt or no time is left.
   *
   * @param unseen true if no server has begun the call
   */
  private boolean again(boolean unseen) {
    long nanos = attempts().next(unseen, left(0));
    if (nanos == 0) {
      again();
    } else if (nanos > 0) {
      client.pausing.add(this);
      pause = context.timer(nanos, TimeUnit.NANOSECONDS);
      pause.onSuccess(v -> {
        endPause();
        again();
      });
    }
    return nanos >= 0;
  }

  private Attempts attempts() {
    return attempts == null ? attempts = new Attempts(client.attempts) : attempts;
  }

  private void endPause() {
    if (pause != null) {
      pause.cancel();
      pause = null;
      client.pausing.remove(this);
    }
  }

  private static void stop(Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  /** Returns the nanoseconds until the deadline, or {@code otherwise} if this side does not enforce one. */
  private long left(long otherwise) {
    return deadline == null ? otherwise : Math.max(1, deadline.getDelay(TimeUnit.NANOSECONDS));
  }

  private void restartIdle() {
    if (idleMillis > 0) {
      stop(idle);
      idle = context.timer(idleMillis, TimeUnit.MILLISECONDS);
      idle.onSuccess(v -> fail(GrpcError.CANCELLED, GrpcStatus.CANCELLED,
        new IllegalStateException("nothing was received for " + idleMillis + " ms")));
    }
  }

  private void again() {
    client.link(context, destination).onComplete((next, failure) -> {
      if (state == CallState.DONE) {
        return;
      }
      if (failure == null) {
        at(next);
        begin();
      } else if (failure instanceof RdmaException) {
        lost(failure, true);
      } else {
        unavailable(failure);
      }
    });
  }

  void unavailable(Throwable cause) {
    fail(GrpcError.UNAVAILABLE, GrpcStatus.UNAVAILABLE, cause);
  }

  void fail(GrpcError error, GrpcStatus status, Throwable cause) {
    if (state != CallState.DONE || answer == null || !answer.isDelivered()) {
      GrpcErrorException failure = new GrpcErrorException(error, status);
      failure.initCause(described(status, cause));
      if (state != CallState.DONE) {
        if (link != null && opening == Opening.SENT) {
          lastLink.write(new CallFrame.Cancel(number, status.code));
        }
        finish(status, failure);
      }
      reportFailure(error, failure);
    }
  }

  /** Returns a cause that names method, server and node, because the failure itself has only a status. */
  private RuntimeException described(GrpcStatus status, Throwable cause) {
    String call = "the call of " + path() + " to " + destination + ", last at node " + lastLink.nodeName() + ", ";
    if (cause instanceof RdmaException failed) {
      return new RdmaException(failed.reason(), call + "failed: " + Instances.words(failed, "the node"), failed, failed.isEffectUnknown());
    }
    return status == GrpcStatus.DEADLINE_EXCEEDED ? new RdmaException(Reason.TIMEOUT, call + "did not end before its deadline")
      : new VertxException(call + (cause == null ? "was cancelled" : "failed: " + cause.getMessage()), cause);
  }

  private void reportFailure(GrpcError error, Throwable failure) {
    failed(error, failure);
    if (requestTaken != null) {
      CallLink.dispatch(context, () -> requestTaken.tryFail(failure));
    }
    CallLink.dispatch(context, () -> response.tryFail(failure));
    if (answer != null) {
      answer.fail(failure);
    }
  }

  private String remoteNodeId() {
    return link == null ? null : lastLink.nodeId();
  }

  @Override
  void beforeHead() {
    if (serviceName == null || methodName == null) {
      throw new IllegalStateException("cannot send the first message of a call: set the names of its service and method first");
    }
  }

  @Override
  String path() {
    return client.path(serviceName, methodName);
  }

  @Override
  public GrpcClientRequest<Req, Resp> serviceName(ServiceName value) {
    notSent("service");
    serviceName = value;
    return this;
  }

  @Override
  public GrpcClientRequest<Req, Resp> methodName(String value) {
    notSent("method");
    methodName = value;
    return this;
  }

  @Override
  public GrpcClientRequest<Req, Resp> fullMethodName(String value) {
    int slash = value.lastIndexOf('/');
    if (slash < 1) {
      throw new IllegalArgumentException("invalid method '" + value + "': use SERVICE/METHOD");
    }
    return serviceName(ServiceName.create(value.substring(0, slash))).methodName(value.substring(slash + 1));
  }

  @Override
  public GrpcClientRequest<Req, Resp> timeout(long timeout, TimeUnit unit) {
    if (timeout < 0) {
      throw new IllegalArgumentException("timeout of " + timeout + ' ' + unit + " is negative: use a positive one, or 0 for none");
    }
    notSent("timeout");
    timeoutNanos = unit.toNanos(timeout);
    return this;
  }

  @Override
  public Timer deadline() {
    return deadline;
  }

  @Override
  public GrpcClientRequest<Req, Resp> idleTimeout(long millis) {
    context.execute(() -> {
      stop(idle);
      idleMillis = millis;
      if (opening == Opening.SENT && state != CallState.DONE) {
        restartIdle();
      }
    });
    return this;
  }

  @Override
  public HttpConnection connection() {
    return new ConnectionView(lastLink);
  }

  @Override
  public Future<GrpcClientResponse<Req, Resp>> response() {
    return response.future();
  }

  @Override
  public void cancel() {
    context.execute(() -> fail(GrpcError.CANCELLED, GrpcStatus.CANCELLED, null));
  }

  /** The call as interceptors and tracers see it. */
  private final class View implements RdmaGrpcCall {
    private final Promise<GrpcStatus> status = context.promise();

    @Override
    public String fullMethodName() {
      return path();
    }

    @Override
    public MultiMap headers() {
      return lastHeaders();
    }

    @Override
    public MultiMap responseHeaders() {
      return answer == null ? null : answer.headers();
    }

    @Override
    public MultiMap responseTrailers() {
      return answer == null || state != CallState.DONE ? null : answer.trailers();
    }

    @Override
    public Future<GrpcStatus> status() {
      return status.future();
    }

    @Override
    public String remoteNodeId() {
      return ClientCall.this.remoteNodeId();
    }
  }
}
