package io.github.vertxrdma;

import java.util.List;

/**
 * A known fabric, and whether it is usable.
 *
 * @param device as options name it
 * @param fabric network that both ends share
 * @param provider name of the provider
 * @param missing reasons why it is unusable; empty if it is usable
 */
public record FabricInfo(String device, String fabric, String provider, List<String> missing) {
  public FabricInfo {
    missing = List.copyOf(missing);
  }

  /** Returns whether connections and regions may use it. */
  public boolean isUsable() {
    return missing.isEmpty();
  }
}
