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
 * @param devices usable devices, in no order
 * @param unavailable devices that it looked for and cannot use, each with the reason and the remedy
 * @param notice line to log if a device that most machines have is missing, with cause and remedy; otherwise null
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

  /** Asks a provider for its devices. If its native code cannot be called, it has no devices, and the cause is the reason. */
  public static Discovery by(Provider provider, DiscoveryOptions options) {
    try {
      return provider.discover(options);
    } catch (IllegalCallerException | LinkageError e) {
      Unavailable failed = Unavailable.because(e, provider.name());
      return new Discovery(List.of(), List.of(failed), failed.inFull("cannot use " + provider.name()), false);
    }
  }

  /**
   * Describes in one line that no device has that name or fabric: the cause and remedy if they are known, otherwise the most similar name
   * and the available ones.
   */
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
   * @param what the fabric, device or library
   * @param reason why it cannot be used
   * @param remedy what to do about it, with the command if there is one
   * @param temporary whether the cause may end by itself, such as a port that is down: another {@link Provider#discover} may find
   * the device
   */
  public record Unavailable(String what, String reason, String remedy, boolean temporary) {

    /** Describes what is not available for as long as this process runs. */
    public Unavailable(String what, String reason, String remedy) {
      this(what, reason, remedy, false);
    }
    /**
     * Describes a provider whose native code cannot be called.
     *
     * @param e an {@link IllegalCallerException}, if native access is denied to this process, or a {@link LinkageError}
     */
    public static Unavailable because(Throwable e, String what) {
      return isDenied(e)
        ? new Unavailable(what, "native access is denied to this process", ALLOW_NATIVE_ACCESS)
        : new Unavailable(what, "cannot load the provider: " + e, "");
    }

    /** Searches the causes. From the second use of a class on, the cause of its failed initialization is only in a message; JVMS 5.5. */
    private static boolean isDenied(Throwable e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof IllegalCallerException
          || cause instanceof ExceptionInInitializerError && String.valueOf(cause.getMessage()).contains(ILLEGAL_CALLER)) {
          return true;
        }
      }
      return false;
    }

    /**
     * Returns sentences for the log.
     *
     * @param failure the operation that is impossible, in words
     */
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
