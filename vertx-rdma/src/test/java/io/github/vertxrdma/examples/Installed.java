package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.FabricInfo;
import io.github.vertxrdma.Rdma;
import io.vertx.core.Vertx;

/** Prints the version, and the fabrics that this machine can use. */
public class Installed {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx);
    rdma.statistics()
      .onSuccess(node -> System.out.println("vertx-rdma " + node.version()))
      .compose(node -> rdma.fabrics())
      .onSuccess(all -> System.out.println("usable: " + all.stream().filter(FabricInfo::isUsable).map(FabricInfo::device).toList()))
      .onFailure(Throwable::printStackTrace)
      .eventually(vertx::close);
  }
}
// end::all[]
