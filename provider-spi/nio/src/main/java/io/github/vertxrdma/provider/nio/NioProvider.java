package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import java.util.List;

/** One device, {@code nio}, which every machine has. */
public final class NioProvider implements Provider {

  @Override
  public String name() {
    return NioDevice.NAME;
  }

  @Override
  public Discovery discover(DiscoveryOptions options) {
    return new Discovery(List.of(new NioDevice(options.host())), List.of());
  }
}
