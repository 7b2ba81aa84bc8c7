package io.github.vertxrdma.examples;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/** The code of README.md. */
final class Readme {
  private Readme() {
  }

  static void all(Vertx vertx) {
    // tag::all[]
    Rdma rdma = Rdma.create(vertx);

    // connections: messages keep their bounds, a slow reader holds the writer back
    rdma.createServer().connectHandler(c -> c.handler(message -> c.write(message))).listen("orders");
    rdma.connect("orders").onSuccess(c -> c.write(Buffer.buffer("hello")));

    // remote memory: shared here, used there, without the owner's processor where the fabric can
    rdma.share(new RegionOptions().setName("table").setSize(1L << 20).setAccess(READ, WRITE, ATOMIC));
    rdma.open("table").compose(table -> table.fetchAndAdd(0, 1));
    // end::all[]
  }
}
