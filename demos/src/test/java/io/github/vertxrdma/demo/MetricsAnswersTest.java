package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Answers an operator's questions about three nodes by Prometheus scrapes alone. Node b has another version, and a runtime folder of its
 * own, so that it does not share memory with the others.
 */
@Timeout(480)
class MetricsAnswersTest {
  private static final Pattern SAMPLE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final String VERSION_FILE = "META-INF/vertx-rdma/version.properties";
  private static final String OTHER_VERSION = "9.8.7+0123abc";

  @TempDir
  Path folder;
  private final Map<String, DemoProcess> nodes = new TreeMap<>();
  private int port;

  private record Sample(String name, Map<String, String> labels, double value) {
    String label(String key) {
      return labels.getOrDefault(key, "");
    }
  }

  @BeforeEach
  void start() throws Exception {
    port = Main.freePorts(2 * NAMES.size());
    String host = host();
    String members = "%s:%d,%s:%d,%s:%d".formatted(host, port, host, port + 1, host, port + 2);
    FileAttribute<?> own = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    Path shared = Files.createDirectory(folder.resolve("r"), own);
    Path other = Files.createDirectory(folder.resolve("o"), own);
    Path version = folder.resolve("v");
    Files.createDirectories(version.resolve(VERSION_FILE).getParent());
    Files.writeString(version.resolve(VERSION_FILE), "version=" + OTHER_VERSION);
    Map<String, List<String>> flags = Map.of("a", List.of("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0"),
      "b", List.of("-cp", version + File.pathSeparator + System.getProperty("java.class.path")), "c", List.of());
    for (int i = 0; i < NAMES.size(); i++) {
      String name = NAMES.get(i);
      nodes.put(name, DemoProcess.start(flags.get(name), Map.of("VERTX_RDMA_RUNTIME", (name.equals("b") ? other : shared).toString(),
        "VERTX_RDMA_SECRET", "a secret for this test alone"), "node", "--node", name, "--host", host, "--port", Integer.toString(port + i),
        "--members", members, "--metrics", "127.0.0.1:" + metricsPort(name)));
    }
  }

  @AfterEach
  void stop() {
    nodes.values().forEach(DemoProcess::close);
  }

