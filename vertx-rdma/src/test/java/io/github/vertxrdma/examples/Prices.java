package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/** With an argument the owner of a region, otherwise a peer that reads it. */
public class Prices {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx);
    if (arguments.length > 0) {
      share(rdma).onComplete(prices -> System.out.println("shares " + prices.size() + " bytes"), Throwable::printStackTrace);
    } else {
      read(rdma).onComplete(System.out::println, Throwable::printStackTrace).eventually(vertx::close);
    }
  }

  static Future<MemoryRegion> share(Rdma rdma) {
    return rdma.createRegion(new RegionOptions().setName("prices").setSize(4096).setAccess(RegionAccess.READ))
      .onSuccess(prices -> prices.putRecord(0, Buffer.buffer("apples 3.50")));
  }

  /** No code of the owner runs for this read. */
  static Future<Buffer> read(Rdma rdma) {
    return rdma.openRegion("prices").compose(prices -> prices.readRecord(0, 64).eventually(() -> prices.close()));
  }
}
// end::all[]
