package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

/** Offers a service and withdraws it, and prints what the directory reports meanwhile. */
public class Watcher {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx);
    Promise<Void> removed = Promise.promise();
    rdma.directory()
      .onSuccess(directory -> directory.watch(event -> {
        if (event.entry() instanceof ServiceEntry service) {
          System.out.println(event.type() + " " + service.name());
          if (event.type() == DirectoryEvent.Type.REMOVED) {
            removed.tryComplete();
          }
        }
      }))
      .compose(directory -> rdma.createServer().connectHandler(connection -> {}).listen("orders"))
      .compose(server -> server.withdraw())
      .compose(withdrawn -> removed.future())
      .onFailure(Throwable::printStackTrace)
      .eventually(vertx::close);
  }
}
// end::all[]
