package io.github.vertxrdma.provider;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The devices that meet requirements, best first, and why the others do not.
 *
 * @param ranked devices that fit, best first
 * @param refused the rest
 */
public record Selection(List<Device> ranked, List<Refusal> refused) {

  /** A device and what it misses. */
  public record Refusal(Device device, List<String> missed) {
    @Override
    public String toString() {
      return device.name() + ": " + String.join(", ", missed);
    }
  }

  /** Ranks by {@link Device#preference()}, connected endpoints first, then by name so that the answer is the same everywhere. */
  public static Selection of(Requirements requirements, List<Device> devices) {
    List<Device> ranked = new ArrayList<>();
    List<Refusal> refused = new ArrayList<>();
    for (Device device : devices) {
      List<String> missed = requirements.missedBy(device);
      if (missed.isEmpty()) {
        ranked.add(device);
      } else {
        refused.add(new Refusal(device, missed));
      }
    }
    ranked.sort(Comparator.comparing(Device::preference).thenComparing(Device::endpointType).thenComparing(Device::name));
    return new Selection(List.copyOf(ranked), List.copyOf(refused));
  }

  /** One line per device, best first, for people. */
  public String explain() {
    return ranked.stream().map(Device::name).collect(Collectors.joining(", ", "usable: ", "\n"))
      + refused.stream().map(r -> "refused " + r + "\n").collect(Collectors.joining());
  }
}
