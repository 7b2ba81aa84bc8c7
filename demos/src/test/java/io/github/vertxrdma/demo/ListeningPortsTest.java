package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the table of ports in docs/event-bus.adoc with the sockets on which the process of a node listens (proc_net_tcp(5)). */
@Timeout(480)
class ListeningPortsTest {
  private static final Path PAGE = Path.of("../docs/event-bus.adoc");
  private static final Pattern ROW = Pattern.compile("^\\| (.+?) \\| (.+?) \\| (.+?)$");
  /** States of proc_net_tcp(5): a TCP socket that listens, and a UDP socket without a peer. */
  private static final String LISTENS = "0A";
  private static final String RECEIVES = "07";
  private static final int HAZELCAST = 0;
  private static final int CONTROL = 1;
  private static final int BUS = 2;
  private static final int METRICS = 3;
  private static final int FABRICS = 5;
  private static final int PORTS = 60;

  @TempDir
  Path folder;

  /** Range of ports, including both ends. */
  private record Range(int first, int last) {
    boolean contains(int port) {
      return first <= port && port <= last;
    }
  }

  private static Set<String> rows() throws IOException {
    String page = Files.readString(PAGE);
    String table = page.substring(page.indexOf("== Firewalls"));
    Set<String> rows = new LinkedHashSet<>();
    table.lines().takeWhile(line -> !line.startsWith("`vertx.rdma.ports` is")).map(ROW::matcher).filter(Matcher::matches).skip(1)
      .forEach(row -> rows.add(row.group(1)));
    return rows;
  }

  /** Returns the ports that each row of the table has in this test; none for those that need a device or a program of the user. */
  private static Map<String, Range> expected(int port) {
    Range none = new Range(0, -1);
    Range fabrics = new Range(port + FABRICS, port + PORTS - 1);
    Map<String, Range> ranges = new LinkedHashMap<>();
    ranges.put("control connection, one for each node", new Range(port + CONTROL, port + CONTROL));
    ranges.put("`nio` and `tcp`, one for each event loop that listens; `rxm`, one for each event loop that uses it", fabrics);
    ranges.put("iWARP, `siw` included, one for each event loop that listens", none);
    ranges.put("event bus", new Range(port + BUS, port + BUS));
    ranges.put("other servers of the application", none);
    ranges.put("RoCE", none);
    ranges.put("Hazelcast", new Range(port + HAZELCAST, port + HAZELCAST));
    ranges.put("answers of name servers, one for each event loop that resolves a host name", none);
    ranges.put("page, metrics, probes", new Range(port + METRICS, port + METRICS + 1));
    return ranges;
  }

  private DemoProcess start(int port, String host, String members, String fabric) throws IOException {
    Path options = Files.writeString(folder.resolve(port + ".json"),
      "{\"controlPort\": %d, \"controlPortCount\": 1, \"settings\": {\"ports\": \"%d-%d\"}}"
        .formatted(port + CONTROL, port + FABRICS, port + PORTS - 1));
    return DemoProcess.start(List.of("-Dvertx.rdma.demo.busPort=" + (port + BUS), "-Dhazelcast.prefer.ipv4.stack=false",
      // Disables the DNS resolver, which opens more ports.
      "-Dvertx.disableDnsResolver=true"),
      Map.of("VERTX_RDMA_CONFIG", options.toString()), "node", "--node", "n" + port, "--host", host, "--port", Integer.toString(port
        + HAZELCAST),
      "--members", members, "--fabric", fabric, "--metrics", "127.0.0.1:" + (port + METRICS), "--page", "127.0.0.1:"
        + (port + METRICS + 1));
  }

  /** Returns the local ports of sockets of a process that are in a state. */
  private static Collection<Integer> ports(long pid, String protocol, String state) throws IOException {
    Path process = Path.of("/proc", Long.toString(pid));
    Set<String> own = new HashSet<>();
    try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
      for (Path each : descriptors.toList()) {
        try {
          own.add(Files.readSymbolicLink(each).toString());
        } catch (IOException e) {
          // The socket was closed meanwhile.
        }
      }
    }
    List<Integer> ports = new ArrayList<>();
    for (String file : List.of(protocol, protocol + "6")) {
      Files.readAllLines(process.resolve("net").resolve(file)).stream().skip(1).map(line -> line.strip().split("\\s+"))
        .filter(field -> field[3].equals(state) && own.contains("socket:[" + field[9] + "]"))
        .forEach(field -> ports.add(Integer.parseInt(field[1].substring(field[1].lastIndexOf(':') + 1), 16)));
    }
    return new TreeSet<>(ports);
  }

  private static void assertPortsOfTable(DemoProcess node, int port) throws Exception {
    Map<String, Range> expected = expected(port);
    assertEquals(expected.keySet(), rows(), "rows of the table");
    node.await(() -> node.output().contains("| is up") && node.output().contains("serves the page"));
    Collection<Integer> listening = ports(node.pid(), "tcp", LISTENS);
    assertEquals(List.of(), listening.stream().filter(each -> expected.values().stream().noneMatch(range -> range.contains(each))).toList(),
      () -> "TCP ports that the table does not have; of the table are " + listening + node.output());
    expected.forEach((row, range) -> assertTrue(range.last() < 0 || listening.stream().anyMatch(range::contains),
      () -> "nothing listens on " + row + ": " + listening));
    assertEquals(List.of(), List.copyOf(ports(node.pid(), "udp", RECEIVES)), "UDP ports");
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(strings = {"auto", "nio", "tcp", "rxm"})
  void nodeListensOnPortsOfTableAlone(String fabric) throws Exception {
    int port = Main.freePorts(PORTS);
    try (DemoProcess node = start(port, "127.0.0.1", "127.0.0.1:" + port, fabric)) {
      node.await(() -> !node.isAlive() || node.output().contains("| is up"));
      assumeFalse(node.output().contains("there is no fabric"), () -> node.line("there is no fabric"));
      assertPortsOfTable(node, port);
    }
  }

  @Test
  @Tag("full")
  void nodesMeetOverIpv6OnPortsOfTable() throws Exception {
    assumeTrue(NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
      .anyMatch(address -> address.getHostAddress().startsWith("0:0:0:0:0:0:0:1")), "this machine has no IPv6");
    int port = Main.freePorts(2 * PORTS);
    int other = port + PORTS;
    String members = "[::1]:" + port + ",[::1]:" + other;
    try (DemoProcess a = start(port, "::1", members, "nio"); DemoProcess b = start(other, "::1", members, "nio")) {
      a.await(() -> a.output().contains("greeted by n" + other + ", over nio"));
      b.await(() -> b.output().contains("added 1 to the counter of n" + port));
      assertPortsOfTable(a, port);
    }
  }
}
