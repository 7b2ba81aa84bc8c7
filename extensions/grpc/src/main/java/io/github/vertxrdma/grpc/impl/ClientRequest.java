package io.github.vertxrdma.grpc.impl;

import io.vertx.core.Future;
import io.vertx.core.Timer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceName;
import java.util.concurrent.TimeUnit;

final class ClientRequest<Req, Resp> extends MessageWriter<GrpcClientRequest<Req, Resp>, Req> implements GrpcClientRequest<Req, Resp> {
  private final ClientImpl client;
  private final ClientCall<Req, Resp> call;
  private ServiceName serviceName;
  private String methodName;
  private long timeoutNanos;

  ClientRequest(ClientImpl client, ContextInternal context, Destination destination, ClientLink link, GrpcMessageEncoder<Req> encoder,
    GrpcMessageDecoder<Resp> decoder) {
    super(context, encoder);
    this.client = client;
    this.call = new ClientCall<>(this, client, destination, link, decoder);
  }

  @Override
  GrpcClientRequest<Req, Resp> self() {
    return this;
  }

  @Override
  public boolean ready() {
    return call.ready();
  }

  @Override
  public boolean full() {
    return call.full();
  }

  @Override
  public Future<Void> send(Sender.Item item) {
    return call.send(item);
  }

  @Override
  void beforeHead() {
    if (serviceName == null || methodName == null) {
      throw new IllegalStateException("cannot send the first message of a call: set the names of its service and method first");
    }
  }

  @Override
  void beginning() {
    call.beginning();
  }

  String fullMethodName() {
    return client.path(serviceName, methodName);
  }

  long timeoutNanos() {
    return timeoutNanos;
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
    return call.times.deadline();
  }

  @Override
  public GrpcClientRequest<Req, Resp> idleTimeout(long millis) {
    context.execute(() -> call.idleTimeout(millis));
    return this;
  }

  @Override
  public HttpConnection connection() {
    return call.connection();
  }

  @Override
  public Future<GrpcClientResponse<Req, Resp>> response() {
    return call.response();
  }

  @Override
  public void cancel() {
    context.execute(() -> call.fail(GrpcError.CANCELLED, GrpcStatus.CANCELLED, null));
  }
}
