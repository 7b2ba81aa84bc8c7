package io.github.vertxrdma.provider;

import java.net.InetAddress;
import java.util.Map;
import java.util.Objects;

/**
 * What to look for.
 *
 * @param host the local address that fabrics reached by IP bind to by default; null for the loopback address
 * @param settings a provider's own settings, keys prefixed by its name ({@code libfabric}: the library's path, {@code verbs.device});
 *   unknown ones are ignored
 */
public record DiscoveryOptions(InetAddress host, Map<String, String> settings) {
  public DiscoveryOptions {
    host = Objects.requireNonNullElseGet(host, InetAddress::getLoopbackAddress);
    settings = Map.copyOf(settings);
  }

  public DiscoveryOptions() {
    this(null, Map.of());
  }

  /** A setting, else the system property {@code vertx.rdma.<key>}, else the fallback. */
  public String setting(String key, String fallback) {
    String value = settings.get(key);
    return value != null ? value : System.getProperty("vertx.rdma." + key, fallback);
  }
}
