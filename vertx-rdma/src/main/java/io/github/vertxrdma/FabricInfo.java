package io.github.vertxrdma;

import java.util.List;

/**
 * A fabric that this process knows of, and whether it can be used.
 *
 * @param device the device, as options name it
 * @param fabric the wire, which both ends of a connection share
 * @param provider the provider's name
 * @param missing reasons for which it is not used; empty if it is
 */
public record FabricInfo(String device, String fabric, String provider, List<String> missing) {
  public FabricInfo {
    missing = List.copyOf(missing);
  }

  /** Tells whether connections and regions may use it. */
  public boolean isUsable() {
    return missing.isEmpty();
  }
}
