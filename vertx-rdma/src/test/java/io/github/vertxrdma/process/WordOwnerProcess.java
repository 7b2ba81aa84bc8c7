package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Vertx;
import java.util.List;

/** A process that owns a word of memory until it is killed. Arguments: a folder, the fabric, the region. */
final class WordOwnerProcess {
  private WordOwnerProcess() {
  }

  public static void main(String[] args) throws Exception {
    Rdma rdma = new Fabrics(Vertx.vertx(), args[0], List.of(args[1])).nodes().get(args[1]);
    await(rdma.createRegion(new RegionOptions().setName(args[2]).setSize(64).setAccess(RegionAccess.READ, RegionAccess.ATOMIC)));
    System.out.println("ready");
    IO.readln();
    System.exit(0);
  }
}
