package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.Shell;
import io.github.vertxrdma.commands.SoftRdma;
import io.github.vertxrdma.commands.UsageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SoftDeviceCommandTest {
  @TempDir
  private Path root;
  private final List<String> commands = new ArrayList<>();
  private final Map<String, Shell.Result> results = new HashMap<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @BeforeEach
  void makeUp() throws IOException {
    file("/proc/self/status", "Uid:\t0\t0");
    file("/proc/sys/kernel/osrelease", "6.1.0");
    file("/lib/modules/6.1.0/modules.dep", "kernel/siw.ko:\nkernel/rdma_rxe.ko:\n");
    file("/proc/net/route", "Iface\tDestination\tGateway\neth0\t00000000\t010011AC\n");
    Files.createDirectories(root.resolve("sys/class/net/eth0"));
    Files.createDirectories(root.resolve("sys/module/ib_uverbs"));
    Files.createDirectories(root.resolve("sys/module/rdma_ucm"));
  }

  private void file(String name, String content) throws IOException {
    Path file = root.resolve(name.substring(1));
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private int run(SoftDevice kind, String... arguments) {
    Shell shell = command -> {
      String words = String.join(" ", command);
      commands.add(words);
      if (words.startsWith("ip link add")) {
        root.resolve("sys/class/net/rdma-dummy").toFile().mkdirs();
      }
      return results.getOrDefault(words, new Shell.Result(0, ""));
    };
    SoftDeviceCommand soft = new SoftDeviceCommand(kind, new Machine(root, Map.of()), shell,
      new PrintStream(out, true, StandardCharsets.UTF_8));
    return Line.of(kind.type, arguments) instanceof SoftRdma.Up up ? soft.up(up.netdev == null ? "" : up.netdev) : soft.down();
  }

  private String refusal(SoftDevice kind, String... arguments) {
    return assertThrows(CommandException.class, () -> run(kind, arguments)).getMessage();
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void upLoadsTheModuleAndTakesTheDeviceOfTheDefaultRoute() {
    assertEquals(0, run(SoftDevice.SIW, "up"));
    assertEquals(List.of("modprobe siw", "rdma link add siw0 type siw netdev eth0"), commands);
    assertTrue(printed().startsWith("siw0 is up on eth0"), printed());
  }

  @Test
  void withoutDefaultRouteADummyIsMadeAndDownRemovesIt() throws IOException {
    Files.delete(root.resolve("proc/net/route"));
    assertEquals(0, run(SoftDevice.RXE, "up"));
    assertEquals(List.of("modprobe rdma_rxe", "ip link add rdma-dummy type dummy", "ip address add 10.98.76.1/24 dev rdma-dummy",
      "ip link set rdma-dummy up", "rdma link add rxe0 type rxe netdev rdma-dummy"), commands);
    commands.clear();
    Files.createDirectories(root.resolve("sys/class/infiniband/rxe0"));
    assertEquals(0, run(SoftDevice.RXE, "down"));
    assertEquals(List.of("rdma link delete rxe0", "ip link delete rdma-dummy"), commands);
  }

  @Test
  void unusableDummyIsRemoved() throws IOException {
    Files.delete(root.resolve("proc/net/route"));
    for (String fails : List.of("ip address add 10.98.76.1/24 dev rdma-dummy", "ip link set rdma-dummy up",
      "rdma link add rxe0 type rxe netdev rdma-dummy")) {
      Files.deleteIfExists(root.resolve("sys/class/net/rdma-dummy"));
      results.clear();
      results.put(fails, new Shell.Result(1, "it does not work"));
      assertEquals(fails + " failed: it does not work", refusal(SoftDevice.RXE, "up"));
      assertEquals("ip link delete rdma-dummy", commands.getLast());
    }
  }

  @Test
  void aDummyThatWasThereStaysWhenTheDeviceCannotBeMade() throws IOException {
    Files.delete(root.resolve("proc/net/route"));
    Files.createDirectories(root.resolve("sys/class/net/rdma-dummy"));
    String add = "rdma link add rxe0 type rxe netdev rdma-dummy";
    results.put(add, new Shell.Result(1, "it does not work"));
    assertEquals(add + " failed: it does not work", refusal(SoftDevice.RXE, "up"));
    assertEquals(add, commands.getLast());
  }

  @Test
  void theDummyStaysWhileTheOtherDeviceMayUseIt() throws IOException {
    Files.createDirectories(root.resolve("sys/class/net/rdma-dummy"));
    Files.createDirectories(root.resolve("sys/class/infiniband/rxe0"));
    Files.createDirectories(root.resolve("sys/class/infiniband/siw0"));
    assertEquals(0, run(SoftDevice.RXE, "down"));
    assertEquals(List.of("rdma link delete rxe0"), commands);
  }

  @Test
  void upTwiceAndDownTwiceAreNoFailures() throws IOException {
    assertEquals(0, run(SoftDevice.SIW, "down"));
    Files.createDirectories(root.resolve("sys/class/infiniband/siw0"));
    assertEquals(0, run(SoftDevice.SIW, "up"));
    assertEquals(List.of(), commands);
  }

  @Test
  void missingKernelModuleIsReportedWithAReplacement() throws IOException {
    file("/lib/modules/6.1.0/modules.dep", "kernel/rdma_rxe.ko:\n");
    assertEquals(
      "the kernel 6.1.0 has no module siw (kernels of Ubuntu and Fedora have it, those of Debian do not); "
        + "try ./rdma rxe up; if rxe is missing too, use the fabric tcp",
      refusal(SoftDevice.SIW, "up"));
  }

  @Test
  void inAContainerTheHostHasToLoadIt() throws IOException {
    Files.delete(root.resolve("lib/modules/6.1.0/modules.dep"));
    results.put("modprobe siw", new Shell.Result(1, "FATAL: Module siw not found"));
    assertTrue(refusal(SoftDevice.SIW, "up").contains("On the host, run as root: modprobe siw"));
  }

  @Test
  void usersOtherThanRootGetTheCommand() throws IOException {
    file("/proc/self/status", "Uid:\t1000\t1000");
    assertEquals("this command needs root: sudo ./rdma siw up", refusal(SoftDevice.SIW, "up"));
    assertEquals(List.of(), commands);
  }

  @Test
  void refusalOfTheSystemIsReported() {
    results.put("rdma link add siw0 type siw netdev eth0", new Shell.Result(1, "error: Operation not permitted"));
    assertEquals("rdma link add siw0 type siw netdev eth0 failed: error: Operation not permitted (a container needs --cap-add NET_ADMIN)",
      refusal(SoftDevice.SIW, "up"));
    results.put("rdma link add siw0 type siw netdev eth0", new Shell.Result(127, "no such file"));
    assertTrue(refusal(SoftDevice.SIW, "up").startsWith("there is no command rdma; "));
  }

  @Test
  void loAndUnknownDevicesAreRefused() {
    assertTrue(refusal(SoftDevice.SIW, "up", "lo").startsWith("cannot use lo: it has no hardware address"));
    assertEquals("there is no network device 'eth9'; there are eth0", refusal(SoftDevice.SIW, "up", "eth9"));
    assertThrows(UsageException.class, () -> run(SoftDevice.SIW, "sideways"));
    assertThrows(UsageException.class, () -> run(SoftDevice.SIW, "down", "eth0"));
  }

  @Test
  void shellReturnsStatusAndOutput() {
    assertEquals(new Shell.Result(3, "x"), Shell.system().run(List.of("sh", "-c", "echo x >&2; exit 3")));
    assertEquals(127, Shell.system().run(List.of("/no/such/command")).status());
  }
}
