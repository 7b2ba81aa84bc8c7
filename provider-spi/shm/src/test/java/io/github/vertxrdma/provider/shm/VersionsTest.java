package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class VersionsTest {
  private static final VersionRange OWN = SocketMessage.VERSIONS;
  private static final VersionRange WIDER = new VersionRange(OWN.lowest() - 1, OWN.highest() + 4);
  private static final VersionRange LATER = new VersionRange(OWN.highest() + 1, OWN.highest() + 4);

  private final ShmDevice device = (ShmDevice) ShmDeviceTest.device();
  private final Pair pair = Pair.open(device, new PairOptions());

  private SocketMessage.Received answerTo(VersionRange versions) {
    DescriptorSocket peer = new DescriptorSocket(SystemCalls.socket());
    try {
      assertEquals(0, SystemCalls.connect(peer.fd, device.folder.socket(pair.b.listenAndAccept().localAddress())));
      peer.send(SocketMessages.connect(versions, 7, 8));
      return next(peer);
    } finally {
      peer.close();
    }
  }

  private SocketMessage.Received next(DescriptorSocket socket) {
    SocketMessage.Received[] next = new SocketMessage.Received[1];
    pair.until("a message comes", () -> (next[0] = socket.receive()) != null);
    next[0].discard();
    return next[0];
  }

  @Test
  void acceptorChoosesTheHighestCommonVersion() {
    try (pair) {
      SocketMessage.Received answer = answerTo(WIDER);
      assertEquals(SocketMessage.ACCEPT, answer.type());
      assertEquals(VersionRange.only(OWN.highest()), SocketMessage.versions(answer));
    }
  }

  @Test
  void acceptorWithoutACommonVersionRefusesAndNamesItsOwn() {
    try (pair) {
      SocketMessage.Received answer = answerTo(LATER);
      assertEquals(SocketMessage.OTHER_VERSIONS, answer.type());
      assertEquals(OWN, SocketMessage.versions(answer));
      assertTrue(pair.b.requests.isEmpty());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {SocketMessage.OTHER_VERSIONS, SocketMessage.ACCEPT})
  void connectorWithoutACommonVersionNamesBoth(int answer) {
    ShmQueue queue = (ShmQueue) pair.b.queue();
    EndpointAddress address = queue.nameListener();
    UnixListenSocket listener = UnixListenSocket.listen(device.folder.socket(address), 1);
    try (pair) {
      pair.a.connect(address);
      DescriptorSocket[] peer = new DescriptorSocket[1];
      pair.until("the connector comes", () -> (peer[0] = listener.accept()) != null);
      SocketMessage.Received request = next(peer[0]);
      assertEquals(OWN, SocketMessage.versions(request));
      peer[0].send(SocketMessage.of(answer, out -> out.i64(SocketMessage.magic(LATER))));
      pair.until("the connect fails", () -> !pair.a.disconnected.isEmpty());
      peer[0].close();
      assertEquals(Reason.REFUSED, pair.a.cause.reason());
      assertTrue(
        pair.a.cause.getMessage().endsWith("the peer has " + LATER + " of the protocol of shared memory, and this node has " + OWN
          + ". Upgrade the node with the older vertx-rdma"),
        pair.a.cause.getMessage());
    } finally {
      listener.close();
    }
  }
}
