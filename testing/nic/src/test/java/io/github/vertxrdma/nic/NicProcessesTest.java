package io.github.vertxrdma.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("full")
class NicProcessesTest {
  private static final Nic NIC = Nic.built();

  @TempDir
  Path folder;
  private final List<Process> processes = new ArrayList<>();
  private Path program;
  private String address;

  @BeforeEach
  void compile() throws Exception {
    assumeTrue(NIC.missing() == null, NIC.missing());
    address = NetworkInterface.networkInterfaces().filter(Nic::isReachable).flatMap(NetworkInterface::inetAddresses)
      .filter(Inet4Address.class::isInstance).map(InetAddress::getHostAddress).findFirst().orElse(null);
    assumeTrue(address != null, "the programs use IPv4, and no interface but loopback and bridges has such an address");
    Path source = folder.resolve("peers.c");
    program = folder.resolve("peers");
    try (InputStream in = NicProcessesTest.class.getResourceAsStream("peers.c")) {
      Files.copy(in, source);
    }
    // The compiler finds functions of these libraries by their files.
    Process compiler = new ProcessBuilder("cc", "-O2", "-o", program.toString(), source.toString(), NIC.cm().toString(),
      NIC.verbs().toString())
      .redirectErrorStream(true).start();
    String said = new String(compiler.getInputStream().readAllBytes());
    assertEquals(0, compiler.waitFor(), said);
    Files.createDirectory(nicFolder());
    Files.setPosixFilePermissions(nicFolder(), PosixFilePermissions.fromString("rwx------"));
  }

  @AfterEach
  void end() {
    processes.forEach(Process::destroyForcibly);
  }

  private Path nicFolder() {
    return folder.resolve("nic");
  }

