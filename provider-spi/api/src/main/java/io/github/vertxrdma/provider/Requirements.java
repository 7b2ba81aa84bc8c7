package io.github.vertxrdma.provider;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * Requirements on a device.
 *
 * @param operations required operations. Layers above the SPI emulate atomics and immediates
 * @param fabric name of the only fabric or device to use; null for any
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
      missed.add("not used, since fabric '" + fabric + "' is forced");
    }
    for (Operation operation : operations) {
      if (!device.capabilities().can(operation)) {
        missed.add("it does not support " + operation.name().toLowerCase(Locale.ROOT).replace('_', ' '));
      }
    }
    if (device.reach().compareTo(reach) < 0) {
      missed.add("its reach is " + device.reach().name().toLowerCase(Locale.ROOT) + ", and "
        + reach.name().toLowerCase(Locale.ROOT) + " is required");
    }
    if (device.limits().maxMessageSize() < maxMessageSize) {
      missed.add("its messages have at most " + device.limits().maxMessageSize() + " bytes, and " + maxMessageSize + " are required");
    }
    Capabilities c = device.capabilities();
    if (!c.promises(Capabilities.Order.SEND_AFTER_WRITE) && !c.deliveryComplete()) {
      missed.add("it cannot do notified writes: it does not keep the order of a write and a later send, and does not report the "
        + "delivery of writes");
    }
    return missed;
  }
}
