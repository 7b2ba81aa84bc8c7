package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import java.io.IOException;
import java.util.List;

/**
 * One device, {@code shm}: memory that processes of a user on one host share, by the calls of Linux; on other systems and without native
 * access by files that are mapped and channels of the JDK. Each meets its kind.
 */
public final class ShmProvider implements Provider {

  /** Setting: milliseconds after which what is not used is given back. */
  static final String IDLE = "shm.idle-millis";
  /** Setting: true for mapped files and channels of the JDK in any case. */
  static final String FILES = "shm.files";

  @Override
  public String name() {
    return ShmDevice.NAME;
  }

  /** Without native access the others are asked, who tell that they miss it. */
  @Override
  public boolean owns(String fabric) {
    return fabric.equals(ShmDevice.NAME) && callable();
  }

  @Override
  public Discovery discover(DiscoveryOptions options) {
    long idle = Long.parseLong(options.setting(IDLE, "10000"));
    try {
      boolean files = Boolean.parseBoolean(options.setting(FILES, "false"));
      if (!files && callable()) {
        return found(new ShmDevice(MeetingFolder.find(options, Libc.userId()), new LinuxSharing(), idle), false);
      }
      if (options.setting(MeetingFolder.GROUP, null) != null) {
        return missing("memory is shared with a group by calls of Linux only, which need native access");
      }
      MeetingFolder folder = MeetingFolder.find(options, ChannelSharing.userId());
      return found(new ShmDevice(folder, new ChannelSharing(folder), idle), !files && isLinux());
    } catch (ProviderException | IOException e) {
      return missing(e.getMessage());
    }
  }

  private static boolean callable() {
    try {
      return isLinux() && Libc.userId() >= 0;
    } catch (IllegalCallerException | LinkageError | ProviderException e) {
      return false;
    }
  }

  private static boolean isLinux() {
    return System.getProperty("os.name").equals("Linux");
  }

  private static Discovery found(ShmDevice device, boolean withoutNativeCode) {
    return new Discovery(List.of(device), List.of(), withoutNativeCode);
  }

  private static Discovery missing(String reason) {
    return new Discovery(List.of(), List.of(new Discovery.Unavailable(ShmDevice.NAME, reason, "")));
  }
}
