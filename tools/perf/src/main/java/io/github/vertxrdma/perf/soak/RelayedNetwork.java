package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.provider.devices.relay.Relay;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** TCP relays for a node's control connections, and for connections to its relayed servers. */
final class RelayedNetwork implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final int SLOW_BYTES_PER_MILLI = 2_000;

  enum NetworkFault {
    NONE("calm networks", (relay, millis) -> {
      relay.calm();
      relay.resetHalfOpen();
    }),
    CUT("cut networks", (relay, millis) -> relay.reset()),
    HALF_OPEN("connections lost at one end", (relay, millis) -> relay.halfOpen()),
    SLOW("slow networks", (relay, millis) -> {
      relay.delay(millis);
      relay.rate(SLOW_BYTES_PER_MILLI);
    }),
    NO_INPUT("networks that deliver nothing to a node", (relay, millis) -> relay.hold(Relay.Way.TO_SERVER)),
    NO_OUTPUT("networks that deliver nothing from a node", (relay, millis) -> relay.hold(Relay.Way.TO_CLIENT));

    final String counted;
    private final RelayAction effect;

    private interface RelayAction {
      /** @param millis delay of each read on a slow network */
      void apply(Relay relay, int millis) throws IOException;
    }

    NetworkFault(String counted, RelayAction effect) {
      this.counted = counted;
      this.effect = effect;
    }
  }

  private final List<Relay> relays = new ArrayList<>();
  private Relay control;

  synchronized int relay(int port) throws IOException {
    return open(port).port();
  }

  private Relay open(int port) throws IOException {
    Relay relay = new Relay(port);
    relays.add(relay);
    return relay;
  }

  /** Returns a directory that publishes a relay's address as the node's control address. */
  DirectoryBackend before(DirectoryBackend directory) {
    return (DirectoryBackend) Proxy.newProxyInstance(RelayedNetwork.class.getClassLoader(), new Class<?>[] {DirectoryBackend.class},
      (proxy, method, arguments) -> {
        if (method.getName().equals("publish") && arguments[0] instanceof NodeEntry node && node.controlPort() != 0) {
          arguments[0] = node.withControl(HOST, relayed(node.controlPort()));
        }
        try {
          return method.invoke(directory, arguments);
        } catch (InvocationTargetException e) {
          throw e.getCause();
        }
      });
  }

  private synchronized int relayed(int controlPort) throws IOException {
    if (control == null) {
      control = open(controlPort);
    }
    return control.port();
  }

  synchronized void apply(NetworkFault fault, int millis) throws IOException {
    for (Relay relay : relays) {
      fault.effect.apply(relay, millis);
    }
  }

  @Override
  public synchronized void close() throws Exception {
    for (Relay relay : relays) {
      relay.close();
    }
  }
}
