package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed at random and start again under the names that they had. */
@Tag("full")
@Timeout(300)
class DirectoryStormTest {
  private static final int PROCESSES = 8;
  private static final long SECONDS = 20;

  @TempDir
  Path folder;

  private final Map<String, ChildJvm> running = new ConcurrentHashMap<>();
  /** Nodes that no one has killed yet. */
  private final Set<String> living = ConcurrentHashMap.newKeySet();
  private final Set<String> wronglyRemoved = ConcurrentHashMap.newKeySet();

  private static DirectoryOptions options(String folder, String id) {
    return new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder).setNodeId(id);
  }

  /** Publishes a region under the name of the node until it is killed. Arguments: the folder, the node. */
  static final class Child {
    public static void main(String[] args) throws Exception {
      DirectoryBackend directory = await(DirectoryBackend.open(Vertx.vertx(), options(args[0], args[1])));
      await(directory.publish(directory.self()));
      await(directory.publish(new RegionEntry("region " + args[1].substring(0, 1), directory.nodeId(), directory.epoch(), 1, 4096, Set.of(),
        0, RegionEntry.NONE, List.of())));
      System.out.println("published");
      System.in.read();
    }
  }

  private void start(String id) throws IOException, InterruptedException {
    ChildJvm child = ChildJvm.start(Child.class, folder.toString(), id);
    running.put(id, child);
    child.await("published");
    living.add(id);
  }

  @Test
  void livingNodesStayAndKilledOnesLeaveNothing() throws Exception {
    Vertx vertx = Vertx.vertx();
    Random random = new Random(51);
    try {
      DirectoryBackend directory = await(DirectoryBackend.open(vertx, options(folder.toString(), "watcher")));
      directory.watchNodes(event -> {
        if (event.type() == DirectoryEvent.Type.REMOVED && living.contains(event.entry().nodeId())) {
          wronglyRemoved.add(event.entry().nodeId());
        }
      });
      for (int i = 0; i < PROCESSES; i++) {
        start(i + "-0");
      }
      long start = System.nanoTime();
      for (int round = 1; System.nanoTime() - start < TimeUnit.SECONDS.toNanos(SECONDS); round++) {
        String victim = List.copyOf(living).get(random.nextInt(living.size()));
        living.remove(victim);
        running.get(victim).kill();
        running.remove(victim).waitFor();
        until(victim + " is gone", () -> directory.node(victim).isEmpty());
        // The name of the region is free at once.
        start(victim.charAt(0) + "-" + round);
      }
      until("the living are there", () -> living.stream().allMatch(id -> directory.node(id).isPresent()));
      assertEquals(Set.of(), wronglyRemoved);
      until("their regions are there", () -> directory.regions().size() == PROCESSES);
      for (ChildJvm child : running.values()) {
        child.kill();
        child.waitFor();
      }
      living.clear();
      until("no file is left", () -> files().stream().allMatch(name -> name.equals(".lock")));
      until("no region is left", () -> directory.regions().isEmpty());
    } finally {
      running.values().forEach(ChildJvm::close);
      await(vertx.close());
    }
  }

  private List<String> files() {
    try (Stream<Path> files = Files.list(folder.resolve(DirectoryOptions.DEFAULT_GROUP))) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
