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
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Devices of this process. Discovered once per set of options and system properties, and opened once. Thread-safe. Methods block. */
final class ProcessDevices {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessDevices.class);
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();
  static final String FABRIC = "fabric";
  private static final Map<CacheKey, ProcessDevices> CACHE = new HashMap<>();

  private final DiscoveryOptions options;
  private volatile Discovery found;
  /** Providers with temporarily missing devices. Guarded by this. */
  private List<Provider> incomplete = List.of();
  private final List<Provider> skipped;
  /** Providers that are searched only if no other device reaches a peer. */
  private final List<Provider> fallbacks;
  private List<Device> fallbackDevices;
  /** Open domains with their numbers of users. */
  private final Map<Domain, Integer> users = new IdentityHashMap<>();

  /** Contains system properties, because they are defaults of missing settings. */
  private record CacheKey(DiscoveryOptions options, Map<String, String> properties) {
    static CacheKey of(DiscoveryOptions options) {
      return new CacheKey(options, System.getProperties().stringPropertyNames().stream().filter(name -> name.startsWith("vertx.rdma."))
        .collect(Collectors.toMap(name -> name, name -> System.getProperty(name, ""))));
    }
  }

  private ProcessDevices(DiscoveryOptions options, Discovery found, List<Provider> skipped, List<Provider> fallbacks) {
    this.options = options;
    this.found = found;
    this.skipped = skipped;
    this.fallbacks = fallbacks;
  }

  /** Finds the devices of the forced fabric's provider, otherwise of all providers except fallbacks. An empty result is not cached. */
  static ProcessDevices find(DiscoveryOptions options) {
    CacheKey key = CacheKey.of(options);
    synchronized (CACHE) {
      ProcessDevices found = CACHE.get(key);
      if (found == null) {
        found = discover(options);
        if (!found.all().isEmpty()) {
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
    boolean isUnknown = forced != null && asked.isEmpty();
    List<Provider> searched = isUnknown ? skipped : asked;
    List<Discovery> answers = ask(searched, options);
    ProcessDevices devices = new ProcessDevices(options, noticed(answers), isUnknown ? List.of() : skipped,
      forced == null ? skipped : List.of());
    devices.incomplete = searched.stream().filter(provider -> isIncomplete(answers.get(searched.indexOf(provider)))).toList();
    return devices;
  }

  private static Discovery noticed(List<Discovery> found) {
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

  private static boolean isIncomplete(Discovery answer) {
    return answer.unavailable().stream().anyMatch(Discovery.Unavailable::temporary);
  }

  boolean mayFindMore() {
    return isIncomplete(found);
  }

  synchronized void findMore() {
    List<Device> devices = new ArrayList<>(found.devices());
    Set<String> known = devices.stream().map(Device::name).collect(Collectors.toSet());
    List<Discovery.Unavailable> missing = new ArrayList<>(found.unavailable());
    missing.removeIf(Discovery.Unavailable::temporary);
    List<Provider> still = new ArrayList<>();
    for (Provider provider : incomplete) {
      Discovery answer = Discovery.by(provider, options);
      answer.devices().stream().filter(device -> known.add(device.name())).forEach(devices::add);
      answer.unavailable().stream().filter(each -> !missing.contains(each)).forEach(missing::add);
      if (isIncomplete(answer)) {
        still.add(provider);
      }
    }
    incomplete = still;
    found = new Discovery(devices, missing);
  }

  private static Discovery merge(List<Discovery> found) {
    return new Discovery(found.stream().flatMap(each -> each.devices().stream()).toList(),
      found.stream().flatMap(each -> each.unavailable().stream()).toList());
  }

  /** Returns the devices of all providers, for lists and messages only. They must not be opened. */
  ProcessDevices everything() {
    return skipped.isEmpty() ? this : new ProcessDevices(options, merge(ask(Provider.all(), options)), List.of(), List.of());
  }

  List<Device> all() {
    return found.devices();
  }

  List<Discovery.Unavailable> unavailable() {
    return found.unavailable();
  }

  boolean hasFallbacks() {
    return !fallbacks.isEmpty();
  }

  synchronized List<Device> fallbackDevices() {
    if (fallbackDevices == null) {
      fallbackDevices = noticed(ask(fallbacks, options)).devices();
    }
    return fallbackDevices;
  }

  RdmaException noUsableDevice(String forced, Selection selection) {
    List<Selection.Refusal> refused = selection.refused().stream()
      .filter(each -> forced == null || each.device().name().equals(forced) || each.device().fabric().equals(forced)).toList();
    if (forced != null && refused.isEmpty()) {
      return new RdmaException(Reason.UNSUPPORTED, found.without(forced));
    }
    String unfit = refused.stream().map(Object::toString).collect(Collectors.joining("; "));
    String missing = forced != null ? "" : unavailable().stream().map(Object::toString).collect(Collectors.joining("; "));
    return new RdmaException(Reason.UNSUPPORTED, "no device can be used" + (unfit.isEmpty() ? "" : "; unusable: "
      + unfit) + (missing.isEmpty() ? "" : "; missing: " + missing));
  }

  /**
   * Returns a domain of a device, which users share until {@link #release}. Opens a new domain if the device has a single endpoint or its
   * domain is lost.
   */
  Domain acquire(Device device) {
    if (device.capabilities().singleEndpoint()) {
      return device.open();
    }
    synchronized (users) {
      Domain shared = users.keySet().stream().filter(open -> open.device().equals(device) && !open.isLost()).findFirst()
        .orElseGet(device::open);
      users.merge(shared, 1, Integer::sum);
      return shared;
    }
  }

  /** Closes the domain if it has no other user. */
  void release(Domain domain) {
    synchronized (users) {
      if (users.computeIfPresent(domain, (shared, count) -> count == 1 ? null : count - 1) == null) {
        domain.close();
      }
    }
  }
}
