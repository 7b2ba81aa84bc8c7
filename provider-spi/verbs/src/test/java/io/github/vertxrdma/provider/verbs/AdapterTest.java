package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
@ExtendWith({LeakCheck.class, UserSpace.class})
class AdapterTest {

  private static Device device(String name, String... settings) {
    Nic.use(name);
    return Devices.require(List.of(new VerbsProvider()), "verbs:" + name,
      settings.length == 0 ? Map.of() : Map.of(settings[0], settings[1]));
  }

  @Test
  void completionQueuesUseAllCompletionVectors() {
    int vectors = 8;
    try (Domain domain = device("mlx5").open()) {
      List<CompletionQueue> queues = new ArrayList<>();
      for (int i = 0; i < vectors; i++) {
        queues.add(domain.createCompletionQueue(64));
      }
      assertEquals((1 << vectors) - 1, Nic.built().vectorsUsed("mlx5"));
      queues.forEach(CompletionQueue::close);
    }
  }

  private static int threadDomain(Endpoint endpoint) {
    return Nic.built().threadDomain(((VerbsEndpoint) endpoint).pair.number);
  }

  /** With mlx5, the device in user space aborts if two threads post to one thread domain at once. */
  @ParameterizedTest
  @CsvSource({"mlx5, true", "bnxt, false"})
  void queuePairsOfACompletionQueueShareAThreadDomainIfTheDeviceHasThem(String name, boolean has) {
    try (Pair pair = Pair.open(device(name), new PairOptions())) {
      Set<Integer> left = new HashSet<>();
      Set<Integer> right = new HashSet<>();
      for (int i = 0; i < 3; i++) {
        pair.connect();
        left.add(threadDomain(pair.left()));
        right.add(threadDomain(pair.right()));
        pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
        pair.message(pair.b);
      }
      assertEquals(1, left.size(), left::toString);
      assertEquals(1, right.size(), right::toString);
      assertEquals(has, !left.equals(right), () -> left + " and " + right);
      assertEquals(has, !left.contains(0) && !right.contains(0), () -> left + " and " + right);
    }
  }

  @Test
  void completionQueueThatCannotBeResizedGetsAnother() {
    try (Pair pair = Pair.open(device("bnxt"), new PairOptions().withQueueDepth(64))) {
      for (int i = 0; i < 8; i++) {
        pair.connect();
        pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
        pair.message(pair.b);
      }
    }
  }

  @Test
  void openingAsksForNoMoreInlineDataThanADeviceIsKnownToHave() {
    for (String name : new String[] {"bnxt", "irdma"}) {
      Device device = device(name);
      int before = Nic.built().refusedQueuePairs(name);
      try (Domain domain = device.open()) {
        assertEquals(name.equals("bnxt") ? 96 : 101, domain.limits().inlineSize());
      }
      assertEquals(before, Nic.built().refusedQueuePairs(name), name);
    }
  }

