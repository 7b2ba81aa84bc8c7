package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.fi.FiStandIn;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.IpSubnet;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PortRange;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests requirements that providers of adapters have and software providers have not. */
@Timeout(120)
class AdapterProviderTest {
  private static final int EFA_MODES = Fi.MR_VIRT_ADDR | Fi.MR_ALLOCATED | Fi.MR_PROV_KEY;

  @ParameterizedTest
  @ValueSource(strings = {StandInDevices.EFA, StandInDevices.CXI, StandInDevices.OPX})
  void peersCanUseTheMemoryOfEveryDevice(String name) {
    FiInfo info = StandInDevices.device(name).info;
    long rights = Fi.REMOTE_READ | Fi.REMOTE_WRITE;
    assertEquals(rights, info.caps() & rights);
  }

  @Test
  void efaIsAskedForAllModesOfItsMemory() {
    FabricDevice device = StandInDevices.device(StandInDevices.EFA);
    assertEquals(EFA_MODES, device.info.mrMode() & EFA_MODES);
    assertEquals("efa", device.info.fabric());
    assertEquals(Capabilities.KeyMode.PROVIDER, device.capabilities().keyMode());
    assertEquals(Capabilities.AddressBase.VIRTUAL, device.capabilities().addressBase());
  }

  /** Answers to a request without registration modes look complete, but lack the right of peers to use memory. */
  @Test
  void answerWithoutModesIsNoTarget() {
    Libfabric library = StandInDevices.device(StandInDevices.EFA).library;
    try (FiInfo hints = library.hints()) {
      hints.request("efa", Fi.EP_RDM, Fi.MSG | Fi.RMA, 0, 0);
      List<FiInfo> found = library.info(null, hints);
      assertFalse(found.isEmpty());
      for (FiInfo info : found) {
        assertEquals(0, info.mrMode());
        assertFalse(FabricCapabilities.isTarget(info));
        info.close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {StandInDevices.EFA, StandInDevices.CXI, StandInDevices.OPX})
  void regionWithoutRightsOpensAndRefusesEachAccess(String name) {
    try (Pair pair = Pair.connected(StandInDevices.device(name))) {
      RemoteMemory remote = pair.a.remote(pair.b.region(4096));
      MemoryRegion sink = pair.a.region(64, Access.LOCAL_WRITE);
      assertEquals(Status.OK, pair.left().post(new WorkRequest().read(sink, 0, 64, remote, 0).id(1).flags(PostFlags.SIGNALED)));
      assertFalse(pair.completion(pair.a, 1).ok());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {StandInDevices.EFA, StandInDevices.CXI})
  void registrationBeyondTheLimitNamesTheNumberOfRegions(String name) throws Exception {
    List<String> launcher = new ArrayList<>(StandInDevices.standIn().launcher());
    launcher.add(FiStandIn.REGIONS + "=64");
    try (ChildJvm child = ChildJvm.startBy(launcher, ManyRegionsChild.class, name)) {
      String refused = child.await("LIMIT ");
      assertTrue(refused.matches(".*: registering 64 bytes failed: errno (12 ENOMEM|28 ENOSPC), .*; 6[0-4]( of at most 64)? regions "
        + "are registered here. Close"
        + " some, or register fewer and larger ones"), refused);
      child.await("registered again");
      assertEquals(0, child.waitFor());
    }
  }

  static final class ManyRegionsChild {
    private ManyRegionsChild() {
    }

    public static void main(String[] name) {
      try (Domain domain = StandInDevices.device(name[0]).open(); Side side = new Side(domain, new PairOptions())) {
        side.listenAndAccept();
        MemoryRegion last = null;
        try {
          while (true) {
            last = side.openRegion(64);
          }
        } catch (ProviderException e) {
          System.out.println(e.reason() + " " + e.getMessage());
        }
        last.close();
        side.openRegion(64);
        System.out.println("registered again");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {StandInDevices.EFA, StandInDevices.CXI, StandInDevices.OPX})
  void everyEndpointHasAnEventQueue(String name) {
    FabricDevice device = StandInDevices.device(name);
    FiStandIn standIn = StandInDevices.standIn();
    String provider = device.info.provider();
    try (FabricDomain domain = new RdmFabricDomain(device);
      ProbeEndpoint trial = new ProbeEndpoint(domain);
      Pair pair = device.capabilities().singleEndpoint() ? null : Pair.connected(device)) {
      assertNotNull(trial.endpoint);
      assertEquals(0, standIn.endpointsWithoutEvents(provider));
    }
  }

  @Test
  void memoryOfSlingshotBelongsToOneEndpoint() {
    assertTrue(StandInDevices.device(StandInDevices.CXI).capabilities().singleEndpoint());
    assertFalse(StandInDevices.device(StandInDevices.EFA).capabilities().singleEndpoint());
  }

  @Test
  void cacheOfRegistrationsStaysOnForSlingshot() {
    assertEquals("disabled", Libfabric.variables(false).get("FI_MR_CACHE_MONITOR"));
    assertFalse(Libfabric.variables(true).containsKey("FI_MR_CACHE_MONITOR"));
  }

  /** An idle link has six receives. All links of an event loop share the receives of one endpoint. */
  @Test
  void endpointOfSlingshotTakesTheReceivesOfTwoThousandIdleLinks() {
    try (RdmFabricDomain domain = new RdmFabricDomain(StandInDevices.device(StandInDevices.CXI));
      CompletionQueue queue = domain.createCompletionQueue(1 << 15);
      RdmEndpoint endpoint = domain.createEndpoint(queue, null);
      Arena arena = Arena.ofConfined()) {
      MemoryRegion memory = domain.register(arena.allocate(64), Set.of(Access.LOCAL_WRITE));
      for (int i = 0; i < 6 * 2_000; i++) {
        assertEquals(Status.OK, endpoint.postReceive(i, memory, 0, 64), "receive " + i);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"'', 0", "software, 0", "hardware, 134"})
  void moreReceivesThanSlingshotHasListEntriesEndNoProcessUnlessTheUserChoseSo(String mode, int status) throws Exception {
    List<String> launcher = new ArrayList<>(StandInDevices.standIn().launcher());
    launcher.addAll(List.of(FiStandIn.LIST_ENTRIES + "=64", "JAVA_TOOL_OPTIONS=-XX:ErrorFile=/dev/null -XX:-CreateCoredumpOnCrash"));
    if (!mode.isEmpty()) {
      launcher.add("FI_CXI_RX_MATCH_MODE=" + mode);
    }
    try (ChildJvm child = ChildJvm.startBy(launcher, ManyReceivesChild.class)) {
      child.await("begins");
      assertEquals(status, child.waitFor());
    }
  }

  static final class ManyReceivesChild {
    private ManyReceivesChild() {
    }

    public static void main(String[] arguments) {
      System.out.println("begins");
      try (Pair pair = Pair.open(StandInDevices.device(StandInDevices.CXI), new PairOptions().withSlots(100, 64))) {
        pair.connect();
        pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      }
    }
  }

  /** Without the cache of registrations keys of optimized regions name later regions. With it all keys outlive their regions. */
  @ParameterizedTest
  @ValueSource(strings = {"disabled", "kdreg2"})
  void keyOfAClosedRegionOfSlingshotReachesNothing(String cache) throws Exception {
    List<String> launcher = new ArrayList<>(StandInDevices.standIn().launcher());
    launcher.add("FI_MR_CACHE_MONITOR=" + cache);
    try (ChildJvm child = ChildJvm.startBy(launcher, ClosedRegionChild.class)) {
      assertEquals(0, child.waitFor());
    }
  }

  static final class ClosedRegionChild {
    private ClosedRegionChild() {
    }

    public static void main(String[] arguments) {
      try (Pair pair = Pair.connected(StandInDevices.device(StandInDevices.CXI))) {
        MemoryRegion closed = pair.b.openRegion(4096);
        RemoteMemory remote = pair.a.remote(closed);
        closed.close();
        pair.b.openRegion(4096);
        MemoryRegion sink = pair.a.openRegion(64);
        assertEquals(Status.OK, pair.left().post(new WorkRequest().read(sink, 0, 64, remote, 0).id(1).flags(PostFlags.SIGNALED)));
        assertFalse(pair.completion(pair.a, 1).ok());
      }
    }
  }

  @Test
  void subnetOfEfaIsThatOfTheHostsAddress() throws Exception {
    assertEquals("10.0.17.128/25", IpSubnet.of(InetAddress.ofLiteral("10.0.17.200"), 25).toString());
    assertEquals("10.0.16.0/20", IpSubnet.of(InetAddress.ofLiteral("10.0.17.200"), 20).toString());
    assertEquals("", FabricDiscovery.subnet("127.0.0.1"));
    assertEquals("", StandInDevices.device(StandInDevices.EFA).subnet());
  }

  @Test
  void countersAndNumaNodeAreThoseOfTheAdapter(@TempDir Path adapters) throws IOException {
    Path adapter = adapters.resolve("rdmap0s6");
    Path counters = Files.createDirectories(adapter.resolve("ports/1/hw_counters"));
    Files.createDirectories(adapter.resolve("device"));
    Files.writeString(adapter.resolve("device/numa_node"), "1\n");
    FabricDevice efa = StandInDevices.device(StandInDevices.EFA);
    assertEquals(List.of(counters), efa.counterFolders(adapters));
    assertEquals(1, efa.numaNode(adapters));
    FabricDevice cxi = StandInDevices.device(StandInDevices.CXI);
    assertEquals(List.of(), cxi.counterFolders(adapters));
    assertEquals(-1, cxi.numaNode(adapters));
    Files.createDirectories(adapter.resolve("ports/2"));
    assertEquals(List.of(), efa.counterFolders(adapters), "the port is unknown");
  }

  @Test
  void adaptersOfVerbsAreNotFoundTwice() {
    FabricDevice efa = StandInDevices.device(StandInDevices.EFA);
    FiInfo info = efa.info.copy().provider("verbs");
    FabricDevice verbs = new FabricDevice.Found(efa.library, info, "libfabric-verbs:mlx5_0", "libfabric-verbs", "", efa.capabilities(),
      PortRange.of(new DiscoveryOptions())).device();
    Discovery all = new Discovery(List.of(efa, verbs), List.of());
    Discovery found = LibfabricProvider.withoutVerbs(all, new DiscoveryOptions());
    assertEquals(List.of(efa), found.devices());
    assertEquals(
      "libfabric-verbs:mlx5_0: the provider of verbs uses this adapter without libfabric — force"
        + " the fabric 'libfabric-verbs:mlx5_0' to use it with libfabric",
      found.unavailable().getFirst().toString());
    assertEquals(all.devices(),
      LibfabricProvider.withoutVerbs(all, new DiscoveryOptions(null, Map.of("fabric", verbs.name()))).devices());
  }

  /**
   * Without an event queue the provider ends the process. It also does so when fork(2) is called, which Java avoids when it starts a
   * process.
   */
  @Test
  void processSurvivesAFailedOperationOfTheProvider() throws Exception {
    try (ChildJvm child = ChildJvm.startBy(StandInDevices.standIn().launcher(), FailedOperationChild.class)) {
      child.await("alive");
      assertEquals(0, child.waitFor());
    }
  }

  static final class FailedOperationChild {
    private FailedOperationChild() {
    }

    public static void main(String[] arguments) throws Exception {
      try (Pair pair = Pair.connected(StandInDevices.device(StandInDevices.EFA))) {
        StandInDevices.standIn().failInternal("efa");
        for (int i = 0; i < 100; i++) {
          pair.poll();
        }
        pair.success(pair.a, pair.a.send(pair.left(), Pattern.bytes(1, 100), PostFlags.SIGNALED));
        assertEquals(0, new ProcessBuilder("true").start().waitFor());
        System.out.println("alive");
      }
    }
  }
}
