package io.github.vertxrdma;

import java.util.List;

/**
 * Known fabric and its usability.
 *
 * @param device as options name it
 * @param fabric network that both ends share
 * @param missing reasons why it is unusable, or empty
 */
public record FabricInfo(String device, String fabric, String provider, List<String> missing) {
  public FabricInfo {
    missing = List.copyOf(missing);
  }

  public boolean isUsable() {
    return missing.isEmpty();
  }
}
