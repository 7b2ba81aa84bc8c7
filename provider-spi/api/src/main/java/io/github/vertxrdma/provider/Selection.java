package io.github.vertxrdma.provider;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Devices that meet requirements, the best first, and the other devices with what they miss. */
public record Selection(List<Device> ranked, List<Refusal> refused) {

  private static final Pattern PARTS = Pattern.compile("[0-9]+|[^0-9]+");

  public record Refusal(Device device, List<String> missed) {
    @Override
    public String toString() {
      return device.name() + ": " + String.join("; ", missed);
    }
  }

  /** Order of names of devices, by their numbers: {@code mlx5_2} comes before {@code mlx5_10}. */
  public static final Comparator<String> NATURAL = (a, b) -> {
    Matcher left = PARTS.matcher(a);
    Matcher right = PARTS.matcher(b);
    while (left.find() && right.find()) {
      boolean numbers = Character.isDigit(left.group().charAt(0)) && Character.isDigit(right.group().charAt(0));
      int order = numbers ? new BigInteger(left.group()).compareTo(new BigInteger(right.group())) : left.group().compareTo(right.group());
      if (order != 0) {
        return order;
      }
    }
    return a.length() - b.length();
  };

  public static Selection of(Requirements requirements, List<Device> devices) {
    return of(requirements, devices, true, -1);
  }

  /**
   * Ranks devices by {@link Device#preference()}, then connected endpoints before RDM, then by the host's address if the user has chosen
   * it, speed, the host's address, NUMA node and name.
   *
   * @param hostChosen whether the user has chosen {@link DiscoveryOptions#host}
   * @param numaNode node of this process; -1 to ignore NUMA nodes
   */
  public static Selection of(Requirements requirements, List<Device> devices, boolean hostChosen, int numaNode) {
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
    ranked.sort(Comparator.comparing(Device::preference).thenComparing(Device::endpointType)
      .thenComparing(device -> hostChosen && !device.hasHostAddress()).thenComparing(Device::speed, Comparator.reverseOrder())
      .thenComparing(Device::hasHostAddress, Comparator.reverseOrder())
      .thenComparing(device -> numaNode >= 0 && device.numaNode() != numaNode).thenComparing(Device::name, NATURAL));
    return new Selection(List.copyOf(ranked), List.copyOf(refused));
  }

  public String explain() {
    return ranked.stream().map(Device::name).collect(Collectors.joining(", ", "usable: ", "\n"))
      + refused.stream().map(r -> "refused " + r + "\n").collect(Collectors.joining());
  }
}
