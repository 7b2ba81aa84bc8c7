package io.github.vertxrdma.cli;

import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.poll.NativeEpoll;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Checks what a node needs besides devices to use a fabric. */
final class NodeCheck implements Check {
  private final Supplier<Optional<NativeEpoll.Missing>> epoll;

  NodeCheck(Supplier<Optional<NativeEpoll.Missing>> epoll) {
    this.epoll = epoll;
  }

  @Override
  public List<Finding> run(Machine machine) {
    return Stream.of(Stream.of(epoll()), RuntimeFolder.paths().stream().map(NodeCheck::runtimeFolder), Stream.of(secret()))
      .flatMap(findings -> findings).toList();
  }

  private Finding epoll() {
    return epoll.get().map(missing -> Finding.failure("epoll", missing.cause() + "; event buses and servers use TCP", missing.remedy()))
      .orElseGet(() -> Finding.ok("epoll", "Netty's native library loads here"));
  }

  private static Finding runtimeFolder(Path path) {
    Path folder = path.toAbsolutePath();
    try {
      if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
        RuntimeFolder.check(folder);
      }
    } catch (IOException e) {
      return Finding.failure("runtime folder", e.getMessage(), "export " + RuntimeFolder.VARIABLE + "=FOLDER");
    }
    Path present = folder;
    while (!Files.exists(present)) {
      present = present.getParent();
    }
    return Files.isDirectory(present) && Files.isWritable(present)
      ? Finding.ok("runtime folder", folder + (present.equals(folder) ? "" : ", which the first node creates"))
      : Finding.failure("runtime folder", folder + " cannot be written: " + present + " is not a folder that this user may write",
        "export " + RuntimeFolder.VARIABLE + "=FOLDER");
  }

  private static Finding secret() {
    if (!ClusterSecret.isConfigured()) {
      return Finding.ok("cluster secret", "the one of this user on this host. Processes of several hosts or users need a common secret: "
        + ClusterSecret.FILE_VARIABLE + " or " + ClusterSecret.VARIABLE);
    }
    try {
      return Finding.ok("cluster secret", ClusterSecret.load(null).toString());
    } catch (IOException | IllegalArgumentException e) {
      return Finding.failure("cluster secret", e.getMessage(), "head -c 32 /dev/urandom | base64 > FILE; export "
        + ClusterSecret.FILE_VARIABLE + "=FILE");
    }
  }
}