  private Process start(Map<String, String> environment, String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(NIC.environment(Nic.DEFAULT));
    builder.environment().putAll(environment);
    builder.environment().put(Nic.FOLDER, nicFolder().toString());
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  private List<String> lines(Process process) throws Exception {
    List<String> lines = process.inputReader().lines().toList();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return lines;
  }

  private String port(Process server) throws IOException {
    BufferedReader said = server.inputReader();
    String line = said.readLine();
    assertTrue(line != null && line.startsWith("port "), line);
    return line.substring(5);
  }

  private void check(Map<String, String> environment) throws Exception {
    Process server = start(environment, program.toString(), "serve", address);
    Process client = start(environment, program.toString(), "check", address, port(server));
    assertEquals(List.of("checked 40", "left 0 0"), lines(client));
    assertEquals(List.of("served 40", "left 0 0"), lines(server));
  }

  @ParameterizedTest
  @CsvSource({"nic,memory", "nic,rings", "mlx5,memory", "mlx5,rings", "connectib,memory"})
  void messagesWritesReadsAndAtomicsHaveTheirBytes(String personality, String way) throws Exception {
    check(Map.of(Nic.PERSONALITIES, personality, Nic.MEMORY, way));
    try (Stream<Path> left = Files.list(nicFolder())) {
      assertEquals(List.of(), left.map(Path::getFileName).map(Path::toString).filter(name -> !name.startsWith("process-")).toList());
    }
  }

  @Test
  void devicesSayWhatTheyHave() throws Exception {
    Process process = start(Map.of(Nic.PERSONALITIES, "nic,mlx5,connectib,iwarp,irdma,tiny,efa"), program.toString(), "devices");
    assertEquals(
      List.of("nic of the adapter 0", "mlx5 of the adapter 0", "connectib none 0", "iwarp none 0", "irdma none 0", "tiny global 0",
        "efa none 95"),
      lines(process));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nic", "mlx5"})
  void aKilledPeerIsRetriesExceededAndThenFlushed(String personality) throws Exception {
    Map<String, String> environment = Map.of(Nic.PERSONALITIES, personality);
    Process server = start(environment, program.toString(), "serve", address);
    Process client = start(environment, program.toString(), "lose", address, port(server), Long.toString(server.pid()));
    List<String> said = new ArrayList<>(lines(client));
    assertEquals("transport retry counter exceeded", said.removeFirst());
    assertEquals("left 0 0", said.removeLast());
    assertEquals("later: Work Request Flushed Error", said.removeLast());
    assertTrue(said.size() >= 16 && said.stream().allMatch("Work Request Flushed Error"::equals), said::toString);
    // A process with the same number must not get access to old memory.
    check(environment);
  }

  @Test
  void stoppedPeerIsWaitedFor() throws Exception {
    Map<String, String> environment = Map.of(Nic.PERSONALITIES, "nic");
    Process server = start(environment, program.toString(), "serve", address);
    Process client = start(environment, program.toString(), "wait", address, port(server), Long.toString(server.pid()));
    assertEquals(List.of("success", "success", "left 0 0"), lines(client));
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(path -> Files.isExecutable(Path.of(path, program)));
  }

  private static boolean succeeds(String... command) throws Exception {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static void requireMounts() throws Exception {
    assumeTrue(succeeds("unshare", "-m", "mount", "-t", "tmpfs", "none", "/dev"), "mounts of its own need root and unshare (util-linux)");
  }

  private record Ended(int status, List<String> lines) {
    void succeeded() {
      assertEquals(0, status, lines.toString());
    }

    void completedAllRounds() {
      assertTrue(RpingEnd.isOrderly(status, lines), () -> "status " + status + ": " + lines);
    }
  }

  private Ended ended(Process process) throws Exception {
    List<String> lines = lines(process);
    return new Ended(process.exitValue(), lines);
  }

  /** Runs a client, again while the server does not listen yet. @param refused output of a client that found no listener */
  private Ended client(Map<String, String> environment, String refused, Process server, String... connect) throws Exception {
    Ended client;
    do {
      client = ended(start(environment, connect));
    } while (server.isAlive() && client.lines.toString().contains(refused));
    return client;
  }

  private void run(Map<String, String> environment, String refused, Consumer<Ended> check, String[] serve, String[] connect)
    throws Exception {
    Process server = start(environment, serve);
    check.accept(client(environment, refused, server, connect));
    check.accept(ended(server));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nic", "ib"})
  void rpingFindsNoWrongData(String personality) throws Exception {
    assumeTrue(isInstalled("rping"), "needs rping (rdmacm-utils)");
    run(Map.of(Nic.PERSONALITIES, personality), "RDMA_CM_EVENT_REJECTED", Ended::completedAllRounds,
      new String[] {"rping", "-s", "-a", address, "-C", "100", "-S", "20000", "-V"},
      new String[] {"rping", "-c", "-a", address, "-C", "100", "-S", "20000", "-V"});
  }

  /** cmtime(1) passes no protection domain or completion queues. Its server runs until it is killed. */
  @ParameterizedTest
  @ValueSource(strings = {"nic", "ib"})
  void cmtimeConnectsWithTheQueuesOfItsIds(String personality) throws Exception {
    assumeTrue(isInstalled("cmtime"), "needs cmtime (rdmacm-utils)");
    Map<String, String> environment = Map.of(Nic.PERSONALITIES, personality);
    Process server = start(environment, "cmtime", "-b", address, "-c", "20");
    Ended client = client(environment, "REJECTED", server, "cmtime", "-s", address, "-c", "20");
    client.succeeded();
    assertTrue(client.lines.stream().noneMatch(line -> line.contains("event:") || line.contains("fail")), client.lines.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"mlx5", "ib"})
  void ucmatoseSendsOverSeveralConnections(String personality) throws Exception {
    assumeTrue(isInstalled("ucmatose"), "needs ucmatose (rdmacm-utils)");
    String port = Integer.toString(freePort());
    run(Map.of(Nic.PERSONALITIES, personality), "REJECTED", Ended::succeeded,
      new String[] {"ucmatose", "-b", address, "-c", "4", "-p", port}, new String[] {"ucmatose", "-s", address, "-c", "4", "-p", port});
  }

  @ParameterizedTest
  @CsvSource({"nic, RoCE v2", "ib, fe80:0000:0000:0000"})
  void ibvDevinfoShowsTheDeviceAndItsAddresses(String personality, String gid) throws Exception {
    assumeTrue(isInstalled("ibv_devinfo"), "needs ibv_devinfo (ibverbs-utils)");
    Ended shown = ended(start(Map.of(Nic.PERSONALITIES, personality), "ibv_devinfo", "-v"));
    shown.succeeded();
    assertTrue(shown.lines.stream().anyMatch(line -> line.matches("hca_id:\\s+" + personality)), shown.lines.toString());
    assertTrue(shown.lines.stream().anyMatch(line -> line.contains("GID[") && line.contains(gid)), shown.lines.toString());
  }

  /** libfabric's verbs provider resolves addresses with ids without a channel, whose calls block. */
  @ParameterizedTest
  @ValueSource(strings = {"mlx5", "ib"})
  void libfabricsVerbsProviderFindsTheDevice(String personality) throws Exception {
    assumeTrue(isInstalled("fi_info"), "needs fi_info (libfabric-bin)");
    // Without a port, fi_info uses the host's name, which may resolve to 127.0.0.1.
    Ended found = ended(start(Map.of(Nic.PERSONALITIES, personality), "fi_info", "-p", "verbs", "-t", "FI_EP_MSG", "-P", "7471"));
    found.succeeded();
    assertTrue(found.lines.stream().anyMatch(line -> line.contains("domain: " + personality)), found.lines.toString());
  }

  private static int freePort() throws IOException {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
      try (ServerSocket free = new ServerSocket(port)) {
        return free.getLocalPort();
      } catch (BindException e) {
        // Another port may be free.
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"ibv_rc_pingpong,mlx5", "ibv_rc_pingpong,ib", "ibv_srq_pingpong,mlx5", "ibv_srq_pingpong,ib"})
  void pingpongOfIbverbsExchangesAddresses(String program, String personality) throws Exception {
    assumeTrue(isInstalled(program), "needs " + program + " (ibverbs-utils)");
    String[] serve = {program, "-d", personality, "-n", "100", "-p", Integer.toString(freePort())};
    // RoCE needs the index of a GID.
    serve = personality.equals("ib") ? serve : Stream.concat(Stream.of(serve), Stream.of("-g", "0")).toArray(String[]::new);
    String[] connect = Stream.concat(Stream.of(serve), Stream.of("127.0.0.1")).toArray(String[]::new);
    run(Map.of(Nic.PERSONALITIES, personality), "Couldn't connect", Ended::succeeded, serve, connect);
  }

  @ParameterizedTest
  @CsvSource({"ib_send_lat,nic", "ib_send_lat,mlx5", "ib_write_lat,nic", "ib_read_lat,nic", "ib_atomic_lat,nic", "ib_write_bw,nic",
    "ib_send_lat,ib", "ib_write_bw,ib", "ib_read_lat,ib"})
  void perftestMeasuresTheDevice(String program, String personality) throws Exception {
    assumeTrue(isInstalled(program), "needs the programs of perftest");
    List<String> version = lines(start(Map.of(), program, "--version"));
    assumeTrue(version.toString().contains("Version"), "this perftest wants what these libraries do not have: " + version);
    // Extended posts need a real driver. The timeout is long, because a process may pause for seconds.
    String[] serve = {program, "-d", personality, "-x", "0", "-n", "100", "--use_old_post_send", "-F", "-u", "18", "-p",
      Integer.toString(freePort())};
    String[] connect = Stream.concat(Stream.of(serve), Stream.of("127.0.0.1")).toArray(String[]::new);
    run(Map.of(Nic.PERSONALITIES, personality), "Couldn't connect", Ended::succeeded, serve, connect);
  }

  /** libfabric's verbs provider listens at the address of localhost, which no device has. So its processes have their own /etc/hosts. */
  @ParameterizedTest
  @CsvSource({"verbs,msg,nic", "verbs,msg,mlx5", "verbs;ofi_rxm,rdm,mlx5", "verbs,msg,ib"})
  void fiPingpongExchangesMessages(String provider, String endpoint, String personality) throws Exception {
    assumeTrue(isInstalled("fi_pingpong"), "needs fi_pingpong (libfabric-bin)");
    requireMounts();
    Path hosts = Files.writeString(folder.resolve("hosts"), address + " localhost\n");
    String port = Integer.toString(freePort());
    List<String> command = List.of("unshare", "-m", "sh", "-c", "mount --bind $0 /etc/hosts && \"$@\"", hosts.toString(),
      "fi_pingpong", "-p", provider, "-e", endpoint);
    run(Map.of(Nic.PERSONALITIES, personality), "Connection refused", Ended::succeeded,
      Stream.concat(command.stream(), Stream.of("-B", port)).toArray(String[]::new),
      Stream.concat(command.stream(), Stream.of("-P", port, address)).toArray(String[]::new));
  }

  /** UCX uses only devices with a character device in /dev/infiniband, so its processes have their own /dev. */
  @ParameterizedTest
  @CsvSource({"am_lat,nic", "put_lat,nic", "am_bw,mlx5", "am_lat,ib"})
  void ucxPerftestUsesReliableConnections(String test, String personality) throws Exception {
    assumeTrue(isInstalled("ucx_perftest"), "needs ucx_perftest (ucx-utils)");
    requireMounts();
    String[] serve = {"unshare", "-m", "sh", "-c",
      "mount -t tmpfs none /dev && mkdir /dev/infiniband && mknod /dev/infiniband/$0 c 1 3 && \"$@\"",
      personality, "ucx_perftest", "-d", personality + ":1", "-x", "rc_verbs", "-t", test, "-n", "1000", "-w", "10", "-p",
      Integer.toString(freePort())};
    String[] connect = Stream.concat(Stream.of(serve), Stream.of("127.0.0.1")).toArray(String[]::new);
    run(Map.of(Nic.PERSONALITIES, personality), "Connection refused", Ended::succeeded, serve, connect);
  }
}
