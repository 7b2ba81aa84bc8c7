package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OtherLoadTest {
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
    assertEquals(0, load.free(SECOND + SECOND / 10));
    assertEquals(0.3, load.free(2 * SECOND), 0.001);
  }

  @Test
  void allProcessorsAreFreeIfTheKernelHidesItsTimes() throws IOException {
    OtherLoad load = sampled(null);
    Files.delete(kernel.resolve("stat"));
    assertEquals(Runtime.getRuntime().availableProcessors(), load.free(2 * SECOND));
  }
}
