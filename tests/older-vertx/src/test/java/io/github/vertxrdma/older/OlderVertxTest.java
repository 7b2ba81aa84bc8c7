package io.github.vertxrdma.older;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import io.vertx.core.spi.VerticleFactory;
import io.vertx.core.spi.VertxServiceProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class OlderVertxTest {
  private static final String VERTX = version();
  private static final boolean FOUR = VERTX.startsWith("4.");
  private static final String CANNOT_DEPLOY = "cannot deploy 'rdma:orders': it needs Java 25 or later, and Vert.x 5.1 or 5.2";

  @TempDir
  Path folder;

  private static String version() {
    try (InputStream in = Vertx.class.getResourceAsStream("/META-INF/vertx/vertx-version.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).trim();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void allServicesAreLoaded() {
    Set<Class<?>> services = Stream
      .concat(ServiceLoader.load(VertxServiceProvider.class).stream(), ServiceLoader.load(VerticleFactory.class).stream())
      .map(service -> service.get().getClass()).filter(service -> service.getName().startsWith("io.github.vertxrdma."))
      .collect(Collectors.toSet());
    assertEquals(Set.of("RdmaVertxServiceProvider", "CallLocalProvider", "RdmaVerticleFactory"),
      services.stream().map(Class::getSimpleName).collect(Collectors.toSet()));
    if (!FOUR) {
      // ServiceLoader does the same with services of modules.
      services.forEach(Class::getDeclaredMethods);
    }
  }

  @Test
  void applicationWorksOnThisJavaAndOneLineSaysWhatIsMissing() throws Exception {
    List<String> lines = run(Path.of(System.getProperty("java.home")));
    if (FOUR) {
      assertEquals(List.of(needsVertx(), "hello", CANNOT_DEPLOY), lines);
    } else {
      // The verticle starts a node, which logs more.
      String line = "WARNING The event bus, servers and clients of Vert.x " + VERTX + " stay on TCP";
      assertTrue(lines.get(0).startsWith(line) && lines.containsAll(List.of("hello", "deployed")), lines::toString);
    }
  }

  @Test
  void applicationWorksOnOlderJavaAndOneLineSaysWhatIsMissing() throws Exception {
    Optional<Path> older = older();
    assumeTrue(older.isPresent(), "this machine has no Java from 11 to 24 in /usr/lib/jvm");
    List<String> lines = run(older.get());
    assertEquals(3, lines.size(), lines::toString);
    assertTrue(lines.get(0).startsWith(FOUR ? needsVertx() : "WARNING vertx-rdma needs Java 25 and does nothing on Java "),
      lines::toString);
    assertEquals(List.of("hello", CANNOT_DEPLOY), lines.subList(1, 3));
  }

  private static String needsVertx() {
    return "WARNING vertx-rdma needs Vert.x 5.1 or 5.2; this is " + VERTX + ": connections use TCP";
  }

  /** Returns what the application prints and logs. */
  private List<String> run(Path java) throws Exception {
    Path errors = folder.resolve("errors");
    Process process = new ProcessBuilder(java.resolve("bin/java").toString(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
      "-Dvertx.rdma.runtime=" + folder, "-cp", System.getProperty("java.class.path"), Application.class.getName())
      .redirectError(errors.toFile()).start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0, output + Files.readString(errors));
      return output.lines().collect(Collectors.toList());
    } finally {
      process.destroyForcibly();
    }
  }

  private static Optional<Path> older() throws IOException {
    Path all = Path.of("/usr/lib/jvm");
    if (!Files.isDirectory(all)) {
      return Optional.empty();
    }
    try (Stream<Path> homes = Files.list(all)) {
      for (Path home : homes.sorted().collect(Collectors.toList())) {
        Path release = home.resolve("release");
        if (Files.isReadable(release) && Files.isExecutable(home.resolve("bin/java"))) {
          int version = Pattern.compile("JAVA_VERSION=\"(\\d+)").matcher(Files.readString(release)).results().findFirst()
            .map((MatchResult each) -> Integer.parseInt(each.group(1))).orElse(0);
          if (version >= 11 && version < 25) {
            return Optional.of(home);
          }
        }
      }
    }
    return Optional.empty();
  }
}
