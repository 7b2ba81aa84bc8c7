package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Vertx;

/** A node of the cluster may use the service 'orders' and no other one. */
public class Guarded {
  public static void main(String... arguments) {
    Vertx serving = Vertx.vertx();
    Rdma server = Rdma.create(serving, new RdmaOptions().setAuthorizer(new RdmaAuthorizer() {
      @Override
      public boolean mayConnect(String nodeId, String service) {
        return service.equals("orders");
      }
    }));
    Vertx calling = Vertx.vertx();
    Rdma client = Rdma.create(calling);
    server.createServer().connectHandler(connection -> {}).listen("orders")
      .compose(orders -> server.createServer().connectHandler(connection -> {}).listen("accounts"))
      .compose(accounts -> client.connect("orders"))
      .onSuccess(orders -> System.out.println("connected to orders"))
      .compose(orders -> client.connect("accounts"))
      .onFailure(cause -> System.out.println(cause instanceof RdmaException refused ? refused.reason() + ": accounts" : cause))
      .eventually(calling::close)
      .eventually(serving::close);
  }
}
// end::all[]
