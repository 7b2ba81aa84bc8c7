package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.RestrictedProfile.list;
import static io.github.vertxrdma.cli.RestrictedProfile.map;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

class ComposeFilesTest {

  private static String read(String file) throws IOException {
    return Files.readString(ProjectFiles.PROJECT.resolve(file));
  }

  /** A secret that the repository contains is safe only on a network of the containers. */
  @Test
  void onTheHostsNetworkASecretHasToBeGiven() throws IOException {
    String file = read("docker-compose.rdma.yml");
    assertTrue(file.contains("network_mode: host"), file);
    List<String> secrets = Pattern.compile("VERTX_RDMA_SECRET: (.*)").matcher(file).results().map(found -> found.group(1)).toList();
    assertEquals(1, secrets.size(), file);
    assertTrue(secrets.getFirst().startsWith("${VERTX_RDMA_SECRET:?"), secrets.getFirst());
    assertEquals(Pattern.compile("<<: \\*rdma").matcher(file).results().count(),
      Pattern.compile("<<: \\*environment").matcher(file).results().count());
  }

  @Test
  void prometheusReturnsAfterRestartWithItsHistory() throws IOException {
    Map<String, Object> file = new Yaml().load(read("docker-compose.yml"));
    Map<String, Object> prometheus = map(map(file.get("services")).get("prometheus"));
    assertEquals("unless-stopped", prometheus.get("restart"));
    assertEquals("unless-stopped", map(map(file.get("services")).get("grafana")).get("restart"));
    List<?> volumes = list(prometheus.get("volumes"));
    assertTrue(volumes.contains("history:/prometheus") && map(file.get("volumes")).containsKey("history"), volumes::toString);
    assertTrue(volumes.stream().anyMatch(each -> each.toString().contains("alerts.yml")), volumes::toString);
  }
}
