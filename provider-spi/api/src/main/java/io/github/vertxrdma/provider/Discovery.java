package io.github.vertxrdma.provider;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Result of a provider's search.
 *
 * @param notice line to log if a device that most machines have is missing, otherwise null
 * @param demanded whether a setting asks for that device, so that the notice is a warning
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

  /** A provider whose native code cannot be called has no devices. */
  public static Discovery by(Provider provider, DiscoveryOptions options) {
    try {
      return provider.discover(options);
    } catch (IllegalCallerException | LinkageError e) {
      Unavailable failed = Unavailable.because(e, provider.name());
      return new Discovery(List.of(), List.of(failed), failed.inFull("cannot use " + provider.name()), false);
    }
  }

  /** Returns one line on an unknown device or fabric name: the cause and remedy, otherwise the most similar name and the available ones. */
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
      return none + "no device can be used, ./rdma doctor says why";
    }
    Map<String, String> names = new LinkedHashMap<>();
    devices.forEach(device -> names.put(device.name(), device.name()));
    String there = "there are " + names.keySet().stream().limit(MOST_NAMES).collect(Collectors.joining(", "))
      + (names.size() > MOST_NAMES ? " and " + (names.size() - MOST_NAMES) + " more" : "");
    devices.forEach(device -> names.putIfAbsent(device.fabric(), device.fabric()));
    unavailable.forEach(missing -> names.putIfAbsent(missing.what, missing.what));
    return none
      + Nearest.of(fabric, names).map(near -> "do you mean '" + near + "'? " + there).orElse(there + ": choose one, or none for the best");
  }

  /**
   * A fabric, device or library that is not available.
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

    /** After the first use of a class, only a message has the cause of its failed initialization; JVMS 5.5. */
    private static boolean isDenied(Throwable e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof IllegalCallerException
          || cause instanceof ExceptionInInitializerError && String.valueOf(cause.getMessage()).contains(ILLEGAL_CALLER)) {
          return true;
        }
      }
      return false;
    }

    /** @param failure the impossible operation */
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
