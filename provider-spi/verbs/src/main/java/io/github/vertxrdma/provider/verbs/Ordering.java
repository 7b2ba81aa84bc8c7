package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.ProviderException;

/**
 * Selects the regions with IBV_ACCESS_RELAXED_ORDERING; setting {@code verbs.relaxed-ordering}. A completion still follows earlier writes.
 */
enum Ordering {
  OFF,
  /** Regions that peers do not write to. */
  OWN,
  /** All regions. A peer's later write may be visible before an earlier one. */
  ALL;

  static Ordering of(DiscoveryOptions options) {
    String wanted = options.setting("verbs.relaxed-ordering", "own");
    return switch (wanted) {
      case "off" -> OFF;
      case "own" -> OWN;
      case "all" -> ALL;
      default -> throw new ProviderException(ProviderException.Reason.INVALID, "verbs.relaxed-ordering is '" + wanted
        + "', which is unknown. Use 'off', 'own' or 'all'");
    };
  }

  boolean isRelaxed(boolean peersWrite) {
    return this == ALL || this == OWN && !peersWrite;
  }
}
