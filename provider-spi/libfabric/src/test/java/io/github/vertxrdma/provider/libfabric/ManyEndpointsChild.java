package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A process that connects from many endpoints to one, sends a message from each, and waits to be killed. */
final class ManyEndpointsChild {
  static final int ENDPOINTS = 16;

  private ManyEndpointsChild() {
  }

  /** Arguments: fabric, the address of the listener as hex. */
  public static void main(String[] arguments) {
    EndpointAddress address = EndpointAddress.of(new String(HexFormat.of().parseHex(arguments[1]), StandardCharsets.UTF_8));
    Domain domain = Devices.require(new LibfabricProvider(), arguments[0]).open();
    List<Side> sides = new ArrayList<>();
    for (int i = 0; i < ENDPOINTS; i++) {
      Side side = new Side(domain, new PairOptions());
      sides.add(side);
      Endpoint endpoint = side.connect(address);
      Await.until("connected", () -> endpoint.state() == EndpointState.CONNECTED, side::poll, side::toString);
      side.send(endpoint, new byte[100], 0);
    }
    while (true) {
      sides.forEach(Side::poll);
      Thread.onSpinWait();
    }
  }
}
