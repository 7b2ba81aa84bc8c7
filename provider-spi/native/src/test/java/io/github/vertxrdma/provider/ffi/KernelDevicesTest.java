package io.github.vertxrdma.provider.ffi;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelDevicesTest {
  @TempDir
  Path classes;

  @Test
  void deviceOfTheClassIsFound() throws Exception {
    Files.createDirectories(classes.resolve("infiniband"));
    Files.createDirectories(classes.resolve("net/lo"));
    assertFalse(KernelDevices.mayHave(classes, "infiniband", null), "a driver is loaded, and no device is there");
    assertFalse(KernelDevices.mayHave(classes, "cxi", null), "no driver is loaded");
    Files.createDirectories(classes.resolve("cxi/cxi0"));
    assertTrue(KernelDevices.mayHave(classes, "cxi", null));
    assertFalse(KernelDevices.mayHave(classes, "infiniband", null));
  }

  @Test
  void deviceIsFoundByItsDriver() throws Exception {
    Path driver = Files.createDirectories(classes.resolve("drivers/efa"));
    Path device = Files.createDirectories(classes.resolve("infiniband/rdmap0s6/device"));
    Set<String> drivers = Set.of("efa", "hfi1");
    assertFalse(KernelDevices.mayHave(classes, "infiniband", drivers), "software devices have no driver");
    assertFalse(KernelDevices.mayHave(classes, "cxi", drivers));
    Files.createSymbolicLink(device.resolve("driver"), driver);
    assertTrue(KernelDevices.mayHave(classes, "infiniband", drivers));
    assertFalse(KernelDevices.mayHave(classes, "infiniband", Set.of("mlx5_core")));
    assertTrue(KernelDevices.mayHave(classes.resolve("none"), "infiniband", drivers));
  }

  @Test
  void unknownKernelStateCountsAsDevicePresent() {
    assertTrue(KernelDevices.mayHave(classes.resolve("none"), "infiniband", null));
  }
}
