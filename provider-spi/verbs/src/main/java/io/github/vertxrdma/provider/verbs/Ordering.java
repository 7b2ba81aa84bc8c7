package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.ProviderException;

/**
 * Memory in which a device may order its writes freely (IBV_ACCESS_RELAXED_ORDERING), by the setting {@code verbs.relaxed-ordering}. A
 * completion is ordered after the writes before it in any case.
 */
enum Ordering {
  /** No memory. */
  OFF,
  /** Memory that peers do not write: receives, targets of own reads, sources. The default. */
  OWN,
  /** Regions that peers write as well: a peer's later write may then be visible before an earlier one. */
  ALL;

  static Ordering of(DiscoveryOptions options) {
    String wanted = options.setting("verbs.relaxed-ordering", "own");
    return switch (wanted) {
      case "off" -> OFF;
      case "own" -> OWN;
      case "all" -> ALL;
      default -> throw new ProviderException(ProviderException.Reason.INVALID, "verbs.relaxed-ordering is '" + wanted
        + "'; it may be 'off', 'own' or 'all'");
    };
  }

  boolean isRelaxed(boolean peersWrite) {
    return this == ALL || this == OWN && !peersWrite;
  }
}
