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
 * @param delivered true if the fabric reports the delivery of writes
 * @param ordered true if the fabric keeps messages behind earlier writes
 * @param inline maximum bytes of a notified write that its frame contains; negative for none
 */
record Strategies(boolean delivered, boolean ordered, int inline, Atomics atomics) {
  private static final String UNPROVEN = "none: the fabric neither reports delivery nor keeps messages behind writes";

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
    boolean delivered = c.deliveryComplete();
    boolean ordered = c.promises(Order.SEND_AFTER_WRITE);
    Atomics atomics = switch (authority) {
      case RegionEntry.NONE -> Atomics.NONE;
      case RegionEntry.OWNER -> Atomics.OWNER;
      case RegionEntry.PROCESSOR -> byFabric(domain, authority) ? Atomics.PROCESSOR : Atomics.OWNER;
      default -> byFabric(domain, authority) ? Atomics.DEVICE : Atomics.UNREACHABLE;
    };
    return new Strategies(delivered, ordered, inline > 0 && (delivered || ordered) ? inline : -1, atomics);
  }

  /** Returns whether the fabric executes the atomics of peers. Otherwise their keys do not permit atomics. */
  static boolean byFabric(Domain domain, String authority) {
    Capabilities c = domain.capabilities();
    return authority.equals(RegionEntry.PROCESSOR) ? c.processorAtomics() : authority.equals(domain.device().fabric()) && c.atomics();
  }

  /** Returns whether a write is followed by a FLUSH frame, whose reply proves that the data arrived. */
  boolean flushesWrites() {
    return !delivered && ordered;
  }

  boolean provesWrites() {
    return delivered || ordered;
  }

  String describe(Set<RegionAccess> access) {
    List<String> all = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    if (!access.contains(RegionAccess.READ)) {
      refused.add("reads");
    }
    if (access.contains(RegionAccess.WRITE)) {
      all.add("write: " + (delivered ? "delivery-complete"
        : ordered ? "confirmed by a message that the fabric delivers after it" : UNPROVEN));
      all.add("notified write: " + (inline < 0 ? "" : "up to " + inline + " bytes in the message, beyond: ")
        + (ordered ? "write and message in one post list"
          : delivered ? "delivery-complete write, its completion, then the message" : UNPROVEN));
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
