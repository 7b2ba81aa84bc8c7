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
 * Implementation of a remote region's operations by capabilities of its fabric, chosen when it opens.
 *
 * @param inline maximum data of a notified write in its frame; negative for none
 */
record Strategies(Write write, Notify notified, int inline, Atomics atomics) {

  /** Proofs that a write has arrived. */
  enum Write {
    DELIVERED("delivery-complete"),
    FLUSHED("confirmed by a message that the fabric keeps behind it"),
    NONE("none: the fabric neither delivers completely nor orders messages behind writes");

    final String words;

    Write(String words) {
      this.words = words;
    }
  }

  /** Ways to notify the owner, not before it has the data. */
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

  /** @param inline maximum data in a notification; 0 for none */
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

  /** Returns whether holders use the fabric for atomics. Their keys allow it then, and otherwise not. */
  static boolean byFabric(Domain domain, String authority) {
    Capabilities c = domain.capabilities();
    return authority.equals(RegionEntry.PROCESSOR) ? c.processorAtomics() : authority.equals(domain.device().fabric()) && c.atomics();
  }

  /** Returns whether the outcome of a call can be known. */
  boolean proves(Verb verb) {
    return verb == Verb.WRITE ? write != Write.NONE : verb != Verb.NOTIFIED_WRITE || notified != Notify.NONE;
  }

  /** Describes the operations that the region is shared for, for users. */
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
