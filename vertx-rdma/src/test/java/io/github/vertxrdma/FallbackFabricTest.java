package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that asks a library for fabrics only if it needs them reaches peers that have no other fabric. */
@Timeout(120)
class FallbackFabricTest extends FabricPair {
  private static final String NAME = "there";
  private static final Buffer MESSAGE = Buffer.buffer("hello");

  @Override
  String fabric() {
    return "tcp";
  }

  private Rdma free() {
    return Rdma.create(clientVertx, options().setFabric(null));
  }

  @Test
  void aServerIsReachedByItsName() throws Exception {
    echo(server, NAME);
    RdmaConnection connection = await(free().connect(NAME));
    assertEquals("tcp", connection.fabric().fabric());
    assertEchoes(connection, MESSAGE);
  }

  @Test
  void aServerIsReachedByItsAddress() throws Exception {
    RdmaServer listening = await(server.createServer().connectHandler(connection -> connection.handler(connection::write))
      .listen(SocketAddress.inetSocketAddress(0, "127.0.0.1")));
    RdmaConnection connection = await(free().connect(SocketAddress.inetSocketAddress(listening.actualPort(), "127.0.0.1")));
    assertEquals("tcp", connection.fabric().fabric());
    assertEchoes(connection, MESSAGE);
  }

  @Test
  void aPingGoesOverIt() throws Exception {
    echo(server, NAME);
    List<PingReport> reports = await(free().ping(NAME));
    assertTrue(reports.stream().anyMatch(report -> report.device().equals("tcp") && report.failure().isEmpty()), reports::toString);
  }

  @Test
  void aRegionIsOfferedOnWhatIsNamed() throws Exception {
    Rdma owner = free();
    await(owner.createRegion(new RegionOptions().setName("elsewhere").setSize(64).setAccess(RegionAccess.READ)));
    MemoryRegion region = await(
      owner.createRegion(new RegionOptions().setName(NAME).setSize(64).setAccess(RegionAccess.READ).addFabric("tcp")));
    region.segment().set(ValueLayout.JAVA_BYTE, 3, (byte) 7);
    RemoteRegion remote = await(server.openRegion(NAME));
    assertEquals("tcp", remote.fabric());
    assertEquals(7, await(remote.read(3, 1)).getByte(0));
  }

  @Test
  void itsDeviceOpensByName() throws Exception {
    RdmaDevice device = await(free().openDevice("tcp"));
    assertEquals("tcp", device.domain().device().name());
    await(device.close());
  }

  @Test
  void nodesWithoutNamedFabricUseAnother() throws Exception {
    Rdma owner = Rdma.create(serverVertx, options().setFabric(null));
    echo(owner, NAME);
    RdmaConnection connection = await(free().connect(NAME));
    assertNotEquals("tcp", connection.fabric().fabric());
    assertEchoes(connection, MESSAGE);
  }
}
