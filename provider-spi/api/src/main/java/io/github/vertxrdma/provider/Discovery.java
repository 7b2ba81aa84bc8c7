package io.github.vertxrdma.provider;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Result of a provider's search for devices.
 *
 * @param notice line to log because a device that most machines have is missing; otherwise null
 * @param demanded whether a setting names the missing device, so that the notice is a warning
 */
public record Discovery(List<Device> devices, List<Unavailable> unavailable, String notice, boolean demanded) {
  private static final String ALLOW_NATIVE_ACCESS = "start Java with --enable-native-access=ALL-UNNAMED"
    + " (on the module path: --enable-native-access=io.github.vertxrdma.provider.ffi)";
  private static final String ILLEGAL_CALLER = IllegalCallerException.class.getName();
  private static final int MOST_NAMES = 10;

  public Discovery {
    devices = List.copyOf(devices);
    unavailable = List.copyOf(unavailable);
  }

  public Discovery(List<Device> devices, List<Unavailable> unavailable) {
    this(devices, unavailable, null, false);
  }

  /** Searches for devices. If native code cannot be called, the result has no device, and a notice with the cause. */
  public static Discovery by(Provider provider, DiscoveryOptions options) {
    try {
      return provider.discover(options);
    } catch (IllegalCallerException | LinkageError e) {
      Unavailable failed = Unavailable.because(e, provider.name());
      return new Discovery(List.of(), List.of(failed), failed.inFull("cannot use " + provider.name()), false);
    }
  }

  /** Returns why a device or fabric is unavailable. For an unknown name, returns similar or available names. */
  public String without(String fabric) {
    String none = "there is no fabric '" + fabric + "' here; ";
    List<String> owners = Provider.all().stream().filter(provider -> provider.owns(fabric)).map(Provider::name).toList();
    Optional<Unavailable> reason = unavailable.stream().filter(missing -> missing.what.equals(fabric)).findFirst()
      .or(() -> unavailable.stream()
        .filter(missing -> owners.contains(missing.what) || fabric.matches(Pattern.quote(missing.what) + "[:-].*"))
        .findFirst());
    if (reason.isPresent()) {
      return none + reason.get();
    }
    if (devices.isEmpty()) {
      return none + "no device can be used. Run ./rdma doctor for the reasons";
    }
    Map<String, String> names = new LinkedHashMap<>();
    devices.forEach(device -> names.put(device.name(), device.name()));
    String there = "there are " + names.keySet().stream().limit(MOST_NAMES).collect(Collectors.joining(", "))
      + (names.size() > MOST_NAMES ? " and " + (names.size() - MOST_NAMES) + " more" : "");
    devices.forEach(device -> names.putIfAbsent(device.fabric(), device.fabric()));
    unavailable.forEach(missing -> names.putIfAbsent(missing.what, missing.what));
    return none
      + Nearest.of(fabric, names).map(near -> "did you mean '" + near + "'? " + there).orElse(there + ". Choose one of them, or set "
        + "none to use the best");
  }

  /**
   * Fabric, device or library that cannot be used.
   *
   * @param remedy what to do, with the command if there is one
   * @param temporary whether the cause, such as a port that is down, may end by itself
   */
  public record Unavailable(String what, String reason, String remedy, boolean temporary) {

    public Unavailable(String what, String reason, String remedy) {
      this(what, reason, remedy, false);
    }
    public static Unavailable because(Throwable e, String what) {
      return isDenied(e)
        ? new Unavailable(what, "native access is denied to this process", ALLOW_NATIVE_ACCESS)
        : new Unavailable(what, "cannot load the provider: " + e, "");
    }

    /** Checks messages too: after a class failed to initialize, only messages have the first error; JVMS 5.5. */
    private static boolean isDenied(Throwable e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof IllegalCallerException
          || cause instanceof ExceptionInInitializerError && String.valueOf(cause.getMessage()).contains(ILLEGAL_CALLER)) {
          return true;
        }
      }
      return false;
    }

    public String inFull(String failure) {
      return failure + ": " + reason + "."
        + (remedy.isEmpty() ? "" : " " + Character.toUpperCase(remedy.charAt(0)) + remedy.substring(1) + ".");
    }

    @Override
    public String toString() {
      return what + ": " + reason + (remedy.isEmpty() ? "" : " — " + remedy);
    }
  }
}
