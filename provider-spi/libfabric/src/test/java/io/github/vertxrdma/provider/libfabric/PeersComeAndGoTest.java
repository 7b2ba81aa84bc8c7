package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More peers than an address vector has places for, one after the other. */
class PeersComeAndGoTest {
  private static final int MORE_THAN_PLACES = 300;

  @ParameterizedTest
  @ValueSource(strings = {"fi-shm", "rxm", "net"})
  @Timeout(120)
  void onePeerComesAndGoesManyTimes(String fabric) {
    RdmDevice device = (RdmDevice) Devices.require(new LibfabricProvider(), fabric);
    try (RdmDomain domain = device.openRdm(); CompletionQueue one = domain.createCompletionQueue(64);
         CompletionQueue other = domain.createCompletionQueue(64); RdmEndpoint from = domain.createEndpoint(one, null);
         RdmEndpoint to = domain.createEndpoint(other, null)) {
      for (int i = 0; i < MORE_THAN_PLACES; i++) {
        long peer = from.addressVector().insert(to.localAddress());
        assertEquals(0, peer);
        from.addressVector().remove(peer);
      }
    }
  }

  @Test
  @Timeout(120)
  void connectionsToOnePeerComeAndGo() {
    try (Domain domain = Devices.require(new LibfabricProvider(), "fi-shm").open(); Side here = new Side(domain, new PairOptions());
         Side there = new Side(domain, new PairOptions())) {
      EndpointAddress address = there.listenAndAccept().localAddress();
      for (int i = 0; i < MORE_THAN_PLACES; i++) {
        Endpoint endpoint = here.connect(address);
        int connected = i + 1;
        Await.until("connected", () -> endpoint.state() == EndpointState.CONNECTED && there.connected.size() == connected, () ->
          here.poll() + there.poll(), here::toString);
        endpoint.disconnect();
        endpoint.close();
        Await.until("the other side hears it", () -> there.disconnected.size() == connected, () -> here.poll() + there.poll(),
          there::toString);
        there.disconnected.getLast().close();
      }
    }
  }

  /** Processes with 16 endpoints each connect, send and are gone without a word. */
  @Test
  @Tag("long")
  @Timeout(300)
  void processesThatDiedMakeRoomForOthers() throws Exception {
    try (Domain domain = Devices.require(new LibfabricProvider(), "fi-shm").open(); Side here = new Side(domain, new PairOptions())) {
      EndpointAddress address = here.listenAndAccept().localAddress();
      List<Endpoint> open = new ArrayList<>();
      int heard = 0;
      while (heard < MORE_THAN_PLACES) {
        try (ChildJvm child = ChildJvm.start(ManyEndpointsChild.class, "fi-shm", HexFormat.of().formatHex(address.bytes()))) {
          heard += ManyEndpointsChild.ENDPOINTS;
          int messages = heard;
          Await.until("its messages", () -> here.messages.size() == messages, here::poll, here::toString);
        }
        for (Endpoint endpoint : here.connected) {
          endpoint.peerDead("a test ended it");
          endpoint.close();
        }
        here.connected.clear();
      }
      System.out.println("fi-shm: " + heard + " peers of processes that died were heard by one endpoint");
    }
  }

  @Test
  void aTableThatIsFullSaysSo() {
    SharedMemoryPeers peers = new SharedMemoryPeers("fi-shm", address -> 7, address -> fail("it lives"));
    for (int i = 0; i < SharedMemoryPeers.PLACES - 16; i++) {
      peers.enter(name(ProcessHandle.current().pid(), i), false);
    }
    String message = assertThrows(RuntimeException.class, () -> peers.enter(name(1, 1), true)).getMessage();
    assertTrue(message.contains("at most 256 peers"), message);
  }

  private static EndpointAddress name(long pid, int number) {
    return EndpointAddress.of("fi_shm://" + pid + "v0v" + number + ":0:1");
  }
}
