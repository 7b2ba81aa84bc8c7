package io.github.vertxrdma.cli;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;

import java.util.LinkedHashMap;
import java.util.Map;

/** How the layers above the SPI make up what a fabric lacks, in words, as it follows from its capabilities. */
final class Strategies {
  private Strategies() {
  }

  /** From what is done to how; in the order to show. */
  static Map<String, String> of(Capabilities capabilities) {
    Map<String, String> strategies = new LinkedHashMap<>();
    strategies.put("notified write", notifiedWrite(capabilities));
    strategies.put("atomics", capabilities.atomics()
      ? "native, for regions exposed on this device alone; else by the owner's event loop" : "by the owner's event loop");
    strategies.put("message order", capabilities.promises(Order.SEND_AFTER_SEND)
      ? "the fabric's own" : "restored by sequence number in a bounded window");
    strategies.put("sleeping", switch (capabilities.waiting()) {
      case FD -> "event loop waits for the completion queue's fd";
      case WAKEUP -> "provider wakes the event loop";
      case NONE -> "doorbell rung by peers";
    });
    strategies.put("peer death", capabilities.peerFailureEvents() ? "told by the fabric, and heartbeat" : "control socket and heartbeat");
    strategies.put("progress", switch (capabilities.progress()) {
      case AUTOMATIC -> "by the device: remote reads complete while the owner's event loop is busy";
      case MANUAL -> "by polling: remote reads wait for the owner's event loop";
    });
    strategies.put("no receive posted", switch (capabilities.noReceive()) {
      case BUFFERS -> "buffered by the provider; credits keep it from happening";
      case WAITS -> "sender retries; credits keep it from happening";
      case DISCONNECTS -> "connection breaks; credits keep it from happening";
    });
    return strategies;
  }

  private static String notifiedWrite(Capabilities capabilities) {
    if (capabilities.promises(Order.SEND_AFTER_WRITE)) {
      return "write and message in one list";
    }
    return capabilities.deliveryComplete() ? "message after the write was delivered"
      : "impossible: writes are neither ordered nor confirmed";
  }
}
