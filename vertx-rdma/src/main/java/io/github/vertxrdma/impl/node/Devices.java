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

/**
 * The devices of this process: found once for each set of options and system properties, each opened once however many use it.
 * Thread-safe; its methods block.
 */
final class Devices {
  private static final Logger LOG = LoggerFactory.getLogger(Devices.class);
  /** Notices of providers that were logged, each once in a process. */
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();
  /** The setting of a forced fabric. */
  static final String FABRIC = "fabric";
  private static final Map<Asked, Devices> FOUND = new HashMap<>();

  private final DiscoveryOptions options;
  private final List<Device> devices;
  private final List<Discovery.Unavailable> unavailable;
  /** Providers that were not asked: where a fabric is forced, all that do not own it. */
  private final List<Provider> others;
  /** Those of them that are asked when nothing else reaches a peer. */
  private final List<Provider> fallbacks;
  private List<Device> ofFallbacks;
  private final Map<Device, Opened> opened = new HashMap<>();

  /** All that devices depend on: system properties stand in for settings that are not among the options. */
  private record Asked(DiscoveryOptions options, Map<String, String> properties) {
    static Asked now(DiscoveryOptions options) {
      return new Asked(options, System.getProperties().stringPropertyNames().stream().filter(name -> name.startsWith("vertx.rdma."))
        .collect(Collectors.toMap(name -> name, name -> System.getProperty(name, ""))));
    }
  }

  /** A domain and how many use it. */
  private static final class Opened {
    final Domain domain;
    int users;

    Opened(Domain domain) {
      this.domain = domain;
    }
  }

  private Devices(DiscoveryOptions options, Discovery found, List<Provider> others, List<Provider> fallbacks) {
    this.options = options;
    this.devices = found.devices();
    this.unavailable = found.unavailable();
    this.others = others;
    this.fallbacks = fallbacks;
  }

  /**
   * Looks for devices, until there are some: of the provider that owns the fabric which is forced, or of all that are no fallback. Blocks.
   */
  static Devices find(DiscoveryOptions options) {
    Asked asked = Asked.now(options);
    synchronized (FOUND) {
      Devices found = FOUND.get(asked);
      if (found == null) {
        found = look(options);
        if (!found.devices.isEmpty()) {
          FOUND.put(asked, found);
        }
      }
      return found;
    }
  }

  private static Devices look(DiscoveryOptions options) {
    String forced = options.settings().get(FABRIC);
    List<Provider> asked = new ArrayList<>();
    List<Provider> others = new ArrayList<>();
    for (Provider provider : Provider.all()) {
      boolean ask = forced == null ? !provider.isFallback(options) : provider.owns(forced);
      (ask ? asked : others).add(provider);
    }
    if (forced != null && asked.isEmpty()) {
      return new Devices(options, look(others, options), List.of(), List.of());
    }
    return new Devices(options, look(asked, options), others, forced == null ? others : List.of());
  }

  /** Asks providers whose devices are to be used, and logs their notices. */
  private static Discovery look(List<Provider> providers, DiscoveryOptions options) {
    List<Discovery> found = ask(providers, options);
    for (Discovery discovery : found) {
      if (discovery.notice() != null && LOGGED.add(discovery.notice())) {
        LOG.info(discovery.notice());
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

  /**
   * Returns the devices of every provider, for lists and messages; they must not be opened. Logs no notices, since nothing uses the
   * devices. Blocks.
   */
  Devices everything() {
    return others.isEmpty() ? this : new Devices(options, merge(ask(Provider.all(), options)), List.of(), List.of());
  }

  List<Device> all() {
    return devices;
  }

  /** Whether there are providers that are asked when nothing else reaches a peer. */
  boolean hasFallbacks() {
    return !fallbacks.isEmpty();
  }

  /** Devices of those; asks them the first time. Blocks. */
  synchronized List<Device> ofFallbacks() {
    if (ofFallbacks == null) {
      ofFallbacks = look(fallbacks, options).devices();
    }
    return ofFallbacks;
  }

  /** Tells why none of them can be used. @param forced the fabric or device that was asked for, null for any */
  RdmaException none(String forced, Selection selection) {
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

  /** Opens a device or takes part in its domain; each call wants a {@link #release}. Blocks. */
  Domain acquire(Device device) {
    synchronized (opened) {
      Opened o = opened.computeIfAbsent(device, d -> new Opened(d.open()));
      o.users++;
      return o.domain;
    }
  }

  /** Closes the domain when nobody uses it any more. Blocks. */
  void release(Device device) {
    synchronized (opened) {
      Opened o = opened.get(device);
      if (o != null && --o.users == 0) {
        opened.remove(device);
        o.domain.close();
      }
    }
  }
}
