package io.github.vertxrdma.grpc.impl;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcServerRequest;

/**
 * Handler of the calls of a method.
 *
 * @param served the method; null for the handler of all other methods
 */
record Method<Req, Resp>(ServiceMethod<Req, Resp> served, GrpcMessageDecoder<Req> decoder, GrpcMessageEncoder<Resp> encoder,
  Handler<GrpcServerRequest<Req, Resp>> handler) {

  static <Req, Resp> Method<Req, Resp> of(ServiceMethod<Req, Resp> method, Handler<GrpcServerRequest<Req, Resp>> handler) {
    return new Method<>(method, method.decoder(), method.encoder(), handler);
  }

  static Method<Buffer, Buffer> any(Handler<GrpcServerRequest<Buffer, Buffer>> handler) {
    return new Method<>(null, GrpcMessageDecoder.IDENTITY, GrpcMessageEncoder.IDENTITY, handler);
  }
}
