package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OtherLoadTest {
  private static final String RUNTIME = "vertx.rdma.runtime";
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  /** Processors of the files, of which this process can use all. */
  private static final int PROCESSORS = 1;

  @TempDir
  Path kernel;

  @BeforeEach
  void begin() throws IOException {
    Files.createDirectory(kernel.resolve("self"));
    Files.createDirectory(kernel.resolve("17"));
    all(0, 0, 0);
    process("self", 0, 0);
    process("17", 0, 0);
  }

  /** Writes units of 10 ms. */
  private void all(long user, long idle, long stolen) throws IOException {
    String times = ' ' + user + " 0 0 " + idle + " 0 0 0 " + stolen + " 0 0\n";
    Files.writeString(kernel.resolve("stat"), "cpu " + times + "cpu0" + times + "intr 5\n");
  }

  private void process(String name, long user, long system) throws IOException {
    Files.writeString(kernel.resolve(name).resolve("stat"),
      "17 (a (b) c) S 1 17 17 0 -1 4194560 1 0 0 0 " + user + ' ' + system + " 0 0 20\n");
  }

  private OtherLoad sampled(String peer) {
    OtherLoad load = new OtherLoad(kernel, peer);
    assertEquals(0, load.free(SECOND), "nothing is known at first");
    return load;
  }

  @Test
  void workOfOthersIsMissing() throws IOException {
    OtherLoad load = sampled(null);
    all(70, 30, 0);
    assertEquals(0.3, load.free(2 * SECOND), 0.001);
  }

  /** Traffic that begins after a pause does not wait long, and work of others during the pause does not matter. */
  @Test
  void readingAfterAPauseIsNewAndQuick() throws IOException {
    OtherLoad load = sampled(null);
    all(300, 0, 0);
    load.begin(4 * SECOND);
    assertEquals(0, load.free(4 * SECOND), "nothing is known after the pause");
    all(300, 6, 0);
    assertEquals(0, load.free(4 * SECOND + OtherLoad.FIRST_NANOS - 1));
    assertEquals(1, load.free(4 * SECOND + OtherLoad.FIRST_NANOS), 0.001);
    // Without a pause of the traffic, a late reading is the mean of the longer time.
    all(350, 156, 0);
    assertEquals(0.75, load.free(6 * SECOND + OtherLoad.FIRST_NANOS), 0.001);
  }

  @Test
  void workOfThisProcessAndItsPeerIsFree() throws IOException {
    OtherLoad load = sampled("17");
    all(90, 10, 0);
    process("self", 30, 20);
    process("17", 10, 10);
    assertEquals(0.8, load.free(2 * SECOND), 0.001);
  }

  @Test
  void hiddenPeerCountsAsAnother() throws IOException {
    OtherLoad load = sampled("18");
    all(70, 30, 0);
    assertEquals(0.3, load.free(2 * SECOND), 0.001);
  }

  @Test
  void timeThatAHypervisorTakesIsFree() throws IOException {
    OtherLoad load = sampled(null);
    all(0, 40, 60);
    assertEquals(PROCESSORS, load.free(2 * SECOND), 0.001);
  }

  @Test
  void resultIsKeptForThePeriod() throws IOException {
    OtherLoad load = sampled(null);
    all(70, 30, 0);
    assertEquals(0, load.free(SECOND + OtherLoad.FIRST_NANOS - 1));
    assertEquals(0.3, load.free(2 * SECOND), 0.001);
    all(70, 130, 0);
    assertEquals(0.3, load.free(2 * SECOND + SECOND / 10), 0.001);
    assertEquals(1, load.free(3 * SECOND), 0.001);
  }

  @Test
  void allProcessorsAreFreeIfTheKernelHidesItsTimes() throws IOException {
    OtherLoad load = sampled(null);
    Files.delete(kernel.resolve("stat"));
    assertEquals(Runtime.getRuntime().availableProcessors(), load.free(2 * SECOND));
  }

  /** Starts a node, and waits. Arguments: the folder of the directory and of the runtime. */
  static final class Other {
    public static void main(String[] arguments) throws Exception {
      node(Vertx.vertx(), Path.of(arguments[0]));
      System.out.println("ready");
      System.in.read();
    }
  }

  private static RdmaDirectory node(Vertx vertx, Path folder) throws Exception {
    System.setProperty(RUNTIME, folder.resolve("run").toString());
    return await(Rdma.create(vertx, StackSettings.options(folder, null)).directory());
  }

  @Test
  void processOfPeerOnThisHostIsKnown(@TempDir Path folder) throws Exception {
    Vertx vertx = Vertx.vertx();
    try (ChildJvm other = ChildJvm.start(Other.class, folder.toString())) {
      other.await("ready");
      RdmaDirectory directory = node(vertx, folder);
      ProcessIdentity own = directory.self().process();
      until("the other node is known", () -> directory.nodes().size() == 2);
      List<ProcessIdentity> all = directory.nodes().stream().map(NodeEntry::process).toList();
      assertEquals(List.of(other.pid()), all.stream().filter(each -> OtherLoad.isVisible(own, each)).map(ProcessIdentity::pid).toList());
      assertFalse(OtherLoad.isVisible(own, null));
    } finally {
      await(vertx.close());
      System.clearProperty(RUNTIME);
    }
  }
}
