package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.base.FileErrors;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.SystemError;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.Native;
import io.netty.channel.unix.Socket;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/** Finds out why Netty's epoll library is unusable. */
public final class NativeEpoll {
  private static final String FOLDER = "io.netty.native.workdir";
  private static final String SWITCH = "io.netty.transport.noNative";

  private NativeEpoll() {
  }

  public record Missing(String cause, String remedy) {
    @Override
    public String toString() {
      return cause + ". " + remedy;
    }
  }

  /** Returns empty if epoll is usable. Blocks; thread-safe. */
  public static Optional<Missing> missing() {
    Throwable cause;
    try {
      cause = Epoll.unavailabilityCause();
    } catch (LinkageError e) {
      cause = e;
    }
    return cause == null ? refused() : Optional.of(missing(cause));
  }

  /** Checks timerfd_create(2), which only epoll event loops need and a container may forbid. Ignores exceeded limits. */
  private static Optional<Missing> refused() {
    try {
      Native.newTimerFd().close();
    } catch (ChannelException | IOException e) {
      if (!RuntimeFolder.isLimit(e)) {
        return Optional.of(new Missing(e.getMessage(),
          "Permit timerfd_create in the seccomp profile of the container (SystemCallFilter= of a systemd unit)"));
      }
    }
    return Optional.empty();
  }

  private static Missing missing(Throwable cause) {
    if (!PlatformDependent.normalizedOs().equals("linux")) {
      return new Missing("this system is not Linux", "Use Linux for event buses over shared memory and RDMA");
    }
    if (Boolean.getBoolean(SWITCH)) {
      return new Missing("-D" + SWITCH + "=true disables Netty's native libraries", "Remove that option");
    }
    List<Throwable> all = causes(cause);
    if (all.stream().anyMatch(IllegalCallerException.class::isInstance)) {
      return new Missing("Java does not let Netty load its native library", "Start Java with --enable-native-access=ALL-UNNAMED");
    }
    Path folder = Path.of(System.getProperty(FOLDER, PlatformDependent.tmpdir().getPath())).toAbsolutePath();
    String other = "set -D" + FOLDER + "=FOLDER to a folder that is writable and not mounted noexec";
    if (isNoexec(folder)) {
      return new Missing("the temporary folder " + folder + " is mounted noexec, so Netty cannot load its native library from it",
        "Mount it with exec (Docker: --tmpfs " + folder + ":exec), or " + other);
    }
    if (!Files.isWritable(folder)) {
      return new Missing("the temporary folder " + folder + (isReadOnly(folder) ? " is mounted read-only" : " is not writable")
        + ", so Netty cannot unpack its native library there", "Make it writable, or " + other);
    }
    String netty = version(Channel.class);
    for (Class<?> part : List.of(Socket.class, Epoll.class)) {
      String version = version(part);
      if (netty != null && version != null && !netty.equals(version)) {
        return new Missing("the class path has " + jar(part).getFileName() + " of Netty " + version + " together with Netty " + netty,
          "Give all jars of Netty one version, for example by importing io.netty:netty-bom");
      }
    }
    String platform = PlatformDependent.normalizedArch();
    if (Epoll.class.getClassLoader().getResource("META-INF/native/libnetty_transport_native_epoll_" + platform + ".so") == null) {
      return new Missing("Netty's native library is not on the class path", "Add io.netty:netty-transport-native-epoll:"
        + (netty == null ? "VERSION" : netty) + " with the classifier linux-" + platform);
    }
    for (Throwable each : all) {
      if (each instanceof IOException) {
        return new Missing("Netty cannot unpack its native library into the temporary folder " + folder + ": " + FileErrors.words(each),
          switch (SystemError.of(each)) {
            case EFBIG -> "Raise the limit of files with 'ulimit -f unlimited' or LimitFSIZE=";
            case ENOSPC, EDQUOT -> "Make room there";
            default -> "Give this user the rights on files that it makes there (umask)";
          } + ", or " + other);
      }
    }
    return new Missing("Netty cannot load its native library: " + all.getLast(), "Remove the cause that the message names");
  }

  private static List<Throwable> causes(Throwable cause) {
    List<Throwable> all = new ArrayList<>(List.of(cause));
    for (int i = 0; i < all.size(); i++) {
      Throwable next = all.get(i);
      if (next.getCause() != null && !all.contains(next.getCause())) {
        all.add(next.getCause());
      }
      all.addAll(List.of(next.getSuppressed()));
    }
    return all;
  }

  private static String version(Class<?> type) {
    try (JarFile jar = new JarFile(jar(type).toFile())) {
      return jar.getManifest() == null ? null : jar.getManifest().getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  private static Path jar(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }

  private static boolean isNoexec(Path folder) {
    try {
      Path probe = Files.createTempFile(folder, "vertx-rdma", null);
      try {
        // Set later, because umask(2) may remove permissions of new files.
        Files.setPosixFilePermissions(probe, PosixFilePermissions.fromString("rwx------"));
        // access(2) reports files as not executable if their folder is mounted noexec.
        return !Files.isExecutable(probe);
      } finally {
        Files.delete(probe);
      }
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isReadOnly(Path folder) {
    try {
      return Files.getFileStore(folder).isReadOnly();
    } catch (IOException e) {
      return false;
    }
  }
}
