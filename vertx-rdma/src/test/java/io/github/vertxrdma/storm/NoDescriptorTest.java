package io.github.vertxrdma.storm;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process without free file descriptors: its connections continue, a stranger that connects waits, its own connect fails by name, and its
 * listeners use no processor time. Everything works again with descriptors.
 */
@Tag("alone")
@Timeout(120)
@Tag("polling")
class NoDescriptorTest {
  /** Arguments of prlimit(1) for limits of descriptors. */
  private static final String NONE = "3:";
  private static final String ENOUGH = "512:";

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  /** Part of a processor that idle listeners may use. */
  private static final double IDLE = 0.2;

  private final Vertx vertx = Vertx.vertx();
  private final Vertx strangers = Vertx.vertx();

  @TempDir
  Path folder;

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
    await(strangers.close());
  }

  private static RdmaOptions options(String fabric, Path folder) {
    return new RdmaOptions().setFabric(fabric).setStatistics(false).setDeadTimeout(Duration.ofSeconds(60))
      .setConnectTimeout(Duration.ofSeconds(60)).setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
        .setPath(folder.toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "shm"})
  void connectionsGoOnAndConnectsWait(String fabric) throws Exception {
    assumeTrue(limit(ProcessHandle.current().pid(), ""), "SKIPPED processes without descriptors: prlimit(1) is not there");
    Rdma rdma = Rdma.create(vertx, options(fabric, folder));
    Rdma stranger = Rdma.create(strangers, options(fabric, folder));
    serve(rdma, "here");
    serve(stranger, "elsewhere");
    try (ChildJvm child = ChildJvm.start(Poor.class, fabric, folder.toString())) {
      child.await("ready");
      Echo first = new Echo(await(rdma.connect("there")));
      first.talk();
      assertTrue(limit(child.pid(), NONE));
      Future<RdmaConnection> second = stranger.connect("there");
      first.talk();
      if (fabric.equals("shm")) {
        new Echo(await(rdma.connect("there"))).talk();
      }
      assertTrue(child.await("WARNING: Connections to ").matches(".* wait: .*Too many open files. Raise the limit with 'ulimit -n'"));
      child.send("connect");
      String answer = child.await("connect:");
      assertTrue(answer.contains("LIMIT") && answer.contains("ulimit -n"), answer);
      until("its listener does not ask again and again", () -> busy(child.pid()) < IDLE);
      assertFalse(second.isComplete(), "connected without a descriptor: " + second);
      assertTrue(limit(child.pid(), ENOUGH));
      new Echo(await(second)).talk();
      child.send("connect");
      assertEquals("again", child.await("connect:"));
      first.talk();
      child.send("end");
      assertEquals(0, child.waitFor());
    }
    await(rdma.close());
    await(stranger.close());
  }

  private static void serve(Rdma rdma, String name) throws Exception {
    await(rdma.createServer().connectHandler(peer -> peer.handler(message -> peer.write(Buffer.buffer("taken")))).listen(name));
  }

  /**
   * @param to soft limit of open descriptors; empty to test whether it can be set
   * @return whether it was set
   */
  private static boolean limit(long pid, String to) throws InterruptedException {
    try {
      return new ProcessBuilder("prlimit", "--pid", Long.toString(pid), "--nofile" + (to.isEmpty() ? "" : "=" + to))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static double busy(long pid) {
    Duration before = used(pid);
    long start = System.nanoTime();
    LockSupport.parkNanos(LOOK_NANOS);
    return (double) used(pid).minus(before).toNanos() / (System.nanoTime() - start);
  }

  private static Duration used(long pid) {
    return ProcessHandle.of(pid).orElseThrow().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static final class Echo {
    private final AtomicInteger came = new AtomicInteger();
    private final RdmaConnection connection;
    private int sent;

    Echo(RdmaConnection connection) {
      this.connection = connection.handler(message -> came.incrementAndGet());
    }

    void talk() throws Exception {
      await(connection.write(Buffer.buffer("hello")));
      sent++;
      until("it is answered", () -> came.get() == sent);
    }
  }

  static final class Poor {
    public static void main(String[] arguments) throws Exception {
      // Tests read the log from the standard output.
      System.setErr(System.out);
      Vertx vertx = Vertx.vertx();
      Rdma rdma = Rdma.create(vertx, options(arguments[0], Path.of(arguments[1])));
      serve(rdma, "there");
      connect(rdma, "here");
      loadClasses();
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
      System.out.println("ready");
      while (in.readLine().equals("connect")) {
        System.out.println("connect: " + connect(rdma, "elsewhere"));
      }
      await(rdma.close());
      await(vertx.close());
    }

    /** Loads the classes in folders, which need a descriptor each, unlike those in jars. */
    private static void loadClasses() throws IOException {
      load("no/Such.class");
      for (String part : System.getProperty("java.class.path").split(File.pathSeparator)) {
        Path root = Path.of(part);
        if (Files.isDirectory(root)) {
          try (Stream<Path> files = Files.walk(root)) {
            files.map(file -> root.relativize(file).toString()).filter(name -> name.endsWith(".class") && !name.contains("-info")
              && !name.contains("META-INF")).forEach(Poor::load);
          }
        }
      }
    }

    private static void load(String file) {
      try {
        Class.forName(file.substring(0, file.length() - ".class".length()).replace('/', '.'), false, Poor.class.getClassLoader());
      } catch (ClassNotFoundException | LinkageError e) {
        // The class needs something that is missing, and is not used here.
      }
    }

    private static String connect(Rdma rdma, String name) throws Exception {
      try {
        new Echo(await(rdma.connect(name))).talk();
        return "again";
      } catch (ExecutionException e) {
        return e.getCause() instanceof RdmaException named ? named.reason() + " " + named.getMessage() : e.getCause().toString();
      }
    }
  }
}
