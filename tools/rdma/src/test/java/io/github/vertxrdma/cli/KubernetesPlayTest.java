package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static io.github.vertxrdma.cli.RestrictedProfile.map;
import static io.github.vertxrdma.cli.RestrictedProfile.maps;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * Plays the manifests of docker/kubernetes with Docker containers: {@code base} loses its cluster manager for a while, and is updated to
 * {@code shared-memory}, while a client sends requests.
 */
@Tag("long")
@Timeout(1200)
class KubernetesPlayTest {
  private static final Path FOLDER = PROJECT.resolve("docker/kubernetes");
  private static final String SECRET = "a secret for this test alone";
  private static final int PATIENCE_SECONDS = 120;
  private static final int OUTAGE_SECONDS = 20;

  @TempDir
  Path folder;
  private final String name = "vertx-rdma-test-" + ProcessHandle.current().pid();
  private final String subnet = "10.213." + ProcessHandle.current().pid() % 250 + ".";
  private final Map<String, PlayedPod> pods = new TreeMap<>();
  private final List<PlayedPod> ended = new ArrayList<>();
  private final Queue<String> lost = new ConcurrentLinkedQueue<>();
  private final AtomicInteger answered = new AtomicInteger();
  private DockerEngine engine;
  private PlayedPod.Cluster cluster;
  private Vertx vertx;
  private int nextAddress = 10;

  @BeforeEach
  void start() throws Exception {
    engine = DockerEngine.start(folder);
    engine.docker("network", "create", "--subnet", subnet + "0/24", name);
    Map<String, Map<String, Object>> configs = Map.of("orders", map(read("base/options.yaml").get("data")));
    cluster = new PlayedPod.Cluster(engine, name, configs, Map.of("orders", Map.of("secret", SECRET)), folder);
  }

  @AfterEach
  void stop() throws Exception {
    if (vertx != null) {
      vertx.close().await(20, TimeUnit.SECONDS);
    }
    for (PlayedPod pod : Stream.concat(pods.values().stream(), ended.stream()).toList()) {
      pod.close();
    }
    if (cluster != null) {
      engine.docker("network", "rm", name);
    }
    if (engine != null) {
      engine.close();
    }
  }

  private static Map<String, Object> read(String file) throws IOException {
    return new Yaml().load(Files.readString(FOLDER.resolve(file)));
  }

  private static Map<String, Object> template(Map<String, Object> statefulSet) {
    return map(map(map(statefulSet.get("spec")).get("template")).get("spec"));
  }

