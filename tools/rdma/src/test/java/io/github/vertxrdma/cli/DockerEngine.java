package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The machine's Docker engine, or a private one that {@link #close} ends. */
final class DockerEngine implements AutoCloseable {
  private final Map<String, String> environment;
  private final String stop;

  private DockerEngine(Map<String, String> environment, String stop) {
    this.environment = environment;
    this.stop = stop;
  }

  /** Builds the image, or uses the existing one with {@code -Dvertx.rdma.test.image.built=true}. Skips the test without an engine. */
  static DockerEngine start(Path folder) throws IOException, InterruptedException {
    assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")),
      "only root can make folders for containers of other users");
    Path log = folder.resolve("engine.log");
    Process script = new ProcessBuilder(PROJECT.resolve("tests/compose/engine").toString()).redirectError(log.toFile()).start();
    String settings = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = script.waitFor();
    String reason = Files.readString(log).lines().reduce("", (before, line) -> line);
    assumeTrue(status != 125, reason);
    assertEquals(0, status, reason);
    String host = run(List.of("bash", "-c", settings + "\nprintf %s \"${DOCKER_HOST:-unix:///var/run/docker.sock}\""));
    DockerEngine engine = new DockerEngine(Map.of("DOCKER_HOST", host), settings + "\nstop_engine");
    if (!Boolean.getBoolean("vertx.rdma.test.image.built")) {
      engine.docker("build", "-q", "-t", "vertx-rdma-node", PROJECT.toString());
    }
    return engine;
  }

  static String run(List<String> command) throws IOException, InterruptedException {
    return run(command, Map.of());
  }

  private static String run(List<String> command, Map<String, String> environment) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> String.join(" ", command) + ": " + output);
    return output;
  }

  String docker(String... arguments) throws IOException, InterruptedException {
    return run(Stream.concat(Stream.of("docker"), Stream.of(arguments)).toList(), environment);
  }

  String shell(String line) throws IOException, InterruptedException {
    return run(List.of("bash", "-c", line), environment);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    run(List.of("bash", "-c", stop));
  }
}
