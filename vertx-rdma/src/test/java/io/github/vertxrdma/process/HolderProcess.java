package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;

import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Reads and writes a region in place while its only event loop is blocked, so that it does not notice the revoke or the end of its
 * connection. Arguments: a folder, the region.
 */
final class HolderProcess {
  static final int SIZE = 3 << 20;

  private HolderProcess() {
  }

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    RemoteRegion region = await(new Fabrics(vertx, args[0], List.of("shm")).nodes().get("shm").openRegion(args[1]));
    await(region.read(0, 1));
    MemorySegment view = await(region.view(0, SIZE));
    CountDownLatch never = new CountDownLatch(1);
    vertx.getOrCreateContext().runOnContext(v -> {
      System.out.println("blocked");
      try {
        never.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    for (String line = IO.readln(); line != null; line = IO.readln()) {
      view.fill(Byte.parseByte(line));
      System.out.println("wrote " + line);
    }
    System.exit(0);
  }
}
