package io.github.vertxrdma.provider;

import io.github.vertxrdma.base.GivenPath;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Options of a search for devices.
 *
 * @param host local address that IP fabrics bind to; null for the loopback address
 * @param settings settings with the provider's name as prefix, such as {@code verbs.device}
 */
public record DiscoveryOptions(InetAddress host, Map<String, String> settings) {
  public DiscoveryOptions {
    host = Objects.requireNonNullElseGet(host, InetAddress::getLoopbackAddress);
    settings = Map.copyOf(settings);
  }

  public DiscoveryOptions() {
    this(null, Map.of());
  }

  public String setting(String key, String fallback) {
    String value = settings.get(key);
    return value != null ? value : System.getProperty("vertx.rdma." + key, fallback);
  }

  /**
   * Returns the folders for files of this user's processes: that of the setting {@code runtime}, otherwise of the variable
   * {@code VERTX_RDMA_RUNTIME}, otherwise {@code vertx-rdma-UID} in the temporary folder, and {@code /run/user/UID/vertx-rdma} while the
   * user has a session. A process uses each that is its user's and gives no rights to others, or that it can create, because other
   * processes may see only one of them. Another user may have taken the name in the temporary folder.
   */
  public List<Path> runtimeFolders(long user) {
    String given = given();
    if (given != null) {
      return List.of(GivenPath.of(given, "VERTX_RDMA_RUNTIME or -Dvertx.rdma.runtime"));
    }
    Path usual = GivenPath.of(System.getProperty("java.io.tmpdir"), "-Djava.io.tmpdir").resolve("vertx-rdma-" + user);
    Path session = session(user);
    return isOwn(session, user) ? List.of(usual, session.resolve("vertx-rdma")) : List.of(usual);
  }

  /** Returns the folder of the user's session if it adds one to {@link #runtimeFolders}, or would; otherwise null. */
  public Path sessionFolder(long user, boolean adds) {
    Path session = session(user);
    return given() == null && isOwn(session, user) == adds && Files.isReadable(session.getParent()) ? session : null;
  }

  private String given() {
    return setting("runtime", System.getenv("VERTX_RDMA_RUNTIME"));
  }

  private static Path session(long user) {
    return Path.of("/run/user", Long.toString(user));
  }

  private static boolean isOwn(Path folder, long user) {
    try {
      return Files.isDirectory(folder)
        && ((Number) Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS)).longValue() == user;
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }
}
