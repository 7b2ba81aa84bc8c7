package io.github.vertxrdma.provider;

import java.net.InetAddress;
import java.util.Map;
import java.util.Objects;

/**
 * Options of a search for devices.
 *
 * @param host local address that IP fabrics bind to by default; null for the loopback address
 * @param settings settings of providers, with keys prefixed by the provider's name ({@code libfabric}: the library's path, {@code
 * verbs.device}); unknown ones are ignored
 */
public record DiscoveryOptions(InetAddress host, Map<String, String> settings) {
  public DiscoveryOptions {
    host = Objects.requireNonNullElseGet(host, InetAddress::getLoopbackAddress);
    settings = Map.copyOf(settings);
  }

  public DiscoveryOptions() {
    this(null, Map.of());
  }

  /** Returns a setting, otherwise the system property {@code vertx.rdma.<key>}, otherwise the fallback. */
  public String setting(String key, String fallback) {
    String value = settings.get(key);
    return value != null ? value : System.getProperty("vertx.rdma." + key, fallback);
  }
}
