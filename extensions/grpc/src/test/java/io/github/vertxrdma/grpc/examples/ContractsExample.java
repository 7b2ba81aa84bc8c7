package io.github.vertxrdma.grpc.examples;

import example.greeter.GreeterGrpcService;
import example.greeter.Greeting;
import example.greeter.Name;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.grpc.Balancing;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.streams.WriteStream;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.StatusException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The code of docs/contracts.adoc. */
public final class ContractsExample {
  private ContractsExample() {
  }

  // tag::stream[]
  public static Future<RdmaGrpcServer> remind(Rdma rdma) {
    Vertx vertx = rdma.vertx();
    GreeterGrpcService reminder = new GreeterGrpcService() {
      @Override
      protected void remind(Name name, WriteStream<Greeting> reminders) {
        Greeting greeting = Greeting.newBuilder().setWords("remember " + name.getValue()).build();
        long timer = vertx.setPeriodic(100, id -> {
          if (!reminders.writeQueueFull()) {
            reminders.write(greeting);
          }
        });
        reminders.exceptionHandler(ended -> vertx.cancelTimer(timer));
      }
    };
    return RdmaGrpcServer.create(rdma).addService(reminder).listen("reminder");
  }
  // end::stream[]

  // tag::both[]
  public static Future<HttpServer> serveHttpToo(Vertx vertx, RdmaGrpcServer server) {
    return vertx.createHttpServer().requestHandler(server).listen(9090);
  }
  // end::both[]

  // tag::guard[]
  public static void guard(RdmaGrpcServer server, Set<String> trusted) {
    server.addInterceptor(call -> {
      if (call.remoteNodeId() == null || !trusted.contains(call.remoteNodeId())) {
        throw new StatusException(GrpcStatus.PERMISSION_DENIED, "node " + call.remoteNodeId() + " may not call " + call.fullMethodName());
      }
      return Future.succeededFuture();
    });
  }
  // end::guard[]

  // tag::wrap[]
  public static void log(RdmaGrpcServer server) {
    server.addInterceptor(call -> {
      long begin = System.nanoTime();
      call.status().onSuccess(status -> System.out.println(call.fullMethodName() + " ended with " + status.name() + " after "
        + (System.nanoTime() - begin) / 1_000 + " µs"));
      return Future.succeededFuture();
    });
  }
  // end::wrap[]

  // tag::options[]
  public static RdmaGrpcClient careful(Rdma rdma) {
    return RdmaGrpcClient.create(rdma, new RdmaGrpcClientOptions()
      .setBalancing(Balancing.LEAST_OUTSTANDING)
      .setTimeout(Duration.ofSeconds(5))
      .setIdempotentMethods(List.of("example.Greeter/Greet")));
  }
  // end::options[]
}
