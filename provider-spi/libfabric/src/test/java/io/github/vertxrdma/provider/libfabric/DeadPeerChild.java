package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.HexFormat;

/** A process that listens on a fabric and lets its memory be read, until it is killed. */
final class DeadPeerChild {
  private DeadPeerChild() {
  }

  public static void main(String[] arguments) {
    try (Domain domain = Devices.require(new LibfabricProvider(), arguments[0]).open(); Side side = new Side(domain, new PairOptions())) {
      MemoryRegion region = side.openRegion(1 << 20);
      var address = side.listenAndAccept().localAddress();
      System.out
        .println("listening " + address.format() + ' ' + HexFormat.of().formatHex(address.bytes()) + ' ' + region.remoteAddress() + ' '
          + HexFormat.of().formatHex(region.remoteKey()));
      while (true) {
        side.poll();
        Thread.onSpinWait();
      }
    }
  }
}
