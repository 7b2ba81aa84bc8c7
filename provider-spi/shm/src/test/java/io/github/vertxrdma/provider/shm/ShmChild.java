package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.HexFormat;

/** A process that listens, shows a region of memory, and sends every message back, until it is killed. */
final class ShmChild {
  private ShmChild() {
  }

  /** @param arguments the name to listen on */
  public static void main(String[] arguments) {
    try (Domain domain = ShmDeviceTest.device().open(); Side side = new Side(domain, new PairOptions())) {
      MemoryRegion region = side.openRegion(1 << 20);
      System.out.println("region " + HexFormat.of().formatHex(region.remoteKey()));
      System.out.println("listening " + side.listen(EndpointAddress.of(arguments[0]), side::accept).localAddress());
      while (true) {
        side.poll();
        for (Side.Message message = side.messages.poll(); message != null; message = side.messages.poll()) {
          side.send(message.endpoint(), message.data(), PostFlags.SIGNALED);
        }
        side.completions.clear();
        Thread.onSpinWait();
      }
    }
  }
}
