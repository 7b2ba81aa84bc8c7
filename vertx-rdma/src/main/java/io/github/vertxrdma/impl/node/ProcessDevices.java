package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.Selection;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The devices of this process, discovered once per options and system properties, each opened once. Thread-safe. Methods block. */
final class ProcessDevices {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessDevices.class);
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();
  static final String FABRIC = "fabric";
  private static final Map<CacheKey, ProcessDevices> CACHE = new HashMap<>();

  private final DiscoveryOptions options;
  private final List<Device> devices;
  private final List<Discovery.Unavailable> unavailable;
  private final List<Provider> skipped;
  /** Skipped providers that are asked if no other device reaches a peer. */
  private final List<Provider> fallbacks;
  private List<Device> fallbackDevices;
  private final Map<Device, OpenDomain> opened = new HashMap<>();

  /** System properties replace missing settings. */
  private record CacheKey(DiscoveryOptions options, Map<String, String> properties) {
    static CacheKey of(DiscoveryOptions options) {
      return new CacheKey(options, System.getProperties().stringPropertyNames().stream().filter(name -> name.startsWith("vertx.rdma."))
        .collect(Collectors.toMap(name -> name, name -> System.getProperty(name, ""))));
    }
  }

  private static final class OpenDomain {
    final Domain domain;
    int users;

    OpenDomain(Domain domain) {
      this.domain = domain;
    }
  }

  private ProcessDevices(DiscoveryOptions options, Discovery found, List<Provider> skipped, List<Provider> fallbacks) {
    this.options = options;
    this.devices = found.devices();
    this.unavailable = found.unavailable();
    this.skipped = skipped;
    this.fallbacks = fallbacks;
  }

  /** Asks the provider that owns the forced fabric, or all that are no fallback. An empty result is not cached. */
  static ProcessDevices find(DiscoveryOptions options) {
    CacheKey key = CacheKey.of(options);
    synchronized (CACHE) {
      ProcessDevices found = CACHE.get(key);
      if (found == null) {
        found = discover(options);
        if (!found.devices.isEmpty()) {
          CACHE.put(key, found);
        }
      }
      return found;
    }
  }

  private static ProcessDevices discover(DiscoveryOptions options) {
    String forced = options.settings().get(FABRIC);
    List<Provider> asked = new ArrayList<>();
    List<Provider> skipped = new ArrayList<>();
    for (Provider provider : Provider.all()) {
      boolean ask = forced == null ? !provider.isFallback(options) : provider.owns(forced);
      (ask ? asked : skipped).add(provider);
    }
    if (forced != null && asked.isEmpty()) {
      return new ProcessDevices(options, discover(skipped, options), List.of(), List.of());
    }
    return new ProcessDevices(options, discover(asked, options), skipped, forced == null ? skipped : List.of());
  }

  private static Discovery discover(List<Provider> providers, DiscoveryOptions options) {
    List<Discovery> found = ask(providers, options);
    for (Discovery discovery : found) {
      if (discovery.notice() != null && LOGGED.add(discovery.notice())) {
        if (discovery.demanded()) {
          LOG.warn(discovery.notice());
        } else {
          LOG.info(discovery.notice());
        }
      }
    }
    return merge(found);
  }

  private static List<Discovery> ask(List<Provider> providers, DiscoveryOptions options) {
    return providers.stream().map(provider -> Discovery.by(provider, options)).toList();
  }

  private static Discovery merge(List<Discovery> found) {
    return new Discovery(found.stream().flatMap(each -> each.devices().stream()).toList(),
      found.stream().flatMap(each -> each.unavailable().stream()).toList());
  }

  /** Returns the devices of all providers, for lists and messages. They must not be opened. */
  ProcessDevices everything() {
    return skipped.isEmpty() ? this : new ProcessDevices(options, merge(ask(Provider.all(), options)), List.of(), List.of());
  }

  List<Device> all() {
    return devices;
  }

  List<Discovery.Unavailable> unavailable() {
    return unavailable;
  }

  boolean hasFallbacks() {
    return !fallbacks.isEmpty();
  }

  synchronized List<Device> fallbackDevices() {
    if (fallbackDevices == null) {
      fallbackDevices = discover(fallbacks, options).devices();
    }
    return fallbackDevices;
  }

  RdmaException noUsableDevice(String forced, Selection selection) {
    List<Selection.Refusal> refused = selection.refused().stream()
      .filter(each -> forced == null || each.device().name().equals(forced) || each.device().fabric().equals(forced)).toList();
    if (forced != null && refused.isEmpty()) {
      return new RdmaException(Reason.UNSUPPORTED, new Discovery(devices, unavailable).without(forced));
    }
    String found = refused.stream().map(Object::toString).collect(Collectors.joining("; "));
    String missing = forced != null ? "" : unavailable.stream().map(Object::toString).collect(Collectors.joining("; "));
    return new RdmaException(Reason.UNSUPPORTED, "no device can be used" + (found.isEmpty() ? "" : "; found: " + found)
      + (missing.isEmpty() ? "" : "; missing: " + missing));
  }

  /** Opens a device or shares its domain, until {@link #release}. Nodes do not share a domain that has one endpoint. */
  Domain acquire(Device device) {
    if (device.capabilities().singleEndpoint()) {
      return device.open();
    }
    synchronized (opened) {
      OpenDomain o = opened.computeIfAbsent(device, d -> new OpenDomain(d.open()));
      o.users++;
      return o.domain;
    }
  }

  void release(Device device, Domain domain) {
    if (device.capabilities().singleEndpoint()) {
      domain.close();
      return;
    }
    synchronized (opened) {
      OpenDomain o = opened.get(device);
      if (o != null && --o.users == 0) {
        opened.remove(device);
        o.domain.close();
      }
    }
  }
}
