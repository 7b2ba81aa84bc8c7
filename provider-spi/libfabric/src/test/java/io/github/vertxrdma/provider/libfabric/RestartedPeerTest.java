package io.github.vertxrdma.provider.libfabric;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.fi.FiStandIn;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.OwnerProcess;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process is killed with messages in flight in both directions, and another one takes its place before this side notices. This side
 * reaches the new process. Afterwards the network delivers messages that it had kept: none of the former connection arrives on the new one.
 */
@Timeout(180)
@Tag("full")
class RestartedPeerTest {
  private static final int MESSAGES = 20;

  /** An adapter reuses the number of a closed queue pair, but each queue pair has a random Q_Key; efa_base_ep.c. */
  @Test
  @Tag("full")
  void newQueuePairWithTheNumberOfAFormerOneIsAnotherPeer() throws Exception {
    List<String> launcher = new ArrayList<>(StandInDevices.standIn().launcher());
    launcher.add(FiStandIn.NUMBER + "=77");
    restart(StandInDevices.device(StandInDevices.EFA), launcher, false);
  }

  /** A process can request the address of a former one, which the adapter cannot distinguish. */
  @Test
  void newProcessAtTheSameAddressIsAnotherPeer() throws Exception {
    restart(StandInDevices.device(StandInDevices.CXI), StandInDevices.standIn().launcher(), true);
  }

  private static void restart(FabricDevice device, List<String> launcher, boolean sameAddress) throws Exception {
    FiStandIn network = StandInDevices.standIn();
    String provider = device.info.provider();
    try (ChildJvm first = ChildJvm.startBy(launcher, Answering.class, device.name());
      Domain domain = device.open();
      Side side = new Side(domain, new PairOptions().withEndpoint(new EndpointOptions().withDepths(4 * MESSAGES, 64)))) {
      String at = first.await("listening ");
      Endpoint former = connect(side, at);
      send(side, former, "former 0");
      Await.until("answered", () -> !side.messages.isEmpty(), side::poll, side::toString);
      assertEquals("answer to former 0", text(side.messages.poll()));
      int slots = side.slotsPosted();
      for (int i = 1; i <= MESSAGES; i++) {
        side.send(former, ("former " + i).getBytes(UTF_8), PostFlags.SIGNALED);
      }
      first.await("message former " + MESSAGES);
      // This side has not polled, so the answers are in flight.
      network.keep(provider, true);
      for (int i = 1; i <= MESSAGES; i++) {
        side.send(former, ("late " + i).getBytes(UTF_8), PostFlags.SIGNALED);
      }
      first.close();
      try (ChildJvm second = ChildJvm.startBy(launcher, Answering.class, sameAddress ? new String[] {device.name(), at}
        : new String[] {device.name()})) {
        String now = second.await("listening ");
        if (sameAddress) {
          assertEquals(at, now);
        } else {
          assertNotEquals(at, now);
          // These fields are GID and number of struct efa_ep_addr.
          assertEquals(at.substring(0, at.indexOf(' ') + 1 + 2 * 18), now.substring(0, now.indexOf(' ') + 1 + 2 * 18));
        }
        // This side has not polled, so the former connection still seems to exist.
        assertEquals(EndpointState.CONNECTED, former.state());
        side.send(former, "late".getBytes(UTF_8), PostFlags.SIGNALED);
        // The adapter detects the end of the process, but the protocol does not.
        side.poll();
        side.poll();
        assertEquals(EndpointState.CONNECTED, former.state());
        Endpoint later = connect(side, now);
        assertTrue(network.kept(provider) >= 2 * MESSAGES, () -> network.kept(provider) + " frames are under way");
        former.peerDead("a test killed it");
        former.close();
        network.keep(provider, false);
        Await.until("all is delivered", () -> network.kept(provider) == 0, side::poll, side::toString);
        for (int i = 0; i < MESSAGES; i++) {
          send(side, later, "new " + i);
        }
        Await.until("all are answered", () -> side.messages.size() >= MESSAGES, side::poll, side::toString);
        assertEquals(IntStream.range(0, MESSAGES).mapToObj(i -> "answer to new " + i).toList(),
          side.messages.stream().map(RestartedPeerTest::text).toList());
        second.await("message new " + (MESSAGES - 1));
        assertEquals(IntStream.range(0, MESSAGES).mapToObj(i -> "new " + i).toList(), second.printed("message "));
        Await.until("what the former peer held comes back", () -> former.outstanding() == 0, side::poll, side::toString);
        assertEquals(slots, side.slotsPosted());
        assertEquals(EndpointState.CONNECTED, later.state());
      }
    } finally {
      network.keep(provider, false);
    }
  }

  private static String text(Side.Message message) {
    return new String(message.data(), UTF_8);
  }

  private static Endpoint connect(Side side, String at) {
    Endpoint endpoint = side.connect(OwnerProcess.address(at));
    Await.until("connected", () -> endpoint.state() != EndpointState.CONNECTING, side::poll, side::toString);
    assertEquals(EndpointState.CONNECTED, endpoint.state(), side::toString);
    return endpoint;
  }

  private static void send(Side side, Endpoint to, String text) {
    long id = side.send(to, text.getBytes(UTF_8), PostFlags.SIGNALED);
    Await.until("sent " + text, () -> side.completion(id) != null, side::poll, side::toString);
    assertTrue(side.completion(id).ok(), side::toString);
  }

  /** Prints and answers the messages that arrive, until it is killed. */
  static final class Answering {
    private Answering() {
    }

    public static void main(String[] arguments) {
      try (Domain domain = StandInDevices.device(arguments[0]).open(); Side side = new Side(domain, new PairOptions())) {
        EndpointAddress wanted = arguments.length == 1 ? null : OwnerProcess.address(arguments[1]);
        EndpointAddress address = side.listen(wanted, side::accept).localAddress();
        System.out.println("listening " + OwnerProcess.words(address));
        while (true) {
          side.poll();
          while (!side.messages.isEmpty()) {
            Side.Message message = side.messages.poll();
            side.send(message.endpoint(), ("answer to " + text(message)).getBytes(UTF_8), 0);
            System.out.println("message " + text(message));
          }
          Thread.onSpinWait();
        }
      }
    }
  }
}
