package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** A process that listens, shares a region of memory, and sends every message back, until it is killed. */
final class ShmChild {
  private ShmChild() {
  }

  /** @param arguments the name to listen on, then names and values of settings */
  public static void main(String[] arguments) {
    Map<String, String> settings = new HashMap<>();
    for (int i = 1; i < arguments.length; i += 2) {
      settings.put(arguments[i], arguments[i + 1]);
    }
    Device device = Devices.require(List.of(new ShmProvider()), "shm", settings);
    System.out.println("subnet " + device.subnet());
    boolean told = false;
    try (Domain domain = device.open(); Side side = new Side(domain, new PairOptions())) {
      MemoryRegion region = side.openRegion(1 << 20);
      System.out.println("region " + HexFormat.of().formatHex(region.remoteKey()));
      System.out.println("listening " + side.listen(EndpointAddress.of(arguments[0]), side::accept).localAddress());
      while (true) {
        side.poll();
        domain.restoreFiles();
        if (!told && !side.connected.isEmpty()) {
          told = true;
          System.out.println("users " + HexFormat.of().formatHex(side.endpoint.channelBinding()));
        }
        for (Side.Message message = side.messages.poll(); message != null; message = side.messages.poll()) {
          side.send(message.endpoint(), message.data(), PostFlags.SIGNALED);
        }
        side.completions.clear();
        Thread.onSpinWait();
      }
    }
  }
}
