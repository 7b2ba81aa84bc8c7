package io.github.vertxrdma.grpc.impl;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.InvalidMessageException;
import io.vertx.grpc.server.GrpcServerResponse;
import io.vertx.grpc.server.StatusException;
import java.util.Objects;
import java.util.Set;

final class ServerResponse<Req, Resp> extends MessageWriter<GrpcServerResponse<Req, Resp>, Resp> implements GrpcServerResponse<Req, Resp> {
  private static final Set<String> ENCODINGS = Set.of(Gzip.NAME);

  private final ServerLink link;
  private final ServerRequest<Req, Resp> request;
  private final int number;
  private CallState state = CallState.REQUESTED;
  private boolean started;
  private volatile GrpcStatus status = GrpcStatus.OK;
  private volatile String statusMessage;
  private MultiMap trailers;

  ServerResponse(ServerLink link, ServerRequest<Req, Resp> request, int number, GrpcMessageEncoder<Resp> encoder) {
    super(request.context, encoder);
    this.link = link;
    this.request = request;
    this.number = number;
    resetCredit(link.peer().window());
  }

  @Override
  CallState state() {
    return state;
  }

  @Override
  void frame(CallFrame frame) {
    switch (frame) {
      case CallFrame.Data data -> request.data(data);
      case CallFrame.Cancel cancel -> cancelled();
      case CallFrame.Credit credit -> credit(credit.messages());
      default -> throw new FrameException("the client sent " + frame.type() + ", which only servers may send");
    }
  }

  private void cancelled() {
    if (state != CallState.SERVED) {
      link.unfinished();
      lost();
    }
  }

  void requested() {
    if (state == CallState.REQUESTED) {
      state = CallState.ANSWERING;
    }
  }

  @Override
  boolean ready() {
    return true;
  }

  @Override
  boolean connectionFull() {
    return link.connection.writeQueueFull();
  }

  @Override
  Future<Void> transmit(Item item) {
    CallFrame.Head head = started || item.end() && head() == CallFrame.Head.PLAIN ? null : head();
    try {
      Future<Void> written = link.write(item.end() ? new CallFrame.Status(number, head, status.code, status == GrpcStatus.OK ? null
        : statusMessage, trailers, item.body()) : new CallFrame.Data(number, head, item.body(), false));
      started |= head != null;
      if (item.end()) {
        finish(status, null);
        request.answered();
      }
      return written;
    } catch (UnsentException e) {
      refuse(e.status, e.getMessage());
      return context.failedFuture(new StatusException(e.status, e.getMessage()));
    }
  }

  @Override
  String path() {
    return request.fullMethodName();
  }

  @Override
  void unreadable(RuntimeException cause) {
    reject(GrpcStatus.INTERNAL, "a message of " + path() + " cannot be read: " + cause.getMessage());
  }

  @Override
  void tooLong(InvalidMessageException cause) {
    reject(GrpcStatus.RESOURCE_EXHAUSTED, "a message of the request has more than " + link.own.maxMessage() + " bytes");
  }

  @Override
  void give(int messages) {
    if (state != CallState.SERVED) {
      link.write(new CallFrame.Credit(number, messages));
    }
  }

  private void finish(GrpcStatus with, Throwable cause) {
    state = CallState.SERVED;
    request.ended(with, cause, sent());
    link.done(number);
  }

  private void refuse(GrpcStatus instead, String words) {
    if (state != CallState.SERVED) {
      status = instead;
      statusMessage = words;
      link.refuse(number, instead, words);
      finish(instead, null);
      failBoth(Statuses.failure(instead.code));
    }
  }

  void reject(GrpcStatus with, String words) {
    if (state != CallState.SERVED) {
      link.unfinished();
      refuse(with, words);
    }
  }

  void lost() {
    if (state != CallState.SERVED) {
      GrpcErrorException cause = new GrpcErrorException(GrpcError.CANCELLED, GrpcStatus.CANCELLED);
      finish(GrpcStatus.CANCELLED, cause);
      failBoth(cause);
    }
  }

  private void failBoth(GrpcErrorException cause) {
    failed(cause.error(), cause);
    request.fail(cause);
  }

  @Override
  public GrpcServerResponse<Req, Resp> status(GrpcStatus value) {
    status = Objects.requireNonNull(value);
    return this;
  }

  @Override
  public GrpcServerResponse<Req, Resp> statusMessage(String words) {
    statusMessage = words;
    return this;
  }

  @Override
  public Set<String> acceptedEncodings() {
    return ENCODINGS;
  }

  @Override
  public MultiMap trailers() {
    if (isEndSent()) {
      throw new IllegalStateException("the trailers of this call are already sent");
    }
    return lastTrailers();
  }

  MultiMap lastTrailers() {
    if (trailers == null) {
      trailers = MultiMap.caseInsensitiveMultiMap();
    }
    return trailers;
  }

  /** Ends the call with the status of an exception that a handler threw. Reports errors, and exceptions after the end, to the context. */
  void thrown(Throwable failure) {
    if (isEndSent()) {
      context.reportException(failure);
      return;
    }
    fail(failure);
    if (failure instanceof Error error) {
      throw error;
    }
  }

  @Override
  public void fail(Throwable failure) {
    if (isEndSent() || error() != null) {
      return;
    }
    if (failure instanceof StatusException refused) {
      status = refused.status();
      statusMessage = refused.message();
    } else {
      status = failure instanceof UnsupportedOperationException ? GrpcStatus.UNIMPLEMENTED : GrpcStatus.UNKNOWN;
    }
    end();
  }

  @Override
  public void cancel() {
    context.execute(() -> {
      if (state != CallState.SERVED) {
        link.write(new CallFrame.Cancel(number, GrpcStatus.CANCELLED.code));
        lost();
      }
    });
  }
}
