package io.github.vertxrdma.examples;

import static io.github.vertxrdma.RegionAccess.*;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/** The code of README.md, for two processes: one with an argument, one without. */
public final class Readme {
  private Readme() {
  }

  public static void main(String... arguments) {
    if (arguments.length > 0) {
      serve(Vertx.vertx());
    } else {
      use(Vertx.vertx());
    }
  }

  static void serve(Vertx vertx) {
    // tag::serve[]
    Rdma rdma = Rdma.create(vertx);
    // messages keep their bounds, a slow reader holds the writer back
    rdma.createServer().connectHandler(c -> c.handler(message -> c.write(message))).listen("orders");
    // memory that others use, without the owner's processor where the fabric can
    rdma.share(new RegionOptions().setName("table").setSize(1L << 20).setAccess(READ, WRITE, ATOMIC));
    // end::serve[]
  }

  static void use(Vertx vertx) {
    // tag::use[]
    Rdma rdma = Rdma.create(vertx);
    rdma.connect("orders").onSuccess(c -> c.handler(System.out::println).write(Buffer.buffer("hello")));
    rdma.open("table").compose(table -> table.fetchAndAdd(0, 1)).onSuccess(ticket -> System.out.println("ticket " + ticket));
    // end::use[]
  }
}
