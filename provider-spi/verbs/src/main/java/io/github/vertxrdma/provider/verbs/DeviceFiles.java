package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.KernelDevices;
import io.github.vertxrdma.provider.ffi.RootCommand;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

final class DeviceFiles {
  private static final Path FOLDER = Path.of("/dev/infiniband");

  private DeviceFiles() {
  }

  static boolean mayHaveDevices() {
    return KernelDevices.mayHave("infiniband");
  }

  static Discovery.Unavailable noDevice() {
    return new Discovery.Unavailable(VerbsProvider.NAME, "this machine has no RDMA device", "create a software device on a network "
      + "interface: '"
      + RootCommand.of("rdma link add siw0 type siw netdev eth0'")
      + " or '… rxe0 type rxe …'; give a container the device with '--device /dev/infiniband'");
  }

  /** Returns EACCES if a device file is not accessible, because libibverbs then reports ENOENT. */
  static int errno(int reported) {
    return (reported == Errno.ENOENT || reported == Errno.ENODEV) && forbidden() ? Errno.EACCES : reported;
  }

  private static boolean forbidden() {
    File[] files = FOLDER.toFile().listFiles((folder, name) -> name.startsWith("uverbs"));
    return files != null && Arrays.stream(files).anyMatch(file -> !file.canRead() || !file.canWrite());
  }

  static Reason reason(int errno) {
    return switch (errno) {
      case Errno.EACCES, Errno.EPERM -> Reason.PERMISSION;
      case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM -> Reason.LIMIT;
      default -> Reason.MISSING;
    };
  }

  static String remedy(int errno) {
    return switch (errno) {
      case Errno.EACCES, Errno.EPERM ->
        "give this user the right to open /dev/infiniband/uverbs*: a udev rule, or the group that owns them";
      case Errno.ENOENT, Errno.ENODEV -> Files.exists(FOLDER) ? "its file in /dev/infiniband is missing: "
        + RootCommand.of("modprobe ib_uverbs")
        : "/dev/infiniband is missing: " + RootCommand.of("modprobe ib_uverbs")
          + "; in a container pass it on with '--device /dev/infiniband'";
      case Errno.EMFILE -> "raise 'ulimit -n'";
      default -> "";
    };
  }
}
