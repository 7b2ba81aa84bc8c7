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
 * How the operations of a remote region are made of what its fabric can do; decided once, when it opens.
 *
 * @param inline bytes of a notified write that go in the notification, for the owner to put in place; negative for not even none
 */
record Strategies(Write write, Notify notified, int inline, Atomics atomics) {

  /** Ways to know that a write has arrived. */
  enum Write {
    DELIVERED("delivery-complete"),
    FLUSHED("confirmed by a message that the fabric keeps behind it"),
    NONE("none: the fabric neither delivers completely nor orders messages behind writes");

    final String words;

    Write(String words) {
      this.words = words;
    }
  }

  /** Ways for the owner to learn of a write no sooner than it has the data. */
  enum Notify {
    TOGETHER("write and message in one post list"),
    DELIVERED_FIRST("delivery-complete write, its completion, then the message"),
    NONE("none: the fabric neither delivers completely nor orders messages behind writes");

    final String words;

    Notify(String words) {
      this.words = words;
    }
  }

  /** Executors of atomics. */
  enum Atomics {
    DEVICE("by the owner's device"),
    PROCESSOR("by a processor of the owner's host"),
    OWNER("by the owner"),
    UNREACHABLE("none: they are executed by a device that is not used here, or this device has none"),
    NONE("none");

    final String words;

    Atomics(String words) {
      this.words = words;
    }
  }

  /** @param inline most bytes that may go in a notification; 0 for no such writes */
  static Strategies decide(Domain domain, String authority, int inline) {
    Capabilities c = domain.capabilities();
    boolean ordered = c.promises(Order.SEND_AFTER_WRITE);
    Write write = c.deliveryComplete() ? Write.DELIVERED : ordered ? Write.FLUSHED : Write.NONE;
    Notify notified = ordered ? Notify.TOGETHER : c.deliveryComplete() ? Notify.DELIVERED_FIRST : Notify.NONE;
    Atomics atomics = switch (authority) {
      case RegionEntry.NONE -> Atomics.NONE;
      case RegionEntry.OWNER -> Atomics.OWNER;
      case RegionEntry.PROCESSOR -> byFabric(domain, authority) ? Atomics.PROCESSOR : Atomics.OWNER;
      default -> byFabric(domain, authority) ? Atomics.DEVICE : Atomics.UNREACHABLE;
    };
    return new Strategies(write, notified, inline > 0 && notified != Notify.NONE ? inline : -1, atomics);
  }

  /** Whether holders ask the fabric for atomics, under that authority; their keys must allow it then, and must not otherwise. */
  static boolean byFabric(Domain domain, String authority) {
    Capabilities c = domain.capabilities();
    return authority.equals(RegionEntry.PROCESSOR) ? c.processorAtomics() : authority.equals(domain.device().fabric()) && c.atomics();
  }

  /** Tells whether the outcome of such a call can be known. */
  boolean proves(Verb verb) {
    return verb == Verb.WRITE ? write != Write.NONE : verb != Verb.NOTIFIED_WRITE || notified != Notify.NONE;
  }

  /** For people: of what the region is shared for. */
  String describe(Set<RegionAccess> access) {
    List<String> all = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    if (!access.contains(RegionAccess.READ)) {
      refused.add("reads");
    }
    if (access.contains(RegionAccess.WRITE)) {
      all.add("write: " + write.words);
      all.add("notified write: " + (inline < 0 ? "" : "up to " + inline + " bytes in the message, beyond: ") + notified.words);
    } else {
      refused.add("writes");
    }
    if (access.contains(RegionAccess.ATOMIC)) {
      all.add("atomics: " + atomics.words);
    } else {
      refused.add("atomics");
    }
    if (!refused.isEmpty()) {
      all.add("not shared for " + String.join(" or ", refused));
    }
    return String.join("; ", all);
  }
}
