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
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Devices of this process. Discovered once per set of options and system properties, and opened once. Thread-safe. Methods block. */
final class ProcessDevices {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessDevices.class);
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();
  static final String FABRIC = "fabric";
  private static final Map<CacheKey, ProcessDevices> CACHE = new HashMap<>();

  private final DiscoveryOptions options;
  /** Answers of the searched providers. Guarded by this. */
  private final Map<Provider, Discovery> answers = new LinkedHashMap<>();
  /** The answers together. */
  private volatile Discovery found;
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

  private ProcessDevices(DiscoveryOptions options, List<Provider> searched, List<Provider> skipped) {
    this.options = options;
    this.skipped = skipped;
    this.fallbacks = options.settings().get(FABRIC) == null ? skipped : List.of();
    searched.forEach(provider -> answers.put(provider, Discovery.by(provider, options)));
    found = merge(answers.values());
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
    Map<Boolean, List<Provider>> providers = Provider.all().stream()
      .collect(Collectors.partitioningBy(provider -> forced == null ? !provider.isFallback(options) : provider.owns(forced)));
    boolean isUnknown = forced != null && providers.get(true).isEmpty();
    ProcessDevices devices = new ProcessDevices(options, providers.get(!isUnknown), isUnknown ? List.of() : providers.get(false));
    devices.answers.values().forEach(ProcessDevices::logNotice);
    return devices;
  }

  private static void logNotice(Discovery answer) {
    if (answer.notice() != null && LOGGED.add(answer.notice())) {
      if (answer.demanded()) {
        LOG.warn(answer.notice());
      } else {
        LOG.info(answer.notice());
      }
    }
  }

  private static boolean isIncomplete(Discovery answer) {
    return answer.unavailable().stream().anyMatch(Discovery.Unavailable::temporary);
  }

  boolean mayFindMore() {
    return isIncomplete(found);
  }

  synchronized void findMore() {
    answers.replaceAll((provider, before) -> isIncomplete(before) ? searchAgain(provider, before) : before);
    found = merge(answers.values());
  }

  private Discovery searchAgain(Provider provider, Discovery before) {
    Discovery now = Discovery.by(provider, options);
    Stream<Device> more = now.devices().stream()
      .filter(device -> found.devices().stream().noneMatch(known -> known.name().equals(device.name())));
    return new Discovery(Stream.concat(before.devices().stream(), more).toList(), now.unavailable());
  }

  private static Discovery merge(Collection<Discovery> found) {
    return new Discovery(found.stream().flatMap(each -> each.devices().stream()).toList(),
      found.stream().flatMap(each -> each.unavailable().stream()).toList());
  }

  /** Returns the devices of all providers, for lists and messages only. They must not be opened. */
  ProcessDevices everything() {
    return skipped.isEmpty() ? this : new ProcessDevices(options, Provider.all(), List.of());
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
      List<Discovery> found = fallbacks.stream().map(provider -> Discovery.by(provider, options)).toList();
      found.forEach(ProcessDevices::logNotice);
      fallbackDevices = merge(found).devices();
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
    if (domain.capabilities().singleEndpoint()) {
      domain.close();
      return;
    }
    synchronized (users) {
      if (users.computeIfPresent(domain, (shared, count) -> count == 1 ? null : count - 1) == null) {
        domain.close();
      }
    }
  }
}
