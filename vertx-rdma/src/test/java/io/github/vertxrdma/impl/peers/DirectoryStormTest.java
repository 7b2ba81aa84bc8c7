package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed at random, also while they start, and start again under the same names. */
@Tag("full")
@Timeout(600)
@Tag("polling")
class DirectoryStormTest {
  private static final boolean ALL = Boolean.getBoolean("vertx.rdma.test.all");
  private static final int PROCESSES = ALL ? 32 : 8;
  private static final long SECONDS = ALL ? 60 : 20;
  private static final int THREADS = 4;
  /** Maximum milliseconds before a starting process is killed. */
  private static final int START_MILLIS = 1_500;

  @TempDir
  Path folder;

  private final Map<String, ChildJvm> running = new ConcurrentHashMap<>();
  private final Set<String> living = ConcurrentHashMap.newKeySet();
  private final Set<String> wronglyRemoved = ConcurrentHashMap.newKeySet();

  private static DirectoryOptions options(String folder, String id) {
    return new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder + "/directory").setNodeId(id);
  }

  /** Publishes a region under the name of the node until it is killed. Arguments: the folder, the node. */
  static final class Child {
    public static void main(String[] args) throws Exception {
      System.setProperty(RuntimeFolder.PROPERTY, args[0] + "/run");
      DirectoryBackend directory = await(DirectoryBackend.open(Vertx.vertx(), options(args[0], args[1])));
      await(directory.publish(directory.self()));
      await(directory.publish(new RegionEntry("region " + slot(args[1]), directory.nodeId(), directory.epoch(), 1, 4096, Set.of(), 0,
        RegionEntry.NONE, List.of())));
      System.out.println("published");
      System.in.read();
    }
  }

  /** Reads the directory once and ends. Argument: the folder. */
  static final class Looker {
    public static void main(String[] args) throws Exception {
      System.setProperty(RuntimeFolder.PROPERTY, args[0] + "/run");
      Vertx vertx = Vertx.vertx();
      DirectoryBackend directory = await(DirectoryBackend.open(vertx, options(args[0], "looker")));
      await(directory.publish(directory.self()));
      await(directory.close());
      await(vertx.close());
    }
  }

  private static String slot(String id) {
    return id.substring(0, id.indexOf('-'));
  }

  private ChildJvm child(String id) throws IOException {
    return ChildJvm.start(Child.class, folder.toString(), id);
  }

  private void start(String id) throws IOException, InterruptedException {
    ChildJvm child = child(id);
    running.put(id, child);
    child.await("published");
    living.add(id);
  }

  private void kill(String id) throws InterruptedException {
    living.remove(id);
    ChildJvm child = running.remove(id);
    child.kill();
    child.waitFor();
    child.close();
  }

  private Void storm(DirectoryBackend directory, int thread) throws Exception {
    Random random = new Random(51 + thread);
    List<String> ids = new ArrayList<>();
    for (int slot = thread; slot < PROCESSES; slot += THREADS) {
      ids.add(slot + "-0");
      start(ids.getLast());
    }
    long start = System.nanoTime();
    for (int round = 1; System.nanoTime() - start < TimeUnit.SECONDS.toNanos(SECONDS); round++) {
      String victim = ids.remove(random.nextInt(ids.size()));
      kill(victim);
      until(victim + " is gone", () -> directory.node(victim).isEmpty());
      String next = slot(victim) + '-' + round;
      if (random.nextInt(3) == 0) {
        try (ChildJvm early = child(next + "-early")) {
          Thread.sleep(random.nextInt(START_MILLIS));
          early.kill();
          early.waitFor();
        }
      }
      // The name of the region must be free at once.
      start(next);
      ids.add(next);
    }
    return null;
  }

  @Test
  void livingNodesStayAndKilledOnesLeaveNothing() throws Exception {
    String before = System.setProperty(RuntimeFolder.PROPERTY, folder + "/run");
    Vertx vertx = Vertx.vertx();
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      DirectoryBackend directory = await(DirectoryBackend.open(vertx, options(folder.toString(), "watcher")));
      directory.watchNodes(event -> {
        if (event.type() == DirectoryEvent.Type.REMOVED && living.contains(event.entry().nodeId())) {
          wronglyRemoved.add(event.entry().nodeId());
        }
      });
      List<Future<Void>> storms = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        storms.add(threads.submit(() -> storm(directory, thread)));
      }
      for (Future<Void> storm : storms) {
        storm.get();
      }
      until("the living are there", () -> living.stream().allMatch(id -> directory.node(id).isPresent()));
      assertEquals(Set.of(), wronglyRemoved);
      until("their regions are there", () -> directory.regions().size() == PROCESSES);
      for (String id : List.copyOf(living)) {
        kill(id);
      }
      until("no region is left", () -> directory.regions().isEmpty());
      await(directory.close());
      until("no file is left once a process has looked", () -> {
        look();
        return files().isEmpty();
      });
    } finally {
      running.values().forEach(ChildJvm::close);
      await(vertx.close());
      Optional.ofNullable(before).ifPresentOrElse(value -> System.setProperty(RuntimeFolder.PROPERTY, value),
        () -> System.clearProperty(RuntimeFolder.PROPERTY));
    }
  }

  private void look() {
    try (ChildJvm looker = ChildJvm.start(Looker.class, folder.toString())) {
      assertEquals(0, looker.waitFor());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns all files but those that processes lock to change a folder. */
  private List<String> files() {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> !Files.isDirectory(file)).map(file -> file.getFileName().toString()).filter(name -> !name.equals(".lock"))
        .toList();
    } catch (IOException | UncheckedIOException e) {
      // A file was removed meanwhile.
      return List.of(e.toString());
    }
  }
}
