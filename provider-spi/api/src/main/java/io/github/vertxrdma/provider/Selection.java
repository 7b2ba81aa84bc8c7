package io.github.vertxrdma.provider;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Devices that meet requirements, best first, and the reasons why others do not.
 *
 * @param ranked matching devices, best first
 * @param refused the others
 */
public record Selection(List<Device> ranked, List<Refusal> refused) {

  /** A device and the requirements that it misses. */
  public record Refusal(Device device, List<String> missed) {
    @Override
    public String toString() {
      return device.name() + ": " + String.join(", ", missed);
    }
  }

  /** Ranks devices by {@link Device#preference()}, connected endpoints first, then by name so that the result is the same everywhere. */
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

  /** Returns one line per device, best first. */
  public String explain() {
    return ranked.stream().map(Device::name).collect(Collectors.joining(", ", "usable: ", "\n"))
      + refused.stream().map(r -> "refused " + r + "\n").collect(Collectors.joining());
  }
}
