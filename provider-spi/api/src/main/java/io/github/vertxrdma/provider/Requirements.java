package io.github.vertxrdma.provider;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * Requirements of a use on a device. {@link Selection} compares devices with them, and lists the requirement that each refused device
 * misses.
 *
 * @param operations required operations; those that are emulated above the SPI (atomics, immediates) are not listed
 * @param reach the least reach
 * @param fabric a fabric or device name to force, null for any
 * @param maxMessageSize bytes that a message must be able to have
 */
public record Requirements(Set<Operation> operations, Device.Reach reach, String fabric, long maxMessageSize) {
  /** Capabilities that every strategy of the layers above needs. */
  public static final Requirements BASIC = new Requirements(Set.of(Operation.SEND, Operation.RECEIVE, Operation.WRITE, Operation.READ),
    Device.Reach.PROCESS, null, 4096);

  public Requirements {
    operations = Set.copyOf(operations);
    Objects.requireNonNull(reach);
  }

  /** Returns these requirements, with one device or fabric forced. */
  public Requirements withFabric(String name) {
    return new Requirements(operations, reach, name, maxMessageSize);
  }

  public Requirements withReach(Device.Reach least) {
    return new Requirements(operations, least, fabric, maxMessageSize);
  }

  /** Returns descriptions of the capabilities that the device misses; empty if it fits. */
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
