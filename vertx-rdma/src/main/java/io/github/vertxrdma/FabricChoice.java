package io.github.vertxrdma;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Capabilities.Order;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointType;
import java.util.List;

/**
 * Fabric and device that a connection uses, with the reasons for the choice.
 *
 * @param fabric network that both ends share
 * @param strategies texts for people that describe how missing capabilities of the device are replaced
 * @param refused devices that were not chosen, each with the reason
 */
public record FabricChoice(String provider, String device, String fabric, EndpointType endpointType, List<String> strategies,
  List<String> refused) {
  public FabricChoice {
    strategies = List.copyOf(strategies);
    refused = List.copyOf(refused);
  }

  public static FabricChoice of(Device device, Capabilities capabilities, List<String> refused) {
    return new FabricChoice(device.provider(), device.name(), device.fabric(), device.endpointType(), strategies(device, capabilities),
      refused);
  }

  /** Describes how missing capabilities are replaced, in lines of the form "what: how". */
  public static List<String> strategies(Device device, Capabilities capabilities) {
    return List.of(
      "connecting: " + (!capabilities.connectsBy(Connecting.EXCHANGE) ? "to the peer's listener"
        : (capabilities.connectsBy(Connecting.LISTENER) ? "to the peer's listener; if it has none, " : "")
          + "by addresses that both nodes exchange over their control connection"),
      "notified write: " + (capabilities.promises(Order.SEND_AFTER_WRITE)
        ? "write and message in one post list"
        : "delivery-complete write, its completion, then the message"),
      "write: " + (capabilities.deliveryComplete() ? "complete when delivered" : "acknowledged by a message that follows it"),
      "stream write: " + switch (capabilities.sendCompletion()) {
        case SHARED_MEMORY -> "complete in memory of the peer";
        case REMOTE -> "complete when the peer's adapter has acknowledged it, or the peer has read it";
        case LOCAL -> "complete when the peer's process has acknowledged it";
      },
      "atomics: " + (capabilities.processorAtomics() ? "by a processor of the owner's host"
        : capabilities.atomics() ? "by the device if peers use the region over this device alone, otherwise by the owner" : "by the "
          + "owner"),
      "order: " + (device.endpointType() == EndpointType.RDM ? "by the sequence numbers of the connection layer" : "by the fabric"),
      "waiting: " + switch (capabilities.waiting()) {
        case FD -> "file descriptor";
        case WAKEUP -> "wake-up by the provider";
        case NONE -> "polling with pauses";
      },
      "progress: " + (capabilities.progress() == Progress.AUTOMATIC ? "by the device" : "by this process's event loop"),
      "peer failure: " + (capabilities.peerFailureEvents() ? "reported by the fabric" : "control connection and heartbeat"),
      "bus and streams: " + (capabilities.kernelSocket() ? "by TCP, unless this fabric is forced" : "over this fabric"));
  }

  @Override
  public String toString() {
    return device + " (" + provider + ", " + endpointType + " endpoint)";
  }
}
