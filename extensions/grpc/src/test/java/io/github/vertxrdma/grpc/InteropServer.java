package io.github.vertxrdma.grpc;

import com.google.protobuf.ByteString;
import io.github.vertxrdma.grpc.interop.EchoStatus;
import io.github.vertxrdma.grpc.interop.InteropGrpcService;
import io.github.vertxrdma.grpc.interop.Nothing;
import io.github.vertxrdma.grpc.interop.SimpleRequest;
import io.github.vertxrdma.grpc.interop.SimpleResponse;
import io.github.vertxrdma.grpc.interop.StreamingInputRequest;
import io.github.vertxrdma.grpc.interop.StreamingInputResponse;
import io.github.vertxrdma.grpc.interop.StreamingOutputRequest;
import io.github.vertxrdma.grpc.interop.StreamingOutputResponse;
import io.vertx.core.Completable;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.StatusException;

/** The service of gRPC's interoperability tests, by a stub; {@link #withMetadata} serves the two calls with metadata. */
final class InteropServer extends InteropGrpcService {
  static final String INITIAL = "x-grpc-test-echo-initial";
  static final String TRAILING = "x-grpc-test-echo-trailing-bin";

  static StreamingOutputResponse answer(int size) {
    return StreamingOutputResponse.newBuilder().setPayload(ByteString.copyFrom(new byte[size])).build();
  }

  private static StatusException status(EchoStatus status) {
    return new StatusException(GrpcStatus.valueOf(status.getCode()), status.getMessage());
  }

  @Override
  public void emptyCall(Nothing request, Completable<Nothing> response) {
    response.succeed(Nothing.getDefaultInstance());
  }

  @Override
  public void unaryCall(SimpleRequest request, Completable<SimpleResponse> response) {
    if (request.hasResponseStatus()) {
      response.fail(status(request.getResponseStatus()));
    } else {
      response.succeed(SimpleResponse.newBuilder().setPayload(ByteString.copyFrom(new byte[request.getResponseSize()])).build());
    }
  }

  @Override
  public void streamingOutputCall(StreamingOutputRequest request, WriteStream<StreamingOutputResponse> response) {
    request.getResponseParametersList().forEach(wanted -> response.write(answer(wanted.getSize())));
    response.end();
  }

  @Override
  public void streamingInputCall(ReadStream<StreamingInputRequest> request, Completable<StreamingInputResponse> response) {
    int[] sum = {0};
    request.handler(message -> sum[0] += message.getPayload().size());
    request.endHandler(v -> response.succeed(StreamingInputResponse.newBuilder().setAggregatedSize(sum[0]).build()));
  }

  @Override
  public void fullDuplexCall(ReadStream<StreamingOutputRequest> request, WriteStream<StreamingOutputResponse> response) {
    request.handler(message -> message.getResponseParametersList().forEach(wanted -> response.write(answer(wanted.getSize()))));
    request.endHandler(v -> response.end());
  }

  /** Replaces the calls that have to read metadata or set a status. */
  static void withMetadata(RdmaGrpcServer server) {
    server.callHandler(UnaryCall, call -> {
      echo(call);
      call.last().onSuccess(request -> {
        if (request.hasResponseStatus()) {
          call.response().fail(status(request.getResponseStatus()));
        } else {
          call.response().end(SimpleResponse.newBuilder().setPayload(ByteString.copyFrom(new byte[request.getResponseSize()])).build());
        }
      });
    });
    server.callHandler(FullDuplexCall, call -> {
      echo(call);
      call.endHandler(v -> call.response().end());
      call.handler(request -> {
        if (request.hasResponseStatus()) {
          call.endHandler(null);
          call.response().fail(status(request.getResponseStatus()));
        } else {
          request.getResponseParametersList().forEach(wanted -> call.response().write(answer(wanted.getSize())));
        }
      });
    });
  }

  private static void echo(GrpcServerRequest<?, ?> call) {
    if (call.headers().contains(INITIAL)) {
      call.response().headers().set(INITIAL, call.headers().get(INITIAL));
    }
    if (call.headers().contains(TRAILING)) {
      call.response().trailers().set(TRAILING, call.headers().get(TRAILING));
    }
  }
}
