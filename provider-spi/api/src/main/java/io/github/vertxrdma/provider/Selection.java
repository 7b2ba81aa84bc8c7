package io.github.vertxrdma.provider;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Devices that meet requirements, best first, and the reasons why others do not.
 *
 * @param ranked matching devices, best first
 * @param refused the others
 */
public record Selection(List<Device> ranked, List<Refusal> refused) {

  private static final Pattern PARTS = Pattern.compile("[0-9]+|[^0-9]+");

  /** A device and the requirements that it misses. */
  public record Refusal(Device device, List<String> missed) {
    @Override
    public String toString() {
      return device.name() + ": " + String.join(", ", missed);
    }
  }

  /** Compares names with the numbers in them as numbers: {@code mlx5_2} comes before {@code mlx5_10}. */
  private static final Comparator<String> NATURAL = (a, b) -> {
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

  /**
   * Ranks devices for a process that is bound to no NUMA node.
   *
   * @see #of(Requirements, List, int)
   */
  public static Selection of(Requirements requirements, List<Device> devices) {
    return of(requirements, devices, -1);
  }

  /**
   * Ranks devices by {@link Device#preference()}, connected endpoints first. Devices of one kind are ranked by the address that was asked
   * for, then by speed, then by NUMA node, then by name so that the result is the same everywhere.
   *
   * @param numaNode NUMA node of this process, whose devices come before others; -1 if it is bound to none. Then no device is asked for its
   * node, which may need a system call
   */
  public static Selection of(Requirements requirements, List<Device> devices, int numaNode) {
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
      .thenComparing(Device::hasRequestedAddress, Comparator.reverseOrder()).thenComparing(Device::speed, Comparator.reverseOrder())
      .thenComparing(device -> numaNode >= 0 && device.numaNode() != numaNode).thenComparing(Device::name, NATURAL));
    return new Selection(List.copyOf(ranked), List.copyOf(refused));
  }

  /** Returns one line per device, best first. */
  public String explain() {
    return ranked.stream().map(Device::name).collect(Collectors.joining(", ", "usable: ", "\n"))
      + refused.stream().map(r -> "refused " + r + "\n").collect(Collectors.joining());
  }
}
