package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.RandomOperations;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

@OverFabrics(value = StandInDevices.EFA, full = {StandInDevices.CXI, StandInDevices.OPX})
class AdapterFaultsTest extends RandomOperations {
  @Parameter
  private String name;

  @Override
  protected FabricDevice device() {
    return StandInDevices.device(name);
  }

  @Override
  protected void failAtRandom(int seed, int every) {
    StandInDevices.standIn().failAtRandom(device().info.provider(), seed, every);
  }

  @Override
  protected List<String> launcher() {
    return StandInDevices.standIn().launcher();
  }

  @AfterEach
  void nothingIsLeft() {
    assertEquals(0, StandInDevices.standIn().regions(device().info.provider()));
  }

  @Test
  @Timeout(120)
  void someOperationsEndOnce() throws Exception {
    runInOneProcess(5_000, 4711);
  }

  @Test
  @Timeout(300)
  void operationsBetweenProcessesEndOnce() throws Exception {
    runBetweenProcesses(10_000, (int) System.nanoTime());
  }

  @Test
  @Tag("full")
  @Timeout(1800)
  void manyOperationsEndOnce() throws Exception {
    runInOneProcess(100_000, (int) System.nanoTime());
  }
}
