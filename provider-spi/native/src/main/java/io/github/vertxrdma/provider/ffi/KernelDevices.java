package io.github.vertxrdma.provider.ffi;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Devices that the kernel lists by class, whether or not programs can open them; sysfs(5). Needs no library. */
public final class KernelDevices {
  private static final Path CLASSES = Path.of("/sys/class");

  private KernelDevices() {
  }

  /** Returns whether there is a device of one of these classes in this network namespace, or it is unknown. */
  public static boolean mayHave(String... classes) {
    return mayHave(CLASSES, classes);
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