  /** Returns an address of this host. Nodes with different runtime folders do not use loopback addresses of each other. */
  private static String host() throws SocketException {
    return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
      .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress() && !address.isLinkLocalAddress()).findFirst()
      .orElseGet(() -> Assumptions.abort("this machine has loopback addresses only")).getHostAddress();
  }

  private int metricsPort(String name) {
    return port + NAMES.size() + NAMES.indexOf(name);
  }

  /** Returns the samples of a node; none before it listens. */
  private List<Sample> scrape(String node) {
    List<Sample> samples = new ArrayList<>();
    try {
      HttpURLConnection meters = (HttpURLConnection) URI.create("http://127.0.0.1:" + metricsPort(node) + "/metrics").toURL()
        .openConnection();
      meters.setReadTimeout(10_000);
      try (InputStream text = meters.getInputStream()) {
        assertEquals("text/plain; version=0.0.4; charset=utf-8", meters.getContentType());
        new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().map(SAMPLE::matcher).filter(Matcher::matches).forEach(line -> {
          Map<String, String> labels = new HashMap<>();
          if (line.group(2) != null) {
            LABEL.matcher(line.group(2)).results().forEach(label -> labels.put(label.group(1), label.group(2)));
          }
          samples.add(new Sample(line.group(1), labels, Double.parseDouble(line.group(3))));
        });
      }
    } catch (IOException e) {
      return List.of();
    }
    return samples;
  }

  private int status(String node, String path) {
    try {
      return ((HttpURLConnection) URI.create("http://127.0.0.1:" + metricsPort(node) + path).toURL().openConnection()).getResponseCode();
    } catch (IOException e) {
      return -1;
    }
  }

  private void until(String what, BooleanSupplier condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, () -> "not within 120 s: " + what + "\n" + scrape("a") + "\n" + nodes.values().stream().map(
        DemoProcess::output).toList());
      Thread.sleep(200);
    }
  }

  /** Returns each peer with its fabric or TCP, and the reason for TCP. */
  private Set<String> ways(String node) {
    Set<String> ways = new TreeSet<>();
    scrape(node).stream().filter(sample -> sample.name.equals("vertx_rdma_ways"))
      .forEach(way -> ways.add((way.label("peer") + ' ' + way.label("way") + ' ' + way.label("reason")).strip()));
    return ways;
  }

  /** Returns each node that left, and how. */
  private Set<String> ended(String node) {
    Set<String> ended = new TreeSet<>();
    scrape(node).stream().filter(sample -> sample.name.equals("vertx_rdma_node_ended_timestamp_seconds"))
      .forEach(end -> ended.add(end.label("peer") + ' ' + end.label("how")));
    return ended;
  }

  private double sum(String node, String name, String key, String value) {
    return scrape(node).stream().filter(sample -> sample.name.equals(name) && sample.label(key).equals(value)).mapToDouble(Sample::value)
      .sum();
  }

  /** Returns the number of nodes of each version. */
  private Map<String, Double> versions(String node) {
    Map<String, Double> versions = new TreeMap<>();
    scrape(node).stream().filter(sample -> sample.name.equals("vertx_rdma_versions"))
      .forEach(sample -> versions.put(sample.label("version"), sample.value));
    return versions;
  }

  private static String version() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = MetricsAnswersTest.class.getResourceAsStream('/' + VERSION_FILE)) {
      properties.load(in);
    }
    return properties.getProperty("version");
  }

  /** Returns the value of the health metric; empty without one. */
  private List<Double> health(String node) {
    return scrape(node).stream().filter(sample -> sample.name.equals("vertx_rdma_healthy")).map(Sample::value).toList();
  }

  private List<Double> ends(String node) {
    return Stream.of("orderly", "crashed", "unreachable").map(how -> sum(node, "vertx_rdma_nodes_ended_total", "how", how)).toList();
  }

  /** Suspends one event loop after the other, until one makes the node unhealthy. The others serve scrapes and take samples. */
  private void oneStuckLoopIsUnhealthy(String node) throws Exception {
    AttachingConnector sockets = Bootstrap.virtualMachineManager().attachingConnectors().stream()
      .filter(each -> each.name().equals("com.sun.jdi.SocketAttach")).findFirst().orElseThrow();
    Map<String, Connector.Argument> arguments = sockets.defaultArguments();
    arguments.get("hostname").setValue("127.0.0.1");
    arguments.get("port").setValue(nodes.get(node).line("Listening for transport").replaceAll(".*: ", ""));
    VirtualMachine machine = sockets.attach(arguments);
    try {
      // A thread that ended meanwhile would have no name.
      machine.suspend();
      List<ThreadReference> loops = machine.allThreads().stream().filter(thread -> thread.name().startsWith("vert.x-eventloop-thread-"))
        .toList();
      machine.resume();
      boolean seen = false;
      for (int i = 0; i < loops.size() && !seen; i++) {
        loops.get(i).suspend();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!seen && System.nanoTime() < end) {
          Thread.sleep(200);
          seen = health(node).equals(List.of(0.0));
        }
        loops.get(i).resume();
      }
      assertTrue(seen, "no suspended event loop makes the node unhealthy");
    } finally {
      machine.dispose();
    }
  }

  @Test
  @Tag("full")
  void waysEndsHealthAndVersionsAreInScrapes() throws Exception {
    until("all have started", () -> nodes.values().stream().allMatch(node -> node.output().contains("| is up")));
    for (String probe : List.of("/started", "/ready", "/live")) {
      until(probe + " is answered", () -> status("a", probe) == 200);
    }
    until("meters of Vert.x are served", () -> scrape("a").stream().anyMatch(each -> each.name.equals("vertx_eventbus_delivered_total")));
    assumeTrue(nodes.get("a").line("; fabrics ").contains("shm"), "this machine has no shared memory for nodes");

    until("the ways are known", () -> ways("a").equals(Set.of("b TCP not-reached", "c shm")));
    until("the ways of b are known", () -> ways("b").equals(Set.of("a TCP not-reached", "c TCP not-reached")));
    until("a connection by TCP is counted", () -> sum("a", "vertx_rdma_tcp_connections_total", "reason", "not-reached") >= 1);
    until("bytes over shm are counted", () -> sum("a", "vertx_rdma_bytes_sent_total", "device", "shm") > 0);

    String version = version();
    Map<String, Double> versions = Map.of(version, 2.0, OTHER_VERSION, 1.0);
    for (String name : NAMES) {
      until(name + " is healthy", () -> health(name).equals(List.of(1.0)));
      until(name + " knows the version of all", () -> versions(name).equals(versions));
      List<Sample> info = scrape(name).stream().filter(sample -> sample.name.equals("vertx_rdma_info")).toList();
      assertEquals(List.of(name), info.stream().map(sample -> sample.label("name")).toList());
      assertEquals(List.of(name.equals("b") ? OTHER_VERSION : version), info.stream().map(sample -> sample.label("version")).toList());
    }

    // The ends of connected nodes are counted; b is connected by its region over nio.
    for (String name : List.of("a", "c")) {
      until(name + " uses the region of b", () -> nodes.get(name).output().contains("added 1 to the counter of b"));
    }
    until("a uses the region of c", () -> nodes.get("a").output().contains("added 1 to the counter of c"));
    nodes.get("b").stop();
    until("the orderly end of b is seen", () -> ended("a").equals(Set.of("b orderly")) && ended("c").equals(Set.of("b orderly")));
    assertEquals(List.of(1.0, 0.0, 0.0), ends("a"));
    nodes.get("c").kill();
    until("the crash of c is seen", () -> ended("a").equals(Set.of("b orderly", "c crashed")));
    assertEquals(List.of(1.0, 1.0, 0.0), ends("a"));
    // Neither end causes a warning: b left in order, and the kernel reports the end of c.
    assertEquals(List.of(), nodes.get("a").output().lines().filter(line -> line.contains("is lost")).toList());
    until("one node is left", () -> versions("a").equals(Map.of(version, 1.0)) && ways("a").isEmpty());
    assertEquals(List.of(1.0), health("a"));
    oneStuckLoopIsUnhealthy("a");
    until("a is healthy again", () -> health("a").equals(List.of(1.0)));
  }
}
