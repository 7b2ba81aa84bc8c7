package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.Side;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults of a machine and their messages. The test damages its machine, so it runs only in the soft-rdma machine. */
@Timeout(180)
class MachineFaultsTest {

  @BeforeEach
  void here() {
    assumeTrue(System.getenv("SOFT_RDMA") != null, "it runs in the emulated machine: ./rdma test --verbs");
  }

  public static void main(String[] args) {
    Discovery discovery = new VerbsProvider().discover(new DiscoveryOptions());
    discovery.devices().forEach(device -> System.out.println("device " + device.name()));
    discovery.unavailable().forEach(System.out::println);
    System.exit(0);
  }

  private static String discovered(Map<String, String> settings) {
    Discovery discovery = new VerbsProvider().discover(new DiscoveryOptions(null, settings));
    StringBuilder said = new StringBuilder();
    discovery.devices().forEach(device -> said.append("device ").append(device.name()).append('\n'));
    discovery.unavailable().forEach(what -> said.append(what).append('\n'));
    return said.toString();
  }

  private static String shell(String script, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("bash", "-ec", script, "bash"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(100, TimeUnit.SECONDS), script);
    assertEquals(0, process.exitValue(), said);
    return said;
  }

  private static String[] discoveryCommand() {
    return new String[] {ProcessHandle.current().info().command().orElse("java"), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
      "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), MachineFaultsTest.class.getName()};
  }

  private static void assertSaid(String said, String... parts) {
    for (String part : parts) {
      assertTrue(said.contains(part), () -> "'" + part + "' is not in: " + said);
    }
  }

  @Test
  void aDownLinkIsNamed() throws Exception {
    for (String device : new String[] {"siw0", "rxe0"}) {
      String address = shell("ip -6 -o address show dev net-$1 scope global | awk '{print $4}'", device).strip();
      shell("ip link set net-$1 down", device);
      try {
        Await.until("a refusal", () -> discovered(Map.of("verbs.device", device)).contains("DOWN"));
        assertSaid(discovered(Map.of("verbs.device", device)), "verbs:" + device, "port 1 is DOWN", "ip link set");
      } finally {
        shell("ip link set net-$1 up; ip address replace $2 dev net-$1 nodad", device, address);
      }
      Await.until("it is back", () -> discovered(Map.of()).contains("device verbs:" + device));
    }
  }

  @Test
  void aLinkThatGoesDownEndsConnections() throws Exception {
    String address = shell("ip -6 -o address show dev net-siw0 scope global | awk '{print $4}'").strip();
    try (Pair pair = Pair.connected(Devices.require(new VerbsProvider(), "verbs:siw0"))) {
      pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      shell("ip link set net-siw0 down");
      try {
        pair.until("the end", () -> !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty());
        assertSaid(pair.a.cause.getMessage(), "verbs:siw0");
        pair.until("the port's event", () -> ((VerbsDomain) pair.a.domain()).async.portEvent.contains("is down. Check link and cable"));
      } finally {
        shell("ip link set net-siw0 up; ip address replace $1 dev net-siw0 nodad", address);
      }
    }
  }

  /** The kernel keeps pages that a device has pinned. Files of tmpfs can be pinned for writing, others cannot. */
  @Test
  void operationsOnATruncatedFileEndNoProcessAndNoOtherConnection() throws Exception {
    int size = 4096;
    for (String name : new String[] {"siw0", "rxe0"}) {
      Path file = Files.createTempFile(Path.of("/dev/shm"), "mapped", "");
      try (Arena arena = Arena.ofShared();
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Pair pair = Pair.connected(Devices.require(new VerbsProvider(), "verbs:" + name))) {
        MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
        mapped.fill((byte) 7);
        try (MemoryRegion shared = pair.b.domain().register(mapped, EnumSet.of(Access.REMOTE_READ, Access.REMOTE_WRITE))) {
          MemoryRegion own = pair.a.openRegion(size);
          RemoteMemory remote = pair.a.remote(shared);
          channel.truncate(0);
          long read = Side.nextId();
          assertEquals(Status.OK, pair.left().post(new WorkRequest().read(own, 0, size, remote, 0).id(read).flags(PostFlags.SIGNALED)));
          pair.success(pair.a, read);
          assertEquals(7, own.segment().get(ValueLayout.JAVA_BYTE, size - 1));
          long write = Side.nextId();
          assertEquals(Status.OK, pair.left().post(new WorkRequest().write(own, 0, size, remote, 0).id(write).flags(PostFlags.SIGNALED)));
          pair.success(pair.a, write);
        }
        pair.success(pair.a, pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED));
      } finally {
        Files.delete(file);
      }
    }
  }

  @Test
  void aDeviceWithoutAddressIsNamed() throws Exception {
    String all = shell("ip -o address show dev net-siw0 scope global | awk '{print $4}'");
    shell("ip address flush dev net-siw0");
    try {
      assertSaid(discovered(Map.of()), "verbs:siw0: no IP address", "ip address add", "device verbs:rxe0");
    } finally {
      for (String address : all.split("\\s+")) {
        shell("ip address add $1 dev net-siw0 $( [[ $1 == *:* ]] && echo nodad || true)", address);
      }
    }
    assertSaid(discovered(Map.of()), "device verbs:siw0");
  }

  @Test
  void aWrongGidOrPortIsNamed() {
    assertSaid(discovered(Map.of("verbs.device", "rxe0", "verbs.gid-index", "77")), "verbs:rxe0", "index "
      + "77", "verbs.gid-index", "GID 1 ");
    assertSaid(discovered(Map.of("verbs.device", "rxe0", "verbs.port", "9")), "verbs:rxe0", "no port 9", "1 to 1");
  }

  @Test
  void missingDeviceFilesAreNamed() throws Exception {
    String said = shell("unshare -m bash -ec 'mount -t tmpfs none /dev/infiniband; exec \"$@\"' bash \"$@\"", discoveryCommand());
    assertSaid(said, "/dev/infiniband");
    assertTrue(!said.contains("device verbs:"), said);
  }

  @Test
  void withoutTheConnectionManagersFileTheExchangeIsLeft() throws Exception {
    String said = shell("unshare -m bash -ec 'mount --bind /dev/null /dev/infiniband/rdma_cm; exec \"$@\"' bash \"$@\"",
      discoveryCommand());
    assertSaid(said, "device verbs:rxe0", "verbs:rxe0 by IP address: /dev/infiniband/rdma_cm is missing or not permitted",
      "verbs:siw0: /dev/infiniband/rdma_cm is missing or not permitted, and iWARP needs the connection manager");
    assertTrue(!said.contains("device verbs:siw0"), said);
  }

  @Test
  void forbiddenDeviceFilesAreNamed() throws Exception {
    shell("chmod 000 /dev/infiniband/uverbs*");
    try {
      String said = shell("exec setpriv --inh-caps=-dac_override,-dac_read_search --bounding-set=-dac_override,-dac_read_search \"$@\"",
        discoveryCommand());
      assertSaid(said, "verbs:siw0", "errno 13 EACCES", "udev rule");
      assertTrue(!said.contains("device verbs:"), said);
    } finally {
      shell("chmod 666 /dev/infiniband/uverbs*");
    }
  }
}
