package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/** Calls a service of its own node, and prints what the node then reports about itself. */
public class Observed {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, new RdmaOptions().setName("shop"));
    rdma.createServer().connectHandler(connection -> connection.requestHandler(Future::succeededFuture)).listen("echo")
      .compose(server -> rdma.connect("echo"))
      .compose(connection -> connection.request(Buffer.buffer("hello")))
      .compose(reply -> rdma.health())
      .onSuccess(health -> System.out.println(health.toJson()))
      .compose(health -> rdma.statistics())
      .onSuccess(node -> System.out.println(node.name() + " offers " + node.services() + " and has "
        + node.devices().stream().mapToInt(DeviceStatistics::connectionCount).sum() + " ends of connections"))
      .onFailure(Throwable::printStackTrace)
      .eventually(vertx::close);
  }
}
// end::all[]
