package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.PortRange;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

public final class FixedPorts {
  private FixedPorts() {
  }

  public static void check(Provider provider, String name) throws IOException {
    int first = free(2);
    Device device = Devices.require(List.of(provider), name, Map.of("ports", first + "-" + (first + 1)));
    try (Domain domain = device.open();
      Side one = new Side(domain, new PairOptions());
      Side two = new Side(domain, new PairOptions());
      Side three = new Side(domain, new PairOptions())) {
      Set<Integer> ports = new TreeSet<>();
      for (Side side : List.of(one, two)) {
        ports.add(side.listen(null, request -> {
        }).localAddress().toInet().getPort());
      }
      assertEquals(Set.of(first, first + 1), ports);
      ProviderException failed = assertThrows(ProviderException.class, () -> three.listen(null, request -> {
      }));
      assertEquals(Reason.ADDRESS_IN_USE, failed.reason(), failed.getMessage());
      assertTrue(failed.getMessage().contains(PortRange.PROPERTY), failed.getMessage());
    }
  }

  /** Returns the first of {@code count} consecutive free ports below the ephemeral ports. */
  public static int free(int count) throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      int first = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      if (IntStream.range(first, first + count).allMatch(FixedPorts::isFree)) {
        return first;
      }
    }
    throw new IOException("there are no " + count + " free ports in a row");
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return probe.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
