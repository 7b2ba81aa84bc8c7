package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.referee.Use;
import io.github.vertxrdma.referee.WordClient;
import io.github.vertxrdma.simulator.referee.CallHistory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of clients of one word. Arguments: a folder, the fabric, the region, the first client's number, the file of its history, its
 * use.
 */
final class WordProcess {
  static final int CLIENTS = 3;

  private WordProcess() {
  }

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = new Fabrics(vertx, args[0], List.of(args[1])).nodes().get(args[1]);
    int number = Integer.parseInt(args[3]);
    CallHistory history = new CallHistory(Path.of(args[4]));
    Use use = Use.valueOf(args[5]);
    await(await(rdma.directory()).awaitRegion(args[2], Duration.ofSeconds(20)));
    System.out.println("ready");
    IO.readln();
    List<Future<Void>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new WordClient(vertx, WordClient.byName(rdma, args[2]), use, history, number + i, number).run());
    }
    Future.all(clients).onComplete(all -> System.out.println("over"));
    // The end of the input is the end of the test.
    IO.readln();
    System.exit(0);
  }
}
