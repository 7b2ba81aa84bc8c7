package io.github.vertxrdma.provider.ffi;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;

/** Devices that the kernel lists by class and driver, whether or not programs can open them; sysfs(5). Needs no library. */
public final class KernelDevices {
  private static final Path CLASSES = Path.of("/sys/class");

  private KernelDevices() {
  }

  /** Returns whether there is a device of one of these classes in this network namespace, or it is unknown. */
  public static boolean mayHave(String... classes) {
    return mayHave(CLASSES, classes);
  }

  /** Returns whether there is a device of a class in this network namespace with one of these drivers, or it is unknown. */
  public static boolean mayHaveDriver(String deviceClass, Set<String> drivers) {
    return mayHaveDriver(CLASSES, deviceClass, drivers);
  }

  static boolean mayHaveDriver(Path all, String deviceClass, Set<String> drivers) {
    if (Files.notExists(all)) {
      return true;
    }
    try (DirectoryStream<Path> devices = Files.newDirectoryStream(all.resolve(deviceClass))) {
      for (Path device : devices) {
        Path driver = device.resolve("device/driver");
        if (Files.exists(driver) && drivers.contains(driver.toRealPath().getFileName().toString())) {
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

  static boolean mayHave(Path all, String... classes) {
    if (Files.notExists(all)) {
      return true;
    }
    for (String each : classes) {
      try (DirectoryStream<Path> devices = Files.newDirectoryStream(all.resolve(each))) {
        if (devices.iterator().hasNext()) {
          return true;
        }
      } catch (NoSuchFileException e) {
        // No driver of this class is loaded.
      } catch (IOException e) {
        return true;
      }
    }
    return false;
  }
}
