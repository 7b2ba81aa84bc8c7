package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static io.github.vertxrdma.cli.RestrictedProfile.list;
import static io.github.vertxrdma.cli.RestrictedProfile.map;
import static io.github.vertxrdma.cli.RestrictedProfile.maps;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.PortRange;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.yaml.snakeyaml.Yaml;

@Timeout(60)
class KubernetesFilesTest {
  private static final Path FOLDER = PROJECT.resolve("docker/kubernetes");

  /** Compares objects with the types of npm's kubernetes-models, which are those of the API's specification. */
  private static final String VALIDATE = """
    for (const object of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
      const type = require("kubernetes-models/" + object.apiVersion)[object.kind];
      try {
        new type(object).validate();
      } catch (e) {
        console.log(object.kind + ": " + e.message);
      }
    }
    """;

  private final Map<String, Object> statefulSet = read("base/statefulset.yaml");
  private final Map<String, Object> template = map(map(statefulSet.get("spec")).get("template"));
  private final Map<String, Object> pod = map(template.get("spec"));
  private final Map<String, Object> container = maps(pod.get("containers")).getFirst();
  private final Map<String, Object> labels = map(map(template.get("metadata")).get("labels"));
  private final Map<String, Object> data = map(read("base/options.yaml").get("data"));

  private static Map<String, Object> read(String file) {
    try {
      return new Yaml().load(Files.readString(FOLDER.resolve(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Object> at(Map<String, Object> from, String... keys) {
    Map<String, Object> found = from;
    for (String key : keys) {
      found = map(found.get(key));
    }
    return found;
  }

  /** Merges like {@code kubectl apply -k}. */
  static Object merge(Object base, Object patch) {
    if (patch instanceof Map && base instanceof Map) {
      Map<String, Object> merged = new HashMap<>(map(base));
      map(patch).forEach((key, value) -> {
        if (value == null) {
          merged.remove(key);
        } else {
          merged.put(key, merge(merged.get(key), value));
        }
      });
      return merged;
    }
    if (patch instanceof List && base instanceof List) {
      List<Object> merged = new ArrayList<>(maps(base));
      for (Map<String, Object> each : maps(patch)) {
        int at = maps(base).stream().map(one -> one.get("name")).toList().indexOf(each.get("name"));
        if (at < 0) {
          merged.add(each);
        } else {
          merged.set(at, merge(merged.get(at), each));
        }
      }
      return merged;
    }
    return patch;
  }

  private static String invalid(List<Object> objects) throws Exception {
    String modules = System.getenv().getOrDefault("NODE_PATH", "");
    assumeTrue(Files.isDirectory(Path.of(modules, "kubernetes-models")),
      "needs node and npm's kubernetes-models, NODE_PATH names its folder");
    Process node = new ProcessBuilder("node", "-e", VALIDATE).redirectErrorStream(true).start();
    try (OutputStream in = node.getOutputStream()) {
      in.write(new JsonArray(objects).encode().getBytes(StandardCharsets.UTF_8));
    }
    String printed = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, node.waitFor(), printed);
    return printed;
  }

  @Test
  @Tag("long")
  void manifestsAndVariantsAreValidForTheTypesOfTheApi() throws Exception {
    List<Object> objects = new ArrayList<>();
    for (Object file : list(read("base/kustomization.yaml").get("resources"))) {
      objects.add(read("base/" + file));
    }
    for (String variant : List.of("efa", "shared-device", "shared-memory", "sriov")) {
      objects.add(merge(statefulSet, read("variants/" + variant + "/statefulset.yaml")));
    }
    assertEquals("", invalid(objects));
    Map<String, Object> wrong = new HashMap<>(statefulSet);
    wrong.put("spec", Map.of("replicas", "three"));
    assertTrue(invalid(List.of(wrong)).startsWith("StatefulSet: "));
  }

  @Test
  void podMeetsTheRestrictedProfile() {
    assertEquals(List.of(), RestrictedProfile.violations(pod));
    assertEquals(true, at(container, "securityContext").get("readOnlyRootFilesystem"));
  }

  @Test
  void restrictedProfileRefusesWhatAPodMayNotHave() {
    Map<String, Object> root = new HashMap<>(pod);
    root.put("securityContext", Map.of("runAsUser", 0));
    root.put("hostNetwork", true);
    root.put("volumes", List.of(Map.of("name", "x", "hostPath", Map.of("path", "/"))));
    root.put("containers", List.of(Map.of("name", "node", "securityContext", Map.of("capabilities", Map.of("add", List.of("IPC_LOCK"))))));
    assertEquals(List.of("hostNetwork", "volume of type hostPath", "node: allowPrivilegeEscalation", "node: capabilities are not dropped",
      "node: capabilities [IPC_LOCK]", "node: runAsNonRoot", "node: runAsUser 0", "node: seccompProfile"),
      RestrictedProfile.violations(root));
  }

  @Test
  void everySelectorIsThatOfThePods() {
    Map<String, Object> service = at(read("base/service.yaml"), "spec");
    assertEquals(labels, service.get("selector"));
    assertEquals("None", service.get("clusterIP"));
    assertEquals(true, service.get("publishNotReadyAddresses"));
    assertEquals(at(read("base/service.yaml"), "metadata").get("name"), at(statefulSet, "spec").get("serviceName"));
    assertEquals(labels, at(statefulSet, "spec", "selector").get("matchLabels"));
    assertEquals(labels, at(read("base/poddisruptionbudget.yaml"), "spec", "selector").get("matchLabels"));
    assertEquals(labels, at(read("base/networkpolicy.yaml"), "spec", "podSelector").get("matchLabels"));
  }

  @Test
  void membersAreTheNamesOfThePods() {
    int replicas = (Integer) at(statefulSet, "spec").get("replicas");
    String members = Stream.iterate(0, i -> i + 1).limit(replicas).map(i -> "orders-" + i + ".orders:5701")
      .collect(Collectors.joining(","));
    assertEquals(members, data.get("MEMBERS"));
  }

  @Test
  void networkPolicyHasThePortsOfTheOptions() {
    JsonObject json = new JsonObject((String) data.get("vertx-rdma.json"));
    RdmaOptions options = new RdmaOptions(json);
    PortRange ports = PortRange.of(new DiscoveryOptions(null, Map.of("ports", options.getSettings().getString("ports"))));
    Set<List<Integer>> wanted = new HashSet<>();
    wanted.add(List.of(options.getControlPort(), options.getControlPort() + options.getControlPortCount() - 1));
    wanted.add(List.of(ports.first(), ports.last()));
    maps(container.get("ports"))
      .forEach(port -> wanted.add(List.of((Integer) port.get("containerPort"), (Integer) port.get("containerPort"))));
    Set<List<Integer>> open = new HashSet<>();
    for (Map<String, Object> rule : maps(at(read("base/networkpolicy.yaml"), "spec").get("ingress"))) {
      for (Map<String, Object> port : maps(rule.get("ports"))) {
        assertEquals("TCP", port.get("protocol"));
        open.add(List.of((Integer) port.get("port"), (Integer) port.getOrDefault("endPort", port.get("port"))));
      }
    }
    assertEquals(wanted, open);
    int bus = Integer.parseInt(((String) data.get("JAVA_TOOL_OPTIONS")).replaceAll(".*busPort=(\\d+).*", "$1"));
    assertTrue(open.contains(List.of(bus, bus)), open.toString());
  }

  @Test
  void eachProbeHasItsOwnPathAndTimeForAReport() {
    Set<Object> paths = new HashSet<>();
    for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
      Map<String, Object> one = at(container, probe);
      paths.add(at(one, "httpGet").get("path"));
      assertTrue((Integer) one.get("timeoutSeconds") >= 3, probe);
    }
    assertEquals(Set.of("/started", "/ready", "/live"), paths);
  }

  @Test
  void everyMountIsAVolumeOfAManifestThatIsThere() {
    Map<String, Map<String, Object>> volumes = maps(pod.get("volumes")).stream()
      .collect(Collectors.toMap(volume -> (String) volume.get("name"), volume -> volume));
    Set<String> mounted = maps(container.get("volumeMounts")).stream().map(mount -> (String) mount.get("name")).collect(Collectors.toSet());
    assertEquals(volumes.keySet(), mounted);
    assertEquals(at(read("base/secret.yaml"), "metadata").get("name"), at(volumes.get("secret"), "secret").get("secretName"));
    assertEquals(at(read("base/options.yaml"), "metadata").get("name"), at(volumes.get("options"), "configMap").get("name"));
    assertFalse(volumes.get("tmp").toString().contains("Memory"), "the folder of Netty's library is on disk");
  }

  @Test
  void secretOfTheManifestIsRefused() {
    assertTrue(((String) at(read("base/secret.yaml"), "stringData").get("secret")).length() < 16);
  }

  @Test
  void everyFileIsPartOfAKustomization() throws IOException {
    try (Stream<Path> found = Files.walk(FOLDER)) {
      for (Path file : found.filter(each -> each.toString().endsWith(".yaml")).toList()) {
        Map<String, Object> kustomization = read(FOLDER.relativize(file).resolveSibling("kustomization.yaml").toString());
        Set<Object> named = new HashSet<>(list(kustomization.get("resources")));
        maps(kustomization.get("patches")).forEach(patch -> named.add(patch.get("path")));
        String name = file.getFileName().toString();
        assertTrue(name.equals("kustomization.yaml") || named.contains(name), file.toString());
      }
    }
  }

  @Test
  void variantsChangeTheContainerOfTheBase() throws IOException {
    try (Stream<Path> variants = Files.list(FOLDER.resolve("variants"))) {
      List<Path> all = variants.toList();
      assertEquals(4, all.size());
      for (Path variant : all) {
        Map<String, Object> patch = read("variants/" + variant.getFileName() + "/statefulset.yaml");
        assertEquals(at(statefulSet, "metadata").get("name"), at(patch, "metadata").get("name"));
        assertEquals(container.get("name"), maps(at(patch, "spec", "template", "spec").get("containers")).getFirst().get("name"));
      }
    }
  }
}
