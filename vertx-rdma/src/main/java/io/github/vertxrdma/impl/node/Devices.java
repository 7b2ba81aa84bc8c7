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
import java.util.stream.Collectors;

/** The devices of this process: found once for each set of options, each opened once however many use it. Thread-safe; its methods block. */
final class Devices {
  private static final Logger LOG = LoggerFactory.getLogger(Devices.class);
  private static final String ALLOW = "allow it with --enable-native-access=ALL-UNNAMED, or io.github.vertxrdma.provider.ffi on the module path";
  /** The setting of a forced fabric. */
  static final String FABRIC = "fabric";
  private static final Map<DiscoveryOptions, Devices> FOUND = new HashMap<>();

  private final DiscoveryOptions options;
  private final boolean all;
  private final List<Device> devices;
  private final List<Discovery.Unavailable> unavailable;
  private final Map<Device, Opened> opened = new HashMap<>();

  /** A domain and how many use it. */
  private static final class Opened {
    final Domain domain;
    int users;

    Opened(Domain domain) {
      this.domain = domain;
    }
  }

  private Devices(DiscoveryOptions options, boolean all, List<Device> devices, List<Discovery.Unavailable> unavailable) {
    this.options = options;
    this.all = all;
    this.devices = List.copyOf(devices);
    this.unavailable = List.copyOf(unavailable);
  }

  /** Looks for devices, the first time; where a fabric is forced that one provider owns, for that provider's. Blocks. */
  static Devices find(DiscoveryOptions options) {
    synchronized (FOUND) {
      return FOUND.computeIfAbsent(options, o -> {
        List<Provider> providers = Provider.all();
        String forced = o.settings().get(FABRIC);
        List<Provider> owners = forced == null ? List.of() : providers.stream().filter(p -> p.owns(forced)).toList();
        return owners.isEmpty() ? look(providers, true, o) : look(owners, false, o);
      });
    }
  }

  private static Devices look(List<Provider> providers, boolean all, DiscoveryOptions options) {
    List<Device> devices = new ArrayList<>();
    List<Discovery.Unavailable> unavailable = new ArrayList<>();
    List<String> barred = new ArrayList<>();
    for (Provider provider : providers) {
      try {
        Discovery discovery = provider.discover(options);
        devices.addAll(discovery.devices());
        unavailable.addAll(discovery.unavailable());
      } catch (IllegalCallerException | LinkageError e) {
        barred.add(provider.name());
        unavailable.add(new Discovery.Unavailable(provider.name(), "it calls native code, which this process may not", ALLOW));
      }
    }
    if (!barred.isEmpty()) {
      LOG.info("This process may not call native code, so " + String.join(", ", barred) + " cannot be used, and "
        + devices.stream().map(Device::name).collect(Collectors.joining(", ")) + " serves by channels of the JDK; " + ALLOW);
    }
    return new Devices(options, all, devices, unavailable);
  }

  /** Devices of every provider, to tell of them: they are not to be opened. Blocks. */
  Devices everything() {
    return all ? this : look(Provider.all(), true, options);
  }

  List<Device> all() {
    return devices;
  }

  /** Tells why none of them can be used. @param forced the fabric or device that was asked for, null for any */
  RdmaException none(String forced, Selection selection) {
    List<Selection.Refusal> refused = selection.refused();
    List<Discovery.Unavailable> away = unavailable;
    String words = "no device can be used";
    if (forced != null && refused.stream().map(Selection.Refusal::device).noneMatch(d -> d.name().equals(forced) || d.fabric().equals(forced))) {
      String names = refused.stream().map(refusal -> refusal.device().name()).collect(Collectors.joining(", "));
      words = "there is no fabric '" + forced + "' here" + (names.isEmpty() ? "" : "; there are " + names);
      refused = List.of();
      // The reason of the fabric itself says it all.
      List<Discovery.Unavailable> itself = away.stream().filter(missing -> missing.what().equals(forced)).toList();
      away = itself.isEmpty() ? away : itself;
    }
    String found = refused.stream().map(Object::toString).collect(Collectors.joining("; "));
    String missing = away.stream().map(Object::toString).collect(Collectors.joining("; "));
    return new RdmaException(Reason.UNSUPPORTED, words + (found.isEmpty() ? "" : "; found: " + found)
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
