package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

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
      Supplier<List<MeetingFolder>> usable = () -> MeetingFolder.find(options, SystemCalls.userId());
      Discovery.Unavailable first = null;
      for (MeetingFolder folder : usable.get()) {
        Discovery.Unavailable obstacle = SharingProbe.obstacle(folder);
        if (obstacle == null) {
          return new Discovery(List.of(new ShmDevice(folder, usable, idle)), List.of());
        }
        first = first == null ? obstacle : first;
      }
      return missing(first);
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
