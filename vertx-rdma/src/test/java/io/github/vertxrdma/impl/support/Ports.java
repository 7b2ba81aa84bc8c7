package io.github.vertxrdma.impl.support;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

public final class Ports {
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private Ports() {
  }

  /** Returns another free port at each call, outside of the range from which the system assigns ports. */
  public static int free() throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
        if (GIVEN.add(port)) {
          return probe.getLocalPort();
        }
      } catch (BindException e) {
        // Tries another port.
      }
    }
    throw new IOException("no free port");
  }
}
