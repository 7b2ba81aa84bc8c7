package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.rdm.RdmDevice;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many peers, one after the other, in the address vector of one endpoint. */
@Timeout(120)
class PeersComeAndGoTest {
  private static final int TIMES = 300;

  @Test
  void addressVectorReusesPlaceWhenPeerIsRemoved() {
    RdmDevice device = (RdmDevice) Devices.require(new LibfabricProvider(), "rxm");
    try (RdmDomain domain = device.openRdm();
      CompletionQueue one = domain.createCompletionQueue(64);
      CompletionQueue other = domain.createCompletionQueue(64);
      RdmEndpoint from = domain.createEndpoint(one, null);
      RdmEndpoint to = domain.createEndpoint(other, null)) {
      for (int i = 0; i < TIMES; i++) {
        long peer = from.addressVector().insert(to.localAddress());
        assertEquals(0, peer);
        from.addressVector().remove(peer);
      }
    }
  }

  @Test
  void connectionIsMadeWhenManyOthersToThePeerWereClosed() {
    try (Domain domain = Devices.require(new LibfabricProvider(), "rxm").open();
      Side here = new Side(domain, new PairOptions());
      Side there = new Side(domain, new PairOptions())) {
      EndpointAddress address = there.listenAndAccept().localAddress();
      for (int i = 0; i < TIMES; i++) {
        Endpoint endpoint = here.connect(address);
        int connected = i + 1;
        Await.until("connected", () -> endpoint.state() == EndpointState.CONNECTED && there.connected.size() == connected,
          () -> here.poll() + there.poll(), here::toString);
        endpoint.disconnect();
        endpoint.close();
        Await.until("disconnected at the other side", () -> there.disconnected.size() == connected, () -> here.poll() + there.poll(),
          there::toString);
        there.disconnected.getLast().close();
      }
    }
  }
}
