package io.github.vertxrdma.cluster;

import com.hazelcast.config.Config;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

public final class Clusters {
  static final int MEMBERS = 4;
  /** Ports of a cluster, and one after them, which this process keeps open so that other processes take other blocks. */
  private static final int BLOCK = MEMBERS + 1;
  private static final List<ServerSocket> KEPT = new CopyOnWriteArrayList<>();

  private Clusters() {
  }

  /** Returns the first of the free ports of a cluster, below those that the system assigns. */
  public static int freePorts() throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      int first = ThreadLocalRandom.current().nextInt(20_000 / BLOCK, 32_000 / BLOCK) * BLOCK;
      ServerSocket kept = listener(first + MEMBERS);
      if (kept != null && allFree(first)) {
        KEPT.add(kept);
        return first;
      }
      if (kept != null) {
        kept.close();
      }
    }
    throw new IOException("no " + MEMBERS + " free ports in a row");
  }

  private static boolean allFree(int first) throws IOException {
    for (int port = first; port < first + MEMBERS; port++) {
      ServerSocket probe = listener(port);
      if (probe == null) {
        return false;
      }
      probe.close();
    }
    return true;
  }

  private static ServerSocket listener(int port) {
    try {
      return new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"));
    } catch (IOException e) {
      return null;
    }
  }

  /** Returns a configuration with five times as many heartbeats as usual, since tests wait for them. */
  static Config config(int port) {
    return QuietHazelcast.loopback("test-" + port, port, MEMBERS).setProperty("hazelcast.heartbeat.interval.seconds", "1");
  }

  public static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(90, TimeUnit.SECONDS);
  }

  static long until(String what, BooleanSupplier condition) {
    return until(what, condition, 30);
  }

  static long until(String what, BooleanSupplier condition, int seconds) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(seconds)) {
        throw new AssertionError("waited in vain until " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  static ServiceEntry service(DirectoryBackend directory, String name) {
    return new ServiceEntry(name, directory.nodeId(), directory.epoch(), 0, List.of(), new JsonObject());
  }

  static RegionEntry region(DirectoryBackend directory, String name, long id) {
    return new RegionEntry(name, directory.nodeId(), directory.epoch(), id, 4096, Set.of(), 0, RegionEntry.NONE, List.of());
  }
}
