package io.github.vertxrdma.provider.ffi;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Devices that the kernel lists in sysfs(5) by class and driver, even those that programs cannot open. */
public final class KernelDevices {
  private static final Path CLASSES = Path.of("/sys/class");

  /** Folder with a folder for each RDMA adapter, except those of Slingshot. */
  public static final Path ADAPTERS = CLASSES.resolve("infiniband");
  private static final int UNKNOWN = -1;

  private KernelDevices() {
  }

  /**
   * Returns the folders with a file for each counter of an adapter and its port; sysfs-class-infiniband in Linux's
   * Documentation/ABI/stable.
   */
  public static List<Path> counterFolders(Path adapter, int port) {
    return Stream.of("ports/" + port + "/counters", "ports/" + port + "/hw_counters", "hw_counters").map(adapter::resolve)
      .filter(Files::isDirectory).toList();
  }

  /** Returns an adapter's NUMA node, or -1 if the kernel names none. */
  public static int numaNode(Path adapter) {
    try {
      return Math.max(UNKNOWN, Integer.parseInt(Files.readString(adapter.resolve("device/numa_node")).trim()));
    } catch (NumberFormatException | IOException e) {
      return UNKNOWN;
    }
  }

  /** Returns whether the kernel lists devices of a class in this network namespace; true if unknown. */
  public static boolean mayHave(String deviceClass) {
    return mayHave(CLASSES, deviceClass, null);
  }

  /** Returns whether the kernel lists a device with one of these drivers; true if unknown. */
  public static boolean mayHaveDriver(String deviceClass, Set<String> drivers) {
    return mayHave(CLASSES, deviceClass, drivers);
  }

  static boolean mayHave(Path all, String deviceClass, Set<String> drivers) {
    if (Files.notExists(all)) {
      return true;
    }
    try (DirectoryStream<Path> devices = Files.newDirectoryStream(all.resolve(deviceClass))) {
      for (Path device : devices) {
        Path driver = device.resolve("device/driver");
        if (drivers == null || Files.exists(driver) && drivers.contains(driver.toRealPath().getFileName().toString())) {
          return true;
        }
      }
      return false;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