  private static int relaxed(String setting, Access... access) {
    Device device = setting == null ? device("mlx5") : device("mlx5", "verbs.relaxed-ordering", setting);
    try (Domain domain = device.open(); Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4096, 4096);
      int before = Nic.built().relaxed("mlx5");
      try (MemoryRegion region = domain.register(memory, access.length == 0 ? Set.of() : EnumSet.of(access[0], access))) {
        assertTrue(region.size() > 0);
        return Nic.built().relaxed("mlx5") - before;
      }
    }
  }

  @Test
  void orderingIsRelaxedForMemoryThatPeersDoNotWrite() {
    assertEquals(1, relaxed(null, Access.LOCAL_WRITE));
    assertEquals(1, relaxed(null, Access.READ_SINK));
    assertEquals(1, relaxed(null, Access.REMOTE_READ));
    assertEquals(0, relaxed(null, Access.REMOTE_WRITE));
    assertEquals(0, relaxed(null, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC));
    assertEquals(1, relaxed("all", Access.REMOTE_WRITE));
    assertEquals(0, relaxed("off", Access.LOCAL_WRITE));
  }

  @Test
  void orderOfWritesIsNotPromisedWhereAllOrderingIsRelaxed() {
    assertTrue(device("mlx5").capabilities().promises(Capabilities.Order.WRITE_AFTER_WRITE));
    Capabilities all = device("mlx5", "verbs.relaxed-ordering", "all").capabilities();
    assertFalse(all.promises(Capabilities.Order.WRITE_AFTER_WRITE));
    assertTrue(all.promises(Capabilities.Order.SEND_AFTER_WRITE));
  }

  @Test
  void libraryOfRdmaCoreBefore32IsRefusedByName() {
    // Any library without ibv_query_gid_table stands for an old one.
    Path libc = Path.of("/usr/lib/" + System.getProperty("os.arch").replace("amd64", "x86_64") + "-linux-gnu/libc.so.6");
    assumeTrue(java.nio.file.Files.exists(libc), libc + " is not there");
    Discovery found = new VerbsProvider().discover(new DiscoveryOptions(null, Map.of("verbs.libibverbs", libc.toString())));
    assertEquals(List.of(), found.devices());
    assertTrue(found.unavailable().toString().contains("older than rdma-core 32"), found.unavailable()::toString);
  }

  @Test
  void omniPathAdapterComesAfterItsOwnInterfaceAndBeforeSockets() {
    try {
      device("mlx5");
      Nic.built().change("mlx5", "vendor", "0x1175");
      Device.Preference found = device("mlx5").preference();
      assertTrue(found.compareTo(Device.Preference.RDMA_HARDWARE) > 0 && found.compareTo(Device.Preference.SOCKETS) < 0, found::toString);
    } finally {
      Nic.built().restore("mlx5");
    }
    assertEquals(Device.Preference.RDMA_HARDWARE, device("mlx5").preference());
  }

  @ParameterizedTest
  @CsvSource({"mlx5, 0x30000002, 0x30000002, 0x30000002", "mlx5, 0x30000002, 0x2, 0x2", "mlx5, 0x2, 0x30000002, 0x2", "bnxt, 0, 0, 0"})
  void connectionUsesTheEnhancementsOfBothEnds(String name, String connecting, String accepting, String used) {
    try (Pair pair = Pair.open(device(name), new PairOptions())) {
      Listener listener = pair.b.listenAndAccept();
      Nic.built().change(name, "enhancements", connecting);
      Endpoint left = pair.a.createEndpoint();
      Nic.built().change(name, "enhancements", accepting);
      left.connect(listener.localAddress(), new byte[0]);
      pair.until("connected", () -> !pair.a.connected.isEmpty() && !pair.b.connected.isEmpty());
      pair.success(pair.a, pair.a.send(left, new byte[8], PostFlags.SIGNALED));
      for (Endpoint end : List.of(pair.left(), pair.right())) {
        assertEquals(Integer.decode(used), Nic.built().enhancements(((VerbsEndpoint) end).pair.number));
      }
    } finally {
      Nic.built().restore(name);
    }
  }

  @Test
  void virtualFunctionIsOfferedWithoutItsPhysicalFunctionOnly(@TempDir Path sysfs) throws IOException {
    Path physical = Files.createDirectories(sysfs.resolve("devices/physical/infiniband/ib")).getParent().getParent();
    Path function = Files.createDirectories(sysfs.resolve("class/infiniband").resolve(Nic.WITHOUT_ADDRESS).resolve("device"));
    Files.createSymbolicLink(function.resolve("physfn"), physical);
    Nic.sysfs(sysfs);
    try {
      Nic.use(Nic.WITHOUT_ADDRESS);
      assertEquals(List.of("verbs:ib-vf"), names(Map.of()));
      Nic.use("ib", Nic.WITHOUT_ADDRESS);
      assertEquals(List.of("verbs:ib"), names(Map.of()));
      Discovery found = new VerbsProvider().discover(new DiscoveryOptions());
      assertTrue(found.unavailable().toString().contains("verbs:ib-vf: it is a virtual function of ib"), found.unavailable()::toString);
      assertEquals(List.of("verbs:ib", "verbs:ib-vf"), names(Map.of("verbs.device", "ib,ib-vf")));
    } finally {
      Nic.sysfs(Path.of("/sys"));
    }
  }

  @Test
  void searchThatFindsNothingNewKeepsNoListOfDevices() {
    Nic.use("mlx5", "nic");
    List<String> found = names(Map.of());
    int lists = Nic.built().deviceLists();
    assertEquals(found, names(Map.of()));
    assertEquals(found, names(Map.of()));
    assertEquals(lists, Nic.built().deviceLists());
  }

  @Test
  void countersOfTheAdapterAreThoseOfItsPort(@TempDir Path sysfs) throws IOException {
    Path device = Files.createDirectories(sysfs.resolve("class/infiniband/roce-multiport"));
    Files.createDirectories(device.resolve("ports/1/counters"));
    Path counters = Files.createDirectories(device.resolve("ports/2/counters"));
    Path hardware = Files.createDirectories(device.resolve("hw_counters"));
    Nic.sysfs(sysfs);
    try {
      Nic.use("roce-multiport");
      assertEquals(List.of(counters, hardware), new VerbsProvider().discover(new DiscoveryOptions()).devices().stream()
        .filter(found -> found.toString().contains("port 2")).findFirst().orElseThrow().counterFolders());
    } finally {
      Nic.sysfs(Path.of("/sys"));
    }
  }

  private static List<String> names(Map<String, String> settings) {
    return new VerbsProvider().discover(new DiscoveryOptions(null, settings)).devices().stream().map(Device::name).sorted().toList();
  }

  @Test
  void quirksAreThoseOfTheDevice() {
    assertEquals(EnumSet.range(Quirk.SIW_QUEUE_OFFSET, Quirk.SIW_READS_BEHIND), Quirk.of(0x626d74, 0));
    assertEquals(Set.of(Quirk.IRDMA_EMPTY_GATHER, Quirk.IRDMA_INLINE), Quirk.of(0x8086, 0x1592));
    assertEquals(Set.of(Quirk.IRDMA_EMPTY_GATHER, Quirk.X722_INLINE, Quirk.IRDMA_INLINE), Quirk.of(0x8086, 0x37ce));
    assertEquals(Set.of(), Quirk.of(0x2c9, 4123));
    for (Quirk quirk : Quirk.values()) {
      assertTrue(quirk.source.contains("rdma-core") || quirk.source.contains("Linux"), quirk.toString());
    }
  }
}
