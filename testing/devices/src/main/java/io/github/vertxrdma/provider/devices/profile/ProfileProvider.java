package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds profiles on request. The request is the setting {@code profiles} (system property {@code vertx.rdma.profiles}), with {@code true}
 * or a comma-separated list of names, or the setting {@code fabric} with the name of a profile. The setting {@code profiles.base} names
 * another device to wrap, and {@code profiles.seed} repeats an order of events. The profiles are:
 * <ul>
 * <li>{@code efa-profile}, over {@code rxm}: the capabilities of EFA. It is connectionless, promises only the order of sends, and messages
 * may overtake plain writes. Immediates have 4 bytes, and the provider chooses the keys. It has no way to wait for a completion queue, and
 * no atomics.
 * <li>{@code efa-direct-profile}, over {@code rxm}: the capabilities of the fabric efa-direct. It is like {@code efa-profile}, without any
 * order of arrivals or completions, and with messages of 8 KiB.
 * <li>{@code basic-profile}, over {@code tcp}: the fewest capabilities of a connected device. It has no atomics, does not count remote
 * writes, and its keys are not chosen by the provider.
 * </ul>
 */
public final class ProfileProvider implements Provider {
  public static final String NAME = "profiles";
  public static final String EFA = "efa-profile";
  public static final String EFA_DIRECT = "efa-direct-profile";
  public static final String BASIC = "basic-profile";

  private static final List<Profile> PROFILES = List.of(new EfaProfile(EfaFabric.EFA), new EfaProfile(EfaFabric.DIRECT),
    new BasicProfile());

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Discovery discover(DiscoveryOptions options) {
    List<Device> devices = new ArrayList<>();
    List<Discovery.Unavailable> unavailable = new ArrayList<>();
    for (Profile profile : PROFILES) {
      if (asked(profile.name(), options)) {
        discover(profile, options, devices, unavailable);
      }
    }
    return new Discovery(devices, unavailable);
  }

  private static boolean asked(String name, DiscoveryOptions options) {
    String profiles = options.setting("profiles", "");
    return name.equals(options.setting("fabric", "")) || Boolean.parseBoolean(profiles)
      || List.of(profiles.split("\\s*,\\s*")).contains(name);
  }

  private static void discover(Profile profile, DiscoveryOptions options, List<Device> devices,
    List<Discovery.Unavailable> unavailable) {
    String base = options.setting("profiles.base", profile.base());
    Map<String, String> settings = new HashMap<>(options.settings());
    settings.put("fabric", base);
    settings.put("profiles", "false");
    String why = "no provider on the class path has it";
    String remedy = "put the module of a provider that has '" + base + "' on the class path";
    for (Provider provider : Provider.all()) {
      if (provider instanceof ProfileProvider) {
        continue;
      }
      Discovery found = provider.discover(new DiscoveryOptions(options.host(), settings));
      for (Device device : found.devices()) {
        if (device.name().equals(base)) {
          add(profile, device, seed(options), devices, unavailable);
          return;
        }
      }
      for (Discovery.Unavailable missing : found.unavailable()) {
        if (missing.what().contains(base) || missing.what().equals("libfabric")) {
          why = missing.reason();
          remedy = missing.remedy();
        }
      }
    }
    unavailable.add(new Discovery.Unavailable(profile.name(), "it is based on '" + base + "', which cannot be used: " + why, remedy));
  }

  private static void add(Profile profile, Device base, long seed, List<Device> devices, List<Discovery.Unavailable> unavailable) {
    String unfit = profile.misses(base);
    if (unfit == null) {
      devices.add(profile.over(base, seed));
    } else {
      unavailable.add(new Discovery.Unavailable(profile.name(), "it cannot be based on '" + base.name() + "', which " + unfit,
        "name another device by vertx.rdma.profiles.base"));
    }
  }

  private static long seed(DiscoveryOptions options) {
    String seed = options.setting("profiles.seed", "");
    return seed.isEmpty() ? System.nanoTime() : Long.parseLong(seed);
  }
}
