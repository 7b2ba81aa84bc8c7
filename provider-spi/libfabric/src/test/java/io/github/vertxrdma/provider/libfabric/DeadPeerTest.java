package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.OwnerProcess;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads of a process that is stopped and then killed: their memory and slots are freed, and the queue continues. */
class DeadPeerTest {

  @Test
  @Timeout(180)
  void rxmReleasesResourcesOfDeadPeer() throws Exception {
    givesBackWhatADeadPeerHeld(Devices.require(new LibfabricProvider(), "rxm"), List.of());
  }

  /** The provider's own operations to the peer fail too, and end the process if no event queue is bound. */
  @Test
  @Timeout(180)
  void efaReleasesResourcesOfDeadPeer() throws Exception {
    givesBackWhatADeadPeerHeld(StandInDevices.device(StandInDevices.EFA), StandInDevices.standIn().launcher());
  }

  private static void givesBackWhatADeadPeerHeld(Device device, List<String> launcher) throws Exception {
    try (ChildJvm child = ChildJvm.startBy(launcher, OwnerProcess.class, device.name());
      Domain domain = device.open();
      Side side = new Side(domain, new PairOptions().withEndpoint(new EndpointOptions().withDepths(1 << 16, 64)))) {
      RemoteMemory remote = OwnerProcess.memory(domain, child);
      Endpoint endpoint = side.connect(OwnerProcess.address(child));
      Await.until("connected", () -> endpoint.state() == EndpointState.CONNECTED, side::poll, side::toString);
      MemoryRegion sink = side.openRegion(OwnerProcess.REGION);
      child.signal("STOP");
      int posted = 0;
      while (endpoint.post(new WorkRequest().read(sink, 0, 4096, remote, 0).id(posted).flags(PostFlags.SIGNALED)) == Status.OK) {
        posted++;
      }
      assertTrue(posted > 0, "a stopped process took no read");
      child.kill();
      endpoint.peerDead("a test killed it");
      endpoint.close();
      Await.until("what it held comes back", () -> endpoint.outstanding() == 0, side::poll, side::toString);
      try (ChildJvm next = ChildJvm.startBy(launcher, OwnerProcess.class, device.name())) {
        RemoteMemory theirs = OwnerProcess.memory(domain, next);
        Endpoint again = side.connect(OwnerProcess.address(next));
        Await.until("connected again", () -> again.state() == EndpointState.CONNECTED, side::poll, side::toString);
        assertEquals(Status.OK, again.post(new WorkRequest().read(sink, 0, 4096, theirs, 0).id(-1).flags(PostFlags.SIGNALED)));
        Await.until("a read", () -> side.completion(-1) != null, side::poll, side::toString);
        assertTrue(side.completion(-1).ok());
      }
    }
  }
}
