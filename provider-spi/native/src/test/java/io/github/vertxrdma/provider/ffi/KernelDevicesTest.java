package io.github.vertxrdma.provider.ffi;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelDevicesTest {
  @TempDir
  Path classes;

  @Test
  void aDeviceOfAnyOfTheClassesCounts() throws Exception {
    Files.createDirectories(classes.resolve("infiniband"));
    Files.createDirectories(classes.resolve("net/lo"));
    assertFalse(KernelDevices.mayHave(classes, "infiniband", "cxi"), "a driver is loaded, and no device is there");
    Files.createDirectories(classes.resolve("cxi/cxi0"));
    assertTrue(KernelDevices.mayHave(classes, "infiniband", "cxi"));
    assertFalse(KernelDevices.mayHave(classes, "infiniband"));
  }

  @Test
  void whereTheKernelTellsNothingThereMayBeOne() {
    assertTrue(KernelDevices.mayHave(classes.resolve("none"), "infiniband"));
  }
}
