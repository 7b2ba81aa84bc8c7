package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import java.util.List;

/**
 * One device, {@code nio}, which every machine has: TCP sockets by the system calls of Linux, and by the channels of the JDK on other
 * systems or without native access. Both speak to each other.
 */
public final class NioProvider implements Provider {

  /** Setting: true for the channels of the JDK in any case. */
  static final String CHANNELS = "nio.channels";

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
    boolean linux = !Boolean.parseBoolean(options.setting(CHANNELS, "false")) && System.getProperty("os.name").equals("Linux") && callable();
    return new Discovery(List.of(new NioDevice(options.host(), linux)), List.of());
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
