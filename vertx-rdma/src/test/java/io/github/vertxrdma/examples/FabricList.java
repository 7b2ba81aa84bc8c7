package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.vertx.core.Vertx;

/** Prints each fabric of this machine, and what keeps this node from using it. */
public class FabricList {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma.create(vertx).fabrics()
      .onSuccess(fabrics -> fabrics
        .forEach(fabric -> System.out.println(fabric.device() + ": " + (fabric.isUsable() ? "usable" : fabric.missing()))))
      .onFailure(Throwable::printStackTrace)
      .eventually(vertx::close);
  }
}
// end::all[]
