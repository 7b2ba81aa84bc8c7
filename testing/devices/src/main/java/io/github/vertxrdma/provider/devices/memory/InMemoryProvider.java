package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import java.util.List;

/**
 * Discovers the devices of an in-memory fabric, for tests only. It requires the setting {@code memory=true} (system property {@code
 * vertx.rdma.memory}), or a setting {@code fabric} that names one of the devices. Further settings:
 *
 * <ul>
 * <li>{@code memory.name} chooses a {@link InMemoryFabric#named named} fabric;
 * <li>{@code memory.node} names the node that has the device, so that the node can be {@link InMemoryFabric#cut cut off}.
 * </ul>
 */
public final class InMemoryProvider implements Provider {
  public static final String NAME = "memory";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Discovery discover(DiscoveryOptions options) {
    InMemoryFabric fabric = InMemoryFabric.named(options.setting("memory.name", InMemoryFabric.DEFAULT));
    List<Device> devices = fabric.found(options.setting("memory.node", ""));
    String forced = options.setting("fabric", "");
    if (Boolean.parseBoolean(options.setting("memory", "false"))
      || devices.stream().anyMatch(d -> d.name().equals(forced) || d.fabric().equals(forced))) {
      return new Discovery(devices, List.of());
    }
    return new Discovery(List.of(), List.of(new Discovery.Unavailable(NAME, "it connects nodes of one process only, for tests",
      "set vertx.rdma.memory=true to use it")));
  }
}
