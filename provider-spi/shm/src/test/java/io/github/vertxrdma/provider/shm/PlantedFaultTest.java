package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.contract.plants.Plant;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Unexpected exceptions of this provider end the connections concerned, and no others. */
class PlantedFaultTest {
  private static final Plant.Instead FAILURE = (code, call) -> code.aconst_null().athrow();
  private static final int RECEIVE = 3000;

  @Test
  void faultInRecordOfConnectionEndsThatConnection() throws ReflectiveOperationException {
    assertNull(new Plant("a fault for a message that is too long", "provider.shm.Incoming.receive", "receiveTooShort", FAILURE)
      .search(OneOfLink.class, 1, 1));
  }

  @Test
  void faultInRingEndsConnectionsOfItsLink() throws ReflectiveOperationException {
    assertNull(new Plant("a fault for a larger ring", "provider.shm.QueueLink.handle", "nextRing", FAILURE)
      .search(OneOfLinks.class, 1, 1));
  }

  static final class OneOfLink {
    private OneOfLink() {
    }

    static String found(long seed) {
      try (Trio trio = new Trio()) {
        Endpoint innocent = trio.connect(trio.a);
        Endpoint concerned = trio.connect(trio.a);
        trio.a.send(concerned, Pattern.bytes(1, RECEIVE + 1), PostFlags.SIGNALED);
        trio.assertEndsAlone(trio.a, innocent);
      }
      return null;
    }
  }

  static final class OneOfLinks {
    private OneOfLinks() {
    }

    static String found(long seed) {
      try (Trio trio = new Trio()) {
        Endpoint innocent = trio.connect(trio.a);
        Endpoint concerned = trio.connect(trio.b);
        for (long sent = 0; sent < 2L * Ring.SMALLEST; sent += RECEIVE) {
          trio.b.send(concerned, Pattern.bytes(1, RECEIVE), PostFlags.SIGNALED);
        }
        trio.assertEndsAlone(trio.b, innocent);
      }
      return null;
    }
  }

  private static final class Trio implements AutoCloseable {
    private final Domain domain = ShmDeviceTest.device().open();
    private final PairOptions options = new PairOptions().withSlots(64, RECEIVE);
    final Side a = new Side(domain, options);
    final Side b = new Side(domain, options);
    private final Side accepting = new Side(domain, options);
    private final Listener listener = accepting.listenAndAccept();

    private int poll() {
      return a.poll() + b.poll() + accepting.poll();
    }

    private void until(String what, BooleanSupplier condition) {
      Await.until(what, condition, this::poll, () -> a + " " + b + " " + accepting);
    }

    Endpoint connect(Side side) {
      int before = accepting.connected.size();
      Endpoint made = side.connect(listener.localAddress());
      until("connected", () -> side.connected.contains(made) && accepting.connected.size() > before);
      return made;
    }

    /** Waits for the end of one connection. Another one of {@link #a} continues, and new ones can be made. */
    void assertEndsAlone(Side concerned, Endpoint innocent) {
      until("the connection ends", () -> !concerned.disconnected.isEmpty() && !accepting.disconnected.isEmpty());
      assertCarries(innocent);
      assertCarries(connect(a));
    }

    private void assertCarries(Endpoint endpoint) {
      accepting.messages.clear();
      a.send(endpoint, Pattern.bytes(2, 64), PostFlags.SIGNALED);
      until("a message", () -> !accepting.messages.isEmpty());
      Pattern.check(accepting.messages.poll().data(), 64, 2);
    }

    @Override
    public void close() {
      a.close();
      b.close();
      accepting.close();
      domain.close();
    }
  }
}
