package io.github.vertxrdma;

import java.util.List;

/**
 * Fabric that this library knows, and whether this process can use it.
 *
 * @param device name for options such as {@link RdmaOptions#setFabric}; if there is no device, the name of the missing library or fabric
 * @param fabric network that both ends share
 * @param provider empty if there is no device
 * @param missing reasons why the fabric is unusable; otherwise empty
 */
public record FabricInfo(String device, String fabric, String provider, List<String> missing) {
  public FabricInfo {
    missing = List.copyOf(missing);
  }

  public boolean isUsable() {
    return missing.isEmpty();
  }
}
