package io.github.vertxrdma.environments;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the memory of 192 event loops, each with an HTTP server and a client, with stock Vert.x. */
@Timeout(600)
@Tag("full")
class ManyLoopsTest {
  private static final long MOST_KILOBYTES = 150 << 10;

  @TempDir
  static Path folder;
  private static long stock;

  @BeforeAll
  static void runStockVertx() throws Exception {
    stock = kilobytes("-Dvertx.rdma=off");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "nio"})
  void memoryBeyondStockVertxIsBounded(String fabric) throws Exception {
    long kilobytes = kilobytes("-Dvertx.rdma.streams=all -Dvertx.rdma.fabric=" + fabric);
    assertTrue(kilobytes - stock <= MOST_KILOBYTES, () -> kilobytes + " KiB, stock Vert.x " + stock);
  }

  private static long kilobytes(String properties) throws Exception {
    return Long.parseLong(new ApplicationRun(folder, null).options("{}").environment("JAVA_TOOL_OPTIONS", properties).run("loops")
      .get("resident"));
  }
}