  private void until(String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        StringBuilder logs = new StringBuilder("not within " + PATIENCE_SECONDS + " s: " + what);
        for (Map.Entry<String, PlayedPod> pod : pods.entrySet()) {
          logs.append("\n").append(pod.getKey()).append(" ready: ").append(pod.getValue().ready()).append("\n")
            .append(pod.getValue().logs());
        }
        throw new AssertionError(logs);
      }
      Thread.sleep(500);
    }
  }

  private void create(String pod, Map<String, Object> spec) throws Exception {
    pods.put(pod, new PlayedPod(cluster, pod, "orders", subnet + nextAddress++, spec));
    applyPolicy(pods.get(pod));
  }

  private void inNetwork(PlayedPod pod, String... command) throws Exception {
    DockerEngine.run(Stream.concat(Stream.of("nsenter", "-t", Integer.toString(pod.process()), "-n"), Stream.of(command)).toList());
  }

  /** Closes all ports except those of the NetworkPolicy. This process stands for a pod of the same label. */
  private void applyPolicy(PlayedPod pod) throws Exception {
    StringBuilder rules = new StringBuilder("*filter\n:INPUT DROP\n-A INPUT -i lo -j ACCEPT\n"
      + "-A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT\n");
    for (Map<String, Object> rule : maps(map(read("base/networkpolicy.yaml").get("spec")).get("ingress"))) {
      for (Map<String, Object> port : maps(rule.get("ports"))) {
        rules.append("-A INPUT -p tcp ").append(rule.get("from") == null ? "" : "-s " + subnet + "0/24 ").append("--dport ")
          .append(port.get("port")).append(':').append(port.getOrDefault("endPort", port.get("port"))).append(" -j ACCEPT\n");
      }
    }
    Path file = Files.writeString(folder.resolve("rules"), rules.append("-A INPUT -p tcp -j DROP\nCOMMIT\n"));
    inNetwork(pod, "sh", "-c", "iptables-restore <" + file);
  }

  private int dropped(PlayedPod pod) throws Exception {
    String rules = DockerEngine.run(List.of("nsenter", "-t", Integer.toString(pod.process()), "-n", "iptables", "-nvxL", "INPUT"));
    return rules.lines().filter(line -> line.contains(" DROP ") && line.contains("tcp"))
      .mapToInt(line -> Integer.parseInt(line.strip().split(
        "\\s+")[0]))
      .sum();
  }

  private void request(RdmaBusClient client) {
    client.<String>request("who?", new DeliveryOptions().setSendTimeout(20_000)).onComplete((answer, cause) -> {
      if (cause == null) {
        answered.incrementAndGet();
      } else {
        lost.add(cause.toString());
      }
    });
  }

  @Test
  void setKeepsItsPromisesInOutageAndRollingUpdate() throws Exception {
    Map<String, Object> statefulSet = read("base/statefulset.yaml");
    Map<String, Object> updated = map(KubernetesFilesTest.merge(statefulSet, read("variants/shared-memory/statefulset.yaml")));
    int replicas = (Integer) map(statefulSet.get("spec")).get("replicas");
    for (int i = 0; i < replicas; i++) {
      create("orders-" + i, template(statefulSet));
    }
    until("all pods are ready", () -> pods.values().stream().allMatch(PlayedPod::ready));
    for (String pod : pods.keySet()) {
      for (String peer : pods.keySet()) {
        until(pod + " is greeted by " + peer, () -> pod.equals(peer) || pods.get(pod).logs().contains("greeted by " + peer + ", over"));
        until(pod + " adds to the counter of " + peer + " over nio", () -> pod.equals(peer)
          || pods.get(pod).logs().matches("(?s).*added 1 to the counter of " + peer + ",[^\n]*, over nio.*"));
      }
    }

    vertx = Vertx.vertx();
    Path secret = Files.writeString(folder.resolve("secret"), SECRET);
    Files.setAttribute(secret, "unix:mode", 0600);
    Rdma rdma = Rdma.create(vertx,
      new RdmaOptions().setHost(subnet + "1").setSecretFile(secret.toString()).setDirectory(new DirectoryOptions().setType(
        HazelcastDirectory.TYPE).setSettings(
          JsonObject.of(HazelcastDirectory.CLUSTER, "vertx-rdma-bus", HazelcastDirectory.MEMBERS,
            pods.values().stream().map(pod -> pod.address() + ":5701").toList()))));
    RdmaBusClient client = rdma.connectBus("names").await(60, TimeUnit.SECONDS);
    long timer = vertx.setPeriodic(50, id -> request(client));
    until("requests are answered", () -> answered.get() > 20);

    outage();
    assertEquals(List.of(), List.copyOf(lost), "requests lost in the outage");
    int before = answered.get();

    Path shared = Files.createDirectories(folder.resolve("run/rdma-orders"));
    Files.setAttribute(shared, "unix:mode", 0700);
    Files.setAttribute(shared, "unix:uid", 10001);
    for (int i = replicas - 1; i >= 0; i--) {
      replace("orders-" + i, template(updated), (Integer) map(updated.get("spec")).get("minReadySeconds"));
    }
    until("requests are answered after the update", () -> answered.get() > before + 100);
    vertx.cancelTimer(timer);
    assertEquals(List.of(), List.copyOf(lost), "requests lost in the update");
    for (String pod : pods.keySet()) {
      for (String peer : pods.keySet()) {
        until(pod + " is greeted by " + peer + " over shared memory",
          () -> pod.equals(peer) || pods.get(pod).logs().contains("greeted by " + peer + ", over shm"));
      }
      assertEquals(List.of(), pods.get(pod).deaths(), pod);
      assertEquals(0, dropped(pods.get(pod)), () -> "packets to ports of " + pod + " that the policy closes");
    }
    System.out.println(answered + " requests were answered");
  }

  private void outage() throws Exception {
    String[] cut = {"INPUT -p tcp --dport 5701", "INPUT -p tcp --sport 5701", "OUTPUT -p tcp --dport 5701", "OUTPUT -p tcp --sport 5701"};
    for (PlayedPod pod : pods.values()) {
      for (String rule : cut) {
        inNetwork(pod, ("iptables -I " + rule + " -j DROP").split(" "));
      }
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(OUTAGE_SECONDS);
    int before = answered.get();
    until("the outage has lasted", () -> System.nanoTime() > end);
    assertTrue(answered.get() > before + 100, () -> "requests go on in an outage; there were " + (answered.get() - before));
    for (PlayedPod pod : pods.values()) {
      for (String rule : cut) {
        inNetwork(pod, ("iptables -D " + rule + " -j DROP").split(" "));
      }
    }
    until("all pods are ready after the outage", () -> pods.values().stream().allMatch(PlayedPod::ready));
    for (Map.Entry<String, PlayedPod> pod : pods.entrySet()) {
      assertEquals(List.of(), pod.getValue().deaths(), pod.getKey() + " was restarted in an outage of the cluster manager");
    }
  }

  private void replace(String pod, Map<String, Object> spec, int minReadySeconds) throws Exception {
    PlayedPod old = pods.get(pod);
    assertEquals(List.of(), old.deaths(), pod);
    assertEquals(0, dropped(old), () -> "packets to ports of " + pod + " that the policy closes");
    ended.add(old);
    String log = old.stop((Integer) spec.get("terminationGracePeriodSeconds"));
    assertTrue(log.contains("| stopped"), log);
    create(pod, spec);
    until(pod + " is ready again", () -> pods.get(pod).ready());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(minReadySeconds);
    until(pod + " has been ready for minReadySeconds", () -> System.nanoTime() > end);
  }
}
