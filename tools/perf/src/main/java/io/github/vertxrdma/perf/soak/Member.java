package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.perf.work.WorkerAnswers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Main class of the soak's processes. Arguments: folder of the directory, fabric, number, number of processes, seed. */
public final class Member {
  /** Time limit of operations in seconds. An emulated machine sets a larger one. */
  static final int SECONDS = Integer.getInteger("soak.patience", 60);
  /** Time after a close in which threads and sockets of the system may still end. */
  static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(SECONDS) / 3;

  private Member() {
  }

  public static void main(String[] arguments) {
    try {
      run(arguments);
    } catch (Throwable e) {
      if (e instanceof RdmaException) {
        System.out.println(e.getMessage());
      } else {
        e.printStackTrace();
      }
      Runtime.getRuntime().halt(1);
    }
  }

  private static void run(String[] arguments) throws Exception {
    WorkerAnswers answers = new WorkerAnswers();
    String folder = arguments[0];
    String fabric = arguments[1];
    int number = Integer.parseInt(arguments[2]);
    int members = Integer.parseInt(arguments[3]);
    // Runs once before counting, because one-time initialization is no leak.
    Node first = Node.open(folder, fabric);
    SoakWork trial = new SoakWork(first, number, members, 0);
    await(trial.start());
    await(trial.end());
    first.close();
    Counts before = Counts.now();
    Node node = Node.open(folder, fabric);
    SoakWork work = new SoakWork(node, number, members, Long.parseLong(arguments[4]));
    await(work.start());
    answers.give(line -> {
      JsonObject answer = new JsonObject();
      String[] words = line.split(" ");
      switch (words[0]) {
        case "end" -> {
          if (!done(work.end())) {
            work.tally.wrong("work that did not end within " + SECONDS + " s: " + work.underWay());
          }
        }
        case "close" -> {
          node.close();
          answer.put("left", left(before));
        }
        case "network" -> node.network.apply(RelayedNetwork.NetworkFault.valueOf(words[1]), Integer.parseInt(words[2]));
        default -> {
        }
      }
      return answer.put("counts", work.tally.take()).put("wrong", work.tally.errors()).put("time", System.currentTimeMillis());
    });
    Runtime.getRuntime().halt(0);
  }

  private static List<String> left(Counts before) throws Exception {
    long end = System.nanoTime() + SETTLED_NANOS;
    List<String> left = Counts.now().beyond(before);
    while (!left.isEmpty() && System.nanoTime() < end) {
      System.gc();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      left = Counts.now().beyond(before);
    }
    return left;
  }

  record Node(Vertx vertx, DirectoryBackend directory, RelayedNetwork network, Rdma rdma, String fabric) {

    private static Node open(String folder, String fabric) throws Exception {
      Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2));
      RelayedNetwork network = new RelayedNetwork();
      DirectoryBackend directory = await(DirectoryBackend.open(vertx,
        new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder)));
      return new Node(vertx, directory, network, Rdma.create(vertx, new RdmaOptions().setFabric(fabric), network.before(directory)),
        fabric);
    }

    private void close() throws Exception {
      await(rdma.close());
      network.close();
      await(vertx.close());
    }
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.await(SECONDS, TimeUnit.SECONDS);
  }

  private static boolean done(Future<?> future) {
    try {
      await(future);
      return true;
    } catch (Exception e) {
      return future.isComplete();
    }
  }
}
