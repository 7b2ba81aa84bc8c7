package io.github.vertxrdma;

import io.github.vertxrdma.provider.EndpointType;
import java.util.List;

/**
 * Which fabric a connection uses, and why.
 *
 * @param provider the provider's name
 * @param device the device
 * @param fabric the wire that both ends share
 * @param endpointType what lies under the connection
 * @param strategies how what the device lacks is made up for, in words
 * @param refused the other devices, each with the reason
 */
public record FabricChoice(String provider, String device, String fabric, EndpointType endpointType, List<String> strategies,
                           List<String> refused) {
  public FabricChoice {
    strategies = List.copyOf(strategies);
    refused = List.copyOf(refused);
  }

  @Override
  public String toString() {
    return device + " (" + provider + ", " + endpointType + " endpoint)";
  }
}
