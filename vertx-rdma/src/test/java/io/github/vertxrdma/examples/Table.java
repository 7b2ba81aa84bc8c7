package io.github.vertxrdma.examples;

// tag::all[]
import static io.github.vertxrdma.RegionAccess.*;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

public class Table {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx);
    if (arguments.length > 0) {
      share(rdma).onComplete(table -> System.out.println("shares " + table.size() + " bytes"), Throwable::printStackTrace);
    } else {
      visit(rdma).onComplete(System.out::println, Throwable::printStackTrace).eventually(vertx::close);
    }
  }

  /** A counter in the first word, and behind it a row that each visitor overwrites. */
  static Future<MemoryRegion> share(Rdma rdma) {
    return rdma.createRegion(new RegionOptions().setName("table").setSize(1 << 20).setAccess(READ, WRITE, ATOMIC))
      .onSuccess(table -> table
        .notificationHandler(written -> System.out.println(written.data() + ", by visitor " + written.tag())));
  }

  static Future<String> visit(Rdma rdma) {
    return rdma.openRegion("table").compose(table -> table.fetchAndAdd(0, 1)
      .compose(visitor -> table.writeNotify(8, Buffer.buffer("a row"), visitor))
      .compose(written -> table.read(8, 5))
      .map(row -> "reads " + row)
      .eventually(() -> table.close()));
  }
}
// end::all[]
