package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.PortRange;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import java.util.List;

/**
 * Provider of the device {@code nio}: TCP sockets by system calls of Linux, or by channels of the JDK without native access and on other
 * systems. The variants can connect to each other.
 */
public final class NioProvider implements Provider {

  @Override
  public String name() {
    return NioDevice.NAME;
  }

  @Override
  public boolean owns(String fabric) {
    return fabric.equals(NioDevice.NAME);
  }

  @Override
  public Discovery discover(DiscoveryOptions options) {
    boolean linux = System.getProperty("os.name").equals("Linux") && callable();
    return new Discovery(List.of(new NioDevice(options.host(), PortRange.of(options), linux)), List.of());
  }

  private static boolean callable() {
    try {
      new LinuxSet().close();
      LinuxCalls.socket(-1);
      return true;
    } catch (IllegalCallerException | LinkageError | ProviderException e) {
      return false;
    }
  }
}
