package io.github.vertxrdma;

import java.util.List;

/**
 * Known fabric and its usability.
 *
 * @param device as options name it; the library or fabric that is missing, if there is no device
 * @param fabric network that both ends share
 * @param provider empty if there is no device
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
