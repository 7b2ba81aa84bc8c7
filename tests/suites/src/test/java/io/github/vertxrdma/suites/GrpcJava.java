package io.github.vertxrdma.suites;

import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ForwardingChannelBuilder2;
import io.grpc.ForwardingServerBuilder;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClientOptions;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpcio.client.GrpcIoClient;
import io.vertx.grpcio.client.GrpcIoClientChannel;
import io.vertx.grpcio.server.GrpcIoServiceBridge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

final class GrpcJava {
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final Vertx OTHER_SIDE = Vertx.vertx();
  /** Sends an answer when its call closes, as grpc-java's server does. */
  private static final ServerInterceptor HELD_UNTIL_CLOSED = new ServerInterceptor() {
    @Override
    public <Req, Resp> ServerCall.Listener<Req> interceptCall(ServerCall<Req, Resp> call, Metadata headers,
      ServerCallHandler<Req, Resp> next) {
      return next.startCall(call.getMethodDescriptor().getType().serverSendsOneMessage() ? new HeldCall<>(call) : call, headers);
    }
  };

  private GrpcJava() {
  }

  static final class ChannelBuilder extends ForwardingChannelBuilder2<ChannelBuilder> {
    private final ManagedChannelBuilder<?> stock;
    private final int port;

    ChannelBuilder(String host, int port) {
      this.stock = ManagedChannelBuilder.forAddress(host, port);
      this.port = port;
    }

    @Override
    protected ManagedChannelBuilder<?> delegate() {
      return stock;
    }

    @Override
    public ManagedChannel build() {
      GrpcIoClient client = OverRdma.ioClient(OTHER_SIDE, new GrpcClientOptions());
      return new Channel(client, new GrpcIoClientChannel(client, SocketAddress.inetSocketAddress(port, "localhost")));
    }
  }

  private static final class Channel extends ManagedChannel {
    private final GrpcIoClient client;
    private final GrpcIoClientChannel calls;
    private Future<Void> closing;

    private Channel(GrpcIoClient client, GrpcIoClientChannel calls) {
      this.client = client;
      this.calls = calls;
    }

    /** The bridge needs a call of HTTP/2 for a deadline. */
    @Override
    public <Req, Resp> ClientCall<Req, Resp> newCall(MethodDescriptor<Req, Resp> method, CallOptions options) {
      return calls.newCall(method, options.withDeadline(null));
    }

    @Override
    public String authority() {
      return calls.authority();
    }

    @Override
    public synchronized ManagedChannel shutdown() {
      if (closing == null) {
        closing = client.close();
      }
      return this;
    }

    @Override
    public ManagedChannel shutdownNow() {
      return shutdown();
    }

    @Override
    public synchronized boolean isShutdown() {
      return closing != null;
    }

    @Override
    public synchronized boolean isTerminated() {
      return closing != null && closing.isComplete();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return ends(closing, timeout, unit);
    }
  }

  private static boolean ends(Future<Void> closing, long timeout, TimeUnit unit) {
    try {
      closing.await(timeout, unit);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  static final class Builder extends ForwardingServerBuilder<Builder> {
    private final ServerBuilder<?> stock;
    private final int port;
    private final List<ServerServiceDefinition> services = new ArrayList<>();
    private final List<ServerInterceptor> interceptors = new ArrayList<>();

    Builder(int port) {
      this.stock = ServerBuilder.forPort(port);
      this.port = port;
    }

    @Override
    protected ServerBuilder<?> delegate() {
      return stock;
    }

    @Override
    public Builder addService(ServerServiceDefinition service) {
      services.add(service);
      return this;
    }

    @Override
    public Builder addService(BindableService service) {
      return addService(service.bindService());
    }

    @Override
    public Builder intercept(ServerInterceptor interceptor) {
      interceptors.add(interceptor);
      return this;
    }

    @Override
    public Server build() {
      return new JavaServer(port,
        services.stream().map(service -> ServerInterceptors.intercept(ServerInterceptors.intercept(service, interceptors),
          HELD_UNTIL_CLOSED)).toList());
    }
  }

  private static final class HeldCall<Req, Resp> extends SimpleForwardingServerCall<Req, Resp> {
    private final List<Runnable> held = new ArrayList<>();

    private HeldCall(ServerCall<Req, Resp> call) {
      super(call);
    }

    @Override
    public void sendHeaders(Metadata headers) {
      held.add(() -> super.sendHeaders(headers));
    }

    @Override
    public void sendMessage(Resp message) {
      held.add(() -> super.sendMessage(message));
    }

    @Override
    public void close(Status status, Metadata trailers) {
      held.forEach(Runnable::run);
      super.close(status, trailers);
    }
  }

  private static final class JavaServer extends Server {
    private final int port;
    private final List<ServerServiceDefinition> services;
    private OverRdma.ListeningServer server;
    private Future<Void> closing;

    private JavaServer(int port, List<ServerServiceDefinition> services) {
      this.port = port;
      this.services = services;
    }

    @Override
    public Server start() {
      server = OverRdma.listening(OTHER_SIDE, new GrpcServerOptions(), port);
      server.withEncoding = true;
      services.forEach(service -> server.addService(GrpcIoServiceBridge.bridge(service)));
      return this;
    }

    @Override
    public Server shutdown() {
      closing = server.leaving().shutdown(GRACE);
      return this;
    }

    @Override
    public Server shutdownNow() {
      closing = server.leaving().close();
      return this;
    }

    @Override
    public boolean isShutdown() {
      return closing != null;
    }

    @Override
    public boolean isTerminated() {
      return closing != null && closing.isComplete();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return ends(closing, timeout, unit);
    }

    @Override
    public void awaitTermination() {
      closing.await();
    }
  }
}
