package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.ProviderException;

/** Memory with IBV_ACCESS_RELAXED_ORDERING, by {@code verbs.relaxed-ordering}. A completion follows the writes before it in any case. */
enum Ordering {
  OFF,
  /** Memory that peers do not write. */
  OWN,
  /** Other regions too: a peer's later write may be visible before an earlier one. */
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
