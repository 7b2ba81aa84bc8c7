package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import java.util.List;

/** One device, {@code shm}: memory that processes of a user on one host share. Linux alone; needs native access and no library. */
public final class ShmProvider implements Provider {

  /** Setting: milliseconds after which what is not used is given back. */
  static final String IDLE = "shm.idle-millis";

  @Override
  public String name() {
    return ShmDevice.NAME;
  }

  @Override
  public boolean owns(String fabric) {
    return fabric.equals(ShmDevice.NAME);
  }

  @Override
  public Discovery discover(DiscoveryOptions options) {
    if (!System.getProperty("os.name").equals("Linux")) {
      return missing("memory is shared on Linux only, this is " + System.getProperty("os.name"));
    }
    try {
      return new Discovery(List.of(new ShmDevice(MeetingFolder.find(options), Long.parseLong(options.setting(IDLE, "10000")))), List.of());
    } catch (ProviderException e) {
      return missing(e.getMessage());
    }
  }

  private static Discovery missing(String reason) {
    return new Discovery(List.of(), List.of(new Discovery.Unavailable(ShmDevice.NAME, reason, "")));
  }
}
