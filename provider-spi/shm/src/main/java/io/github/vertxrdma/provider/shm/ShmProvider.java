package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import java.util.List;
import java.util.Set;

/** Provider of the device {@code shm}: memory that processes of one user, or of a group, share on one Linux host. */
public final class ShmProvider implements Provider {

  /** Setting: milliseconds after which unused rings are closed or replaced by small ones. The default is 10000. */
  static final String IDLE = "shm.idle-millis";
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");
  private static final String PREFIX = ShmDevice.NAME + ": ";

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
    Discovery found = find(options);
    return new Discovery(found.devices(), found.unavailable(), found.notice(), options.setting(MeetingFolder.GROUP, null) != null);
  }

  private static Discovery find(DiscoveryOptions options) {
    String system = System.getProperty("os.name");
    String architecture = System.getProperty("os.arch");
    if (!system.equals("Linux") || !ARCHITECTURES.contains(architecture)) {
      return missing("shared memory needs Linux on x86-64 or aarch64, and this is " + system + " on " + architecture, "processes of "
        + "one host use another fabric here");
    }
    long idle = Long.parseLong(options.setting(IDLE, "10000"));
    try {
      MeetingFolder folder = MeetingFolder.find(options, SystemCalls.userId());
      Discovery.Unavailable obstacle = SharingProbe.obstacle(folder);
      return obstacle != null ? missing(obstacle) : new Discovery(List.of(new ShmDevice(folder, idle)), List.of());
    } catch (ProviderException e) {
      return missing(withoutPrefix(e.getMessage()).replaceFirst("\\.$", ""), "");
    } catch (IllegalCallerException | LinkageError e) {
      return missing(Discovery.Unavailable.because(e, ShmDevice.NAME));
    }
  }

  static String withoutPrefix(String message) {
    return message.startsWith(PREFIX) ? message.substring(PREFIX.length()) : message;
  }

  private static Discovery missing(String reason, String remedy) {
    return missing(new Discovery.Unavailable(ShmDevice.NAME, reason, remedy));
  }

  private static Discovery missing(Discovery.Unavailable missing) {
    return new Discovery(List.of(), List.of(missing), missing.inFull("cannot use shared memory (shm)"), false);
  }
}
