package io.github.vertxrdma.provider;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * Requirements on a device.
 *
 * @param operations without those that are emulated above the SPI (atomics, immediates)
 * @param fabric a fabric or device name to force, null for any
 */
public record Requirements(Set<Operation> operations, Device.Reach reach, String fabric, long maxMessageSize) {
  public static final Requirements BASIC = new Requirements(Set.of(Operation.SEND, Operation.RECEIVE, Operation.WRITE, Operation.READ),
    Device.Reach.PROCESS, null, 4096);

  public Requirements {
    operations = Set.copyOf(operations);
    Objects.requireNonNull(reach);
  }

  public Requirements withFabric(String name) {
    return new Requirements(operations, reach, name, maxMessageSize);
  }

  public Requirements withReach(Device.Reach least) {
    return new Requirements(operations, least, fabric, maxMessageSize);
  }

  public List<String> missedBy(Device device) {
    List<String> missed = new ArrayList<>();
    if (fabric != null && !fabric.equals(device.name()) && !fabric.equals(device.fabric())) {
      missed.add("fabric '" + fabric + "' is forced");
    }
    for (Operation operation : operations) {
      if (!device.capabilities().can(operation)) {
        missed.add("no " + operation.name().toLowerCase(Locale.ROOT).replace('_', ' '));
      }
    }
    if (device.reach().compareTo(reach) < 0) {
      missed.add("reaches " + device.reach().name().toLowerCase(Locale.ROOT) + " only, needs " + reach.name().toLowerCase(Locale.ROOT));
    }
    if (device.limits().maxMessageSize() < maxMessageSize) {
      missed.add("messages of at most " + device.limits().maxMessageSize() + " bytes, needs " + maxMessageSize);
    }
    Capabilities c = device.capabilities();
    if (!c.promises(Capabilities.Order.SEND_AFTER_WRITE) && !c.deliveryComplete()) {
      missed.add("neither orders a send after a write nor completes writes at delivery, so a write could not be announced");
    }
    return missed;
  }
}
