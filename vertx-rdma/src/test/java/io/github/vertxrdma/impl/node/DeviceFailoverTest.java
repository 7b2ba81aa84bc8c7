package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.node.Connector.Candidate;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The order in which pairs of local and remote devices of one fabric are tried. */
class DeviceFailoverTest {
  private static final List<Device> DEVICES = List.of(device("0"), device("1"), device("2"), device("3"));
  private static final NodeEntry PEER = NodeEntry.local("peer", 1);

  private static Device device(String name) {
    return new ForwardingDevice(InMemoryFabric.named("adapters").device(), name) {
      @Override
      public String fabric() {
        return "adapters";
      }
    };
  }

  private static Candidate candidate(int here, int there) {
    return new Candidate(DEVICES.get(here), FabricAddress.of(DEVICES.get(there), 0, EndpointAddress.of("adapters:" + there)), PEER);
  }

  /** Pairs of a local and a remote device, such as 01. The fourth column has those with trouble. */
  @ParameterizedTest
  @CsvSource({
    "2, 2, 0, '', 00 11 01 10",
    "2, 2, 1, '', 11 00 10 01",
    "2, 2, -1, '', 11 00 10 01",
    "2, 2, 6, '', 00 11 01 10",
    "2, 2, 0, 00 01, 11 10 00 01",
    "2, 2, 0, 00 10, 11 01 00 10",
    "2, 2, 1, 11, 00 10 01 11",
    "1, 2, 0, '', 00 01",
    "1, 2, 1, '', 00 01",
    "2, 1, 1, '', 00 10",
    "3, 3, 2, '', 22 00 11 20 01 12 21 02 10",
    "2, 3, 1, '', 11 00 12 01 10 02",
    "1, 1, 5, '', 00",
  })
  void theOrderIs(int here, int there, int start, String troubled, String order) {
    List<Candidate> ways = new ArrayList<>();
    for (int i = 0; i < here; i++) {
      for (int j = 0; j < there; j++) {
        ways.add(candidate(i, j));
      }
    }
    Set<String> bad = Set.of(troubled.split(" "));
    assertEquals(order, DeviceFailover.ordered(ways, start, way -> bad.contains(name(way)) ? 1 : 0).stream().map(DeviceFailoverTest::name)
      .collect(Collectors.joining(" ")));
  }

  /** Each process ranks its devices by its own NUMA node. */
  @ParameterizedTest
  @CsvSource({
    "rail2 rail10, a10 a2, 0, rail2-a2 rail10-a10 rail2-a10 rail10-a2",
    "rail10 rail2, a2 a10, 0, rail10-a10 rail2-a2 rail10-a2 rail2-a10",
    "rail10 rail2, a10 a2, 1, rail2-a2 rail10-a10 rail2-a10 rail10-a2",
    "rail1 rail0, rail0 rail1, 0, rail1-rail1 rail0-rail0 rail1-rail0 rail0-rail1",
    "x, a0 a1, 0, x-a0 x-a1",
    "x, a0 a1, 1, x-a1 x-a0",
    "x y, a, 1, y-a x-a",
  })
  void otherNamesArePairedByTheirPlacesNotByTheirRanks(String here, String there, int start, String order) {
    List<Candidate> paths = new ArrayList<>();
    for (Device device : Stream.of(here.split(" ")).map(DeviceFailoverTest::device).toList()) {
      for (String other : there.split(" ")) {
        paths.add(new Candidate(device, FabricAddress.of(device(other), 0, EndpointAddress.of("adapters:" + other)), PEER));
      }
    }
    assertEquals(order, DeviceFailover.ordered(paths, start, path -> 0).stream()
      .map(path -> path.device().name() + '-' + path.address().device()).collect(Collectors.joining(" ")));
  }

  @Test
  void pathsWithinASubnetComeFirst() {
    Device near = new ForwardingDevice(InMemoryFabric.named("adapters").device(), "near") {
      @Override
      public boolean isOnSubnet(EndpointAddress address) {
        return address.equals(EndpointAddress.of("adapters:1"));
      }
    };
    FabricAddress first = FabricAddress.of(DEVICES.get(0), 0, EndpointAddress.of("adapters:0"));
    FabricAddress second = FabricAddress.of(DEVICES.get(1), 0, EndpointAddress.of("adapters:1"));
    List<Candidate> ways = List.of(new Candidate(DEVICES.get(2), first, PEER), new Candidate(DEVICES.get(2), second, PEER),
      new Candidate(near, first, PEER), new Candidate(near, second, PEER));
    assertEquals(ways.get(3), DeviceFailover.ordered(ways, 0, way -> 0).getFirst());
    assertEquals(ways.get(0), DeviceFailover.ordered(ways, 0, way -> way == ways.get(3) ? 1 : 0).getFirst());
  }

  private static String name(Candidate way) {
    return way.device().name() + way.address().device();
  }
}
