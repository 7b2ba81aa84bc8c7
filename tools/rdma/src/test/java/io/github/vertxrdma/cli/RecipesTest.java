package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Executes recipes of docs/running.adoc. An ellipsis stands for the arguments of the application. */
@Tag("long")
@Timeout(900)
@Tag("polling")
class RecipesTest {
  private static final int PATIENCE_SECONDS = 120;

  @TempDir
  Path folder;
  private final String name = "vertx-rdma-recipes-" + ProcessHandle.current().pid();
  private final List<String> containers = new ArrayList<>();
  private final List<Path> made = new ArrayList<>();
  private DockerEngine engine;

  @BeforeEach
  void start() throws Exception {
    engine = DockerEngine.start(folder);
    engine.docker("network", "create", name);
  }

  @AfterEach
  void stop() throws Exception {
    if (engine != null) {
      for (String container : containers) {
        engine.docker("rm", "-f", container);
      }
      engine.docker("network", "rm", name);
      engine.close();
    }
    for (Path each : made) {
      DockerEngine.run(List.of("rm", "-rf", each.toString()));
    }
  }

  static List<String> block(String heading, String language) throws IOException {
    String page = Files.readString(PROJECT.resolve("docs/running.adoc"));
    Matcher block = Pattern.compile("(?s)\\[source,(\\w+)]\n----\n(.*?)\n----").matcher(page);
    for (int from = page.indexOf("== " + heading + "\n"); from >= 0 && block.find(from); from = block.end()) {
      if (block.group(1).equals(language)) {
        return block.group(2).lines().toList();
      }
    }
    throw new AssertionError("docs/running.adoc has no block of " + language + " below '" + heading + "'");
  }

  private void makeFolder(String line) throws Exception {
    Path path = Path.of(line.substring(line.lastIndexOf(' ') + 1));
    assumeTrue(!Files.exists(path), () -> "the folder " + path + " of this machine is in use");
    made.add(path);
    engine.shell(line.replaceFirst("^sudo ", ""));
  }

  private String node(String printed, String node, String more) throws Exception {
    String arguments = "--network %s --network-alias %s --hostname %s -e NODE=%s -e MEMBERS=a:5701,b:5701 -e VERTX_RDMA_SECRET='%s' %s"
      .formatted(name, node, node, node, "a secret for this test alone", more) + " vertx-rdma-node";
    assertTrue(printed.endsWith(" …"), printed);
    String container = engine.shell(printed.replaceFirst("^docker run ", "docker run -d ").replaceFirst("…$", Matcher.quoteReplacement(
      arguments))).strip();
    containers.add(container);
    return container;
  }

  private void meetOverSharedMemory(String a, String b) throws Exception {
    for (List<String> each : List.of(List.of(a, "b"), List.of(b, "a"))) {
      long end = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L;
      while (!engine.docker("logs", each.get(0)).contains("greeted by " + each.get(1) + ", over shm")) {
        assertTrue(System.nanoTime() < end, engine.docker("logs", a) + "\n" + engine.docker("logs", b));
        Thread.sleep(500);
      }
    }
  }

  @Test
  void oneFolderIsSharedByContainersOfOneUser() throws Exception {
    List<String> recipe = block("Shared memory between containers", "shell");
    makeFolder(recipe.get(0));
    meetOverSharedMemory(node(recipe.get(1), "a", ""), node(recipe.get(1), "b", ""));
  }

  @Test
  void groupFolderIsSharedByContainersOfSeveralUsers() throws Exception {
    List<String> recipe = block("Several users", "shell");
    makeFolder(recipe.get(0));
    meetOverSharedMemory(node(recipe.get(1), "a", "--user 1001:1001"), node(recipe.get(1), "b", "--user 1002:1002"));
  }

  @Test
  void leastMemoryOfThePageIsEnough() throws Exception {
    Matcher least = Pattern.compile("The demo needs (\\d+) MiB in all").matcher(Files.readString(PROJECT.resolve("docs/running.adoc")));
    assertTrue(least.find());
    List<String> recipe = block("Shared memory between containers", "shell");
    makeFolder(recipe.get(0));
    String limit = "--memory " + least.group(1) + "m --memory-swap " + least.group(1) + "m";
    String a = node(recipe.get(1), "a", limit);
    meetOverSharedMemory(a, node(recipe.get(1), "b", limit));
    assertEquals("false 0", engine.docker("inspect", "-f", "{{.State.OOMKilled}} {{.RestartCount}}", a).strip());
    String log = engine.docker("logs", a);
    assertEquals(List.of(),
      log.lines().filter(line -> !line.matches("\\d{4}-\\d\\d-\\d\\dT\\S+ \\w+ .*|\\s*a \\| .*|Picked up .*")).toList());
    String doctor = engine.shell("docker exec " + a + " rdma doctor || true");
    assertTrue(doctor.contains(least.group(1) + " MiB"), doctor);
  }

  @Test
  void unitOfSystemdSharesRuntimeFolder() throws Exception {
    List<String> unit = block("Services of systemd", "ini");
    assumeTrue(Stream.of("/usr/bin", "/bin").anyMatch(bin -> Files.exists(Path.of(bin, "systemd-analyze"))),
      "there is no systemd-analyze here");
    Path file = Files.write(folder.resolve("orders.service"), Stream.concat(unit.stream(), Stream.of("PrivateTmp=yes",
      "ExecStart=/bin/true")).map(line -> line.replace("User=orders", "User=root")).toList());
    DockerEngine.run(List.of("systemd-analyze", "verify", file.toString()));
    Matcher runtime = Pattern.compile("VERTX_RDMA_RUNTIME=%t(/\\S+)").matcher(String.join("\n", unit));
    assertTrue(runtime.find());
    String path = "/run" + runtime.group(1);
    String mode = unit.stream().filter(line -> line.startsWith("RuntimeDirectoryMode=")).findAny().orElseThrow().replaceFirst(".*=", "");
    makeFolder("install -d -m " + mode + " -o 1000 " + path);
    String run = "docker run --user 1000 -v " + path + ":" + path + " -e VERTX_RDMA_RUNTIME=" + path + " …";
    meetOverSharedMemory(node(run, "a", ""), node(run, "b", ""));
  }
}
