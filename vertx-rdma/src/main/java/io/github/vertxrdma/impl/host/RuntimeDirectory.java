package io.github.vertxrdma.impl.host;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Where processes of one user on one host meet: the directory named by the system property {@value #PROPERTY}, else {@code vertx-rdma} in
 * {@code $XDG_RUNTIME_DIR}, else {@code /tmp/vertx-rdma-<user>}. It belongs to the user and has mode 0700; a directory that somebody
 * else prepared is refused.
 */
public final class RuntimeDirectory {
  /** System property that names another directory. */
  public static final String PROPERTY = "vertx.rdma.runtimeDir";

  /** What the files in it have: mode 0600. */
  public static final Set<PosixFilePermission> FILE_MODE = Set.copyOf(PosixFilePermissions.fromString("rw-------"));

  private static final Set<PosixFilePermission> MODE = EnumSet.copyOf(PosixFilePermissions.fromString("rwx------"));

  private RuntimeDirectory() {
  }

  /** Where it is, existing or not. */
  public static Path path() {
    String named = System.getProperty(PROPERTY);
    if (named != null && !named.isEmpty()) {
      return Path.of(named).toAbsolutePath();
    }
    String xdg = System.getenv("XDG_RUNTIME_DIR");
    if (xdg != null && !xdg.isEmpty() && Files.isWritable(Path.of(xdg))) {
      return Path.of(xdg, "vertx-rdma").toAbsolutePath();
    }
    Path tmp = Path.of("/tmp");
    return (Files.isDirectory(tmp) ? tmp : Path.of(System.getProperty("java.io.tmpdir")))
      .resolve("vertx-rdma-" + System.getProperty("user.name"));
  }

  /**
   * Makes it where it is missing.
   *
   * @throws IOException if it cannot be made or is not this user's alone
   */
  public static Path open() throws IOException {
    Path path = path();
    try {
      Files.createDirectory(path, PosixFilePermissions.asFileAttribute(MODE));
    } catch (FileAlreadyExistsException e) {
      // Checked below, as a new one is.
    }
    if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || !isOwn(path)
      || !Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS).equals(MODE)) {
      throw new IOException("The runtime directory " + path + " is not a directory of this user with mode 0700; remove it, or name another"
        + " one with -D" + PROPERTY + "=");
    }
    return path;
  }

  /** Whether a file belongs to the user of this process. Links are not followed. */
  public static boolean isOwn(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
  }
}
