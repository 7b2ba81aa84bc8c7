package io.github.vertxrdma.grpc.examples;

// tag::all[]
import example.greeter.GreeterGrpcClient;
import example.greeter.GreeterGrpcService;
import example.greeter.Greeting;
import example.greeter.Name;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Runs the server of a contract if there is an argument, otherwise a client that calls it. */
public class Greet {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx);
    if (arguments.length > 0) {
      serve(rdma).onComplete(server -> System.out.println("serves"), Throwable::printStackTrace);
    } else {
      greet(RdmaGrpcClient.create(rdma), "you").onComplete(System.out::println, Throwable::printStackTrace).eventually(vertx::close);
    }
  }

  public static Future<RdmaGrpcServer> serve(Rdma rdma) {
    GreeterGrpcService greeter = new GreeterGrpcService() {
      @Override
      public Future<Greeting> greet(Name name) {
        return Future.succeededFuture(Greeting.newBuilder().setWords("hello " + name.getValue()).build());
      }
    };
    return RdmaGrpcServer.create(rdma).addService(greeter).listen("greeter");
  }

  public static Future<String> greet(RdmaGrpcClient client, String name) {
    return GreeterGrpcClient.create(client, RdmaGrpcClient.address("greeter"))
      .greet(Name.newBuilder().setValue(name).build())
      .map(Greeting::getWords);
  }
}
// end::all[]
