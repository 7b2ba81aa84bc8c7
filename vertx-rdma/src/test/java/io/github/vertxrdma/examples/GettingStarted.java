package io.github.vertxrdma.examples;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;

/** The code on remote memory of docs/getting-started.adoc; what stands between the tags is included there. */
final class GettingStarted {
  private GettingStarted() {
  }

  // tag::owner[]
  /** A table of a mebibyte: a counter in its first word, and behind it a row of text that each visitor may overwrite. */
  static Future<MemoryRegion> share(Rdma rdma, Handler<String> rows) {
    return rdma.share(new RegionOptions().setName("table").setSize(1 << 20).setAccess(READ, WRITE, ATOMIC))
      .onSuccess(table -> table.notificationHandler(written ->
        rows.handle(table.segment().getString(written.offset()) + " was written by visitor " + written.tag())));
  }
  // end::owner[]

  // tag::visitor[]
  static Future<String> visit(Rdma rdma) {
    return rdma.open("table").compose(table -> table.fetchAndAdd(0, 1)
      .compose(visitor -> table.writeNotify(8, Buffer.buffer("a row\0"), visitor))
      .compose(written -> table.read(8, 5))
      .map(Buffer::toString)
      .eventually(() -> table.close()));
  }
  // end::visitor[]
}
