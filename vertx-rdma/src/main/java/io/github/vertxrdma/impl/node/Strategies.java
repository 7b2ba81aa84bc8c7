package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.Device;
import java.util.List;

/** How the layers above make up for what a device lacks, in words. What they do is decided from the same capabilities. */
public final class Strategies {
  private Strategies() {
  }

  /** One line for each choice. */
  public static List<String> of(Device device, Capabilities c) {
    return List.of(
      "notified write: " + (c.promises(Order.SEND_AFTER_WRITE)
        ? "write and message in one post list"
        : "delivery-complete write, its completion, then the message"),
      "write: " + (c.deliveryComplete() ? "complete when delivered" : "acknowledged by a message that follows it"),
      "atomics: " + (c.atomics() ? "by the device where the region is exposed on it alone, else by the owner" : "by the owner"),
      "order: " + (c.promises(Order.SEND_AFTER_SEND) ? "as sent" : "restored by sequence numbers"),
      "waiting: " + switch (c.waiting()) {
        case FD -> "file descriptor";
        case WAKEUP -> "wake-up by the provider";
        case NONE -> device.reach() == Device.Reach.HOST ? "doorbell" : "polled by time";
      },
      "progress: " + (c.progress() == Progress.AUTOMATIC ? "by the device" : "by this process's event loop"),
      "peer failure: " + (c.peerFailureEvents() ? "reported by the fabric" : "control connection and heartbeat"));
  }
}
