package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.provider.devices.relay.Relay;
import io.github.vertxrdma.provider.devices.relay.Relay.Way;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** TCP relays for a node's control connections, and for connections to its relayed servers. */
final class RelayedNetwork implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final int SLOW_BYTES_PER_MILLI = 2_000;

  enum Weather {
    CALM("calm networks") {
      @Override
      void meet(Relay relay, int millis) throws IOException {
        relay.calm();
        relay.resetHalfOpen();
      }
    },
    CUT("cut networks") {
      @Override
      void meet(Relay relay, int millis) throws IOException {
        relay.reset();
      }
    },
    HALF_OPEN("connections lost at one end") {
      @Override
      void meet(Relay relay, int millis) throws IOException {
        relay.halfOpen();
      }
    },
    SLOW("slow networks") {
      @Override
      void meet(Relay relay, int millis) {
        relay.delay(millis);
        relay.rate(SLOW_BYTES_PER_MILLI);
      }
    },
    DEAF("networks that deliver nothing to a node") {
      @Override
      void meet(Relay relay, int millis) {
        relay.hold(Way.TO_SERVER);
      }
    },
    DUMB("networks that deliver nothing from a node") {
      @Override
      void meet(Relay relay, int millis) {
        relay.hold(Way.TO_CLIENT);
      }
    };

    final String counted;

    Weather(String counted) {
      this.counted = counted;
    }

    /** @param millis delay of each read on a slow network */
    abstract void meet(Relay relay, int millis) throws IOException;
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

  synchronized void meet(Weather weather, int millis) throws IOException {
    for (Relay relay : relays) {
      weather.meet(relay, millis);
    }
  }

  @Override
  public synchronized void close() throws Exception {
    for (Relay relay : relays) {
      relay.close();
    }
  }
}
