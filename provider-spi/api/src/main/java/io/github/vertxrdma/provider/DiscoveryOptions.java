package io.github.vertxrdma.provider;

import io.github.vertxrdma.base.GivenPath;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
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
   * Returns the folder for files of this user's processes: the setting {@code runtime}, otherwise the variable {@code VERTX_RDMA_RUNTIME},
   * otherwise {@code vertx-rdma-UID} in the temporary folder, or {@code /run/user/UID/vertx-rdma} if this user can use only that.
   */
  public Path runtimeFolder(long user) {
    String given = setting("runtime", System.getenv("VERTX_RDMA_RUNTIME"));
    if (given != null) {
      return GivenPath.of(given, "VERTX_RDMA_RUNTIME or -Dvertx.rdma.runtime");
    }
    Path usual = GivenPath.of(System.getProperty("java.io.tmpdir"), "-Djava.io.tmpdir").resolve("vertx-rdma-" + user);
    return chosen(usual, Path.of("/run/user", Long.toString(user)), user);
  }

  static Path chosen(Path usual, Path ofUser, long user) {
    return isUsable(usual, user) || !isUsable(ofUser, user) || !Files.isDirectory(ofUser) ? usual : ofUser.resolve("vertx-rdma");
  }

  private static boolean isUsable(Path folder, long user) {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return Files.isWritable(folder.toAbsolutePath().getParent());
    }
    try {
      return ((Number) Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS)).longValue() == user && Files.isWritable(folder);
    } catch (IOException | UnsupportedOperationException e) {
      return Files.isWritable(folder);
    }
  }
}
