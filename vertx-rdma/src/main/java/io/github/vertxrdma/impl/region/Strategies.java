package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;
import io.github.vertxrdma.provider.Domain;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Selects how operations of a remote region are executed, by the capabilities of its fabric.
 *
 * @param inline maximum bytes of a notified write that its frame contains; negative for none
 */
record Strategies(Write write, Notify notified, int inline, Atomics atomics) {

  enum Write {
    DELIVERED("delivery-complete"),
    FLUSHED("confirmed by a message that the fabric delivers after it"),
    NONE("none: the fabric neither reports delivery nor keeps messages behind writes");

    final String text;

    Write(String text) {
      this.text = text;
    }
  }

  enum Notify {
    WITH_LAST_CHUNK("write and message in one post list"),
    DELIVERED_FIRST("delivery-complete write, its completion, then the message"),
    NONE("none: the fabric neither reports delivery nor keeps messages behind writes");

    final String text;

    Notify(String text) {
      this.text = text;
    }
  }

  enum Atomics {
    DEVICE("by the owner's device"),
    PROCESSOR("by a processor of the owner's host"),
    OWNER("by the owner"),
    UNREACHABLE("none: they are executed by a device that is not used here, or this device has none"),
    NONE("none");

    final String text;

    Atomics(String text) {
      this.text = text;
    }
  }

  static Strategies decide(Domain domain, String authority, int inline) {
    Capabilities c = domain.capabilities();
    boolean ordered = c.promises(Order.SEND_AFTER_WRITE);
    Write write = c.deliveryComplete() ? Write.DELIVERED : ordered ? Write.FLUSHED : Write.NONE;
    Notify notified = ordered ? Notify.WITH_LAST_CHUNK : c.deliveryComplete() ? Notify.DELIVERED_FIRST : Notify.NONE;
    Atomics atomics = switch (authority) {
      case RegionEntry.NONE -> Atomics.NONE;
      case RegionEntry.OWNER -> Atomics.OWNER;
      case RegionEntry.PROCESSOR -> byFabric(domain, authority) ? Atomics.PROCESSOR : Atomics.OWNER;
      default -> byFabric(domain, authority) ? Atomics.DEVICE : Atomics.UNREACHABLE;
    };
    return new Strategies(write, notified, inline > 0 && notified != Notify.NONE ? inline : -1, atomics);
  }

  /** Returns whether the fabric executes the atomics of peers. Otherwise their keys do not permit atomics. */
  static boolean byFabric(Domain domain, String authority) {
    Capabilities c = domain.capabilities();
    return authority.equals(RegionEntry.PROCESSOR) ? c.processorAtomics() : authority.equals(domain.device().fabric()) && c.atomics();
  }

  boolean supports(RegionOperation operation) {
    return operation == RegionOperation.WRITE ? write != Write.NONE
      : operation != RegionOperation.NOTIFIED_WRITE || notified != Notify.NONE;
  }

  String describe(Set<RegionAccess> access) {
    List<String> all = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    if (!access.contains(RegionAccess.READ)) {
      refused.add("reads");
    }
    if (access.contains(RegionAccess.WRITE)) {
      all.add("write: " + write.text);
      all.add("notified write: " + (inline < 0 ? "" : "up to " + inline + " bytes in the message, beyond: ") + notified.text);
    } else {
      refused.add("writes");
    }
    if (access.contains(RegionAccess.ATOMIC)) {
      all.add("atomics: " + atomics.text);
    } else {
      refused.add("atomics");
    }
    if (!refused.isEmpty()) {
      all.add("not shared for " + String.join(" or ", refused));
    }
    return String.join("; ", all);
  }
}
