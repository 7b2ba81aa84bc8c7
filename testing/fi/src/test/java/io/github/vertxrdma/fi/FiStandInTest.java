package io.github.vertxrdma.fi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@Tag("full")
class FiStandInTest {
  private static final FiStandIn STAND_IN = FiStandIn.built();
  /** Linker options for libfabric's static library, and its dependencies on Debian. */
  private static final List<String> STATIC = List.of("-l:libfabric.a", "-l:libpsm_infinipath.so.1", "-l:libpsm2.so.2", "-lrdmacm",
    "-libverbs", "-lefa",
    "-latomic", "-l:libnuma.so.1", "-lpthread", "-ldl", "-lm");

  @TempDir
  Path folder;

  @BeforeEach
  void built() {
    assumeTrue(STAND_IN.missing() == null, STAND_IN.missing());
  }

  private record Ended(int status, String output) {
  }

  private static Process start(List<String> command, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    return builder.start();
  }

  private static Ended end(Process process) throws IOException, InterruptedException {
    String output = new String(process.getInputStream().readAllBytes());
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), output);
    return new Ended(process.exitValue(), output);
  }

  /** Compares the answers to 100,000 random requests with those of libfabric's own rules. */
  @ParameterizedTest
  @ValueSource(strings = {"efa", "cxi", "opx"})
  void rulesOfAttributesAreThoseOfLibfabric(String provider) throws Exception {
    Path source = folder.resolve("rules.c");
    try (InputStream in = FiStandInTest.class.getResourceAsStream("rules.c")) {
      Files.copy(in, source);
    }
    Path sources = STAND_IN.library().getParent();
    List<String> command = new ArrayList<>(List.of("cc", "-std=gnu11", "-I", sources.toString(), "-o", "rules", "rules.c",
      sources.resolve("info.c").toString(), sources.resolve(provider + ".c").toString()));
    command.addAll(STATIC);
    Ended compiled = end(new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start());
    assumeTrue(compiled.status == 0, "SKIPPED needs the static library of libfabric, libfabric-dev of Debian: " + compiled.output);
    Ended ended = end(start(List.of(folder.resolve("rules").toString()), Map.of()));
    assertEquals(0, ended.status, ended.output);
  }

  private static String program(String name) {
    Stream<Path> places = Stream.of(System.getenv("PATH").split(":")).map(Path::of);
    String given = System.getenv(FiStandIn.LIBFABRIC);
    if (given != null) {
      places = Stream.concat(Stream.of(Path.of(given).resolve("../../bin").normalize()), places);
    }
    Path found = places.map(place -> place.resolve(name)).filter(Files::isExecutable).findFirst().orElse(null);
    assumeTrue(found != null, "SKIPPED needs " + name + " (libfabric-bin)");
    return found.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"efa", "cxi", "opx"})
  void fiPingpongRunsOverTheProviders(String provider) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    List<String> common = List.of(program("fi_pingpong"), "-e", "rdm", "-p", provider, "-I", "10", "-c");
    Process server = start(Stream.concat(common.stream(), Stream.of("-B", Integer.toString(port))).toList(), STAND_IN.environment());
    try {
      Ended client = null;
      for (int i = 0; i < 100 && (client == null || client.output.contains("Connection refused")); i++) {
        client = end(
          start(Stream.concat(common.stream(), Stream.of("-P", Integer.toString(port), "127.0.0.1")).toList(), STAND_IN.environment()));
      }
      assertEquals(0, client.status, client.output);
      Ended ended = end(server);
      assertEquals(0, ended.status, ended.output);
      assertTrue(client.output.contains("64k") || client.output.contains("64"), client.output);
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void processWithTheEnvironmentUsesTheSameProviders() throws Exception {
    Ended ended = end(start(List.of(System.getProperty("java.home") + "/bin/java", "--enable-native-access=ALL-UNNAMED", "-cp",
      System.getProperty("java.class.path"), Child.class.getName()), STAND_IN.environment()));
    assertEquals(STAND_IN.library().toString(), ended.output.strip());
  }

  static final class Child {
    private Child() {
    }

    public static void main(String[] arguments) {
      System.out.println(FiStandIn.built().library());
    }
  }

  @Test
  void fiInfoShowsTheProviders() throws Exception {
    Ended ended = end(start(List.of(program("fi_info"), "-t", "FI_EP_RDM"), STAND_IN.environment()));
    assertEquals(0, ended.status, ended.output);
    for (String provider : FiStandIn.PROVIDERS) {
      assertTrue(ended.output.contains("provider: " + provider), ended.output);
    }
  }

  /** Checks that no other endpoint types are found, which fi_pingpong cannot use either. */
  @ParameterizedTest
  @ValueSource(strings = {"FI_EP_MSG", "FI_EP_DGRAM"})
  void fiInfoFindsNoOtherEndpoints(String type) throws Exception {
    Ended ended = end(start(List.of(program("fi_info"), "-t", type), STAND_IN.environment()));
    assertNotEquals(0, ended.status, ended.output);
    assertTrue(ended.output.contains("fi_getinfo: -61"), ended.output);
  }
}
