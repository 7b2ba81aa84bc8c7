package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.base.PeerText;
import io.vertx.core.MultiMap;
import io.vertx.core.VertxException;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.client.InvalidStatusException;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcStatus;

final class ClientResponse<Req, Resp> extends MessageReader<GrpcClientResponse<Req, Resp>, Resp> implements GrpcClientResponse<Req, Resp> {
  private final ClientCall<Req, Resp> call;
  private GrpcStatus arrivedStatus;
  private volatile GrpcStatus status;
  private volatile String statusMessage;
  private volatile MultiMap trailers = CallFrame.NO_METADATA;
  private boolean delivered;

  ClientResponse(ClientCall<Req, Resp> call, GrpcMessageDecoder<Resp> decoder, CallFrame.Head head, CallLink<?> channel) {
    super(call.context, decoder, head, channel);
    this.call = call;
  }

  @Override
  ClientCall<Req, Resp> call() {
    return call;
  }

  void ended(GrpcStatus code, String message, MultiMap last, boolean alone) {
    arrivedStatus = code;
    statusMessage = message.isEmpty() ? null : message;
    trailers = last;
    if (alone) {
      status = code;
    }
    endArrived();
  }

  boolean isDelivered() {
    return delivered;
  }

  @Override
  Throwable ending() {
    delivered = true;
    status = arrivedStatus;
    call.answeredEarly();
    if (status == GrpcStatus.OK) {
      return null;
    }
    InvalidStatusException failure = new InvalidStatusException(GrpcStatus.OK, status);
    if (statusMessage != null) {
      failure.initCause(VertxException.noStackTrace(PeerText.of(statusMessage)));
    }
    return failure;
  }

  @Override
  public GrpcStatus status() {
    return status;
  }

  @Override
  public String statusMessage() {
    return statusMessage;
  }

  @Override
  public MultiMap trailers() {
    trailers = CallFrame.owned(trailers);
    return trailers;
  }
}
