package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.functions.FunctionServerOptions;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(20)
class ColdCommandTest {
  private static final String SECRET = "VERTX_RDMA_SECRET";
  private static final String FILE = "VERTX_RDMA_SECRET_FILE";
  private static final String MAIN = ColdWorkerProcess.class.getName();

  private static Map<String, String> left(Map<String, String> environment, RdmaOptions node, String... command) {
    Map<String, String> left = new HashMap<>(environment);
    ColdCommand.hideSecret(left, node, List.of(command));
    return left;
  }

  @Test
  void secretIsNotInTheEnvironmentIfAFileHasIt() {
    Map<String, String> given = Map.of(SECRET, "words that nobody guesses", "PATH", "/bin");
    Map<String, String> hidden = Map.of("PATH", "/bin");
    assertEquals(hidden, left(given, new RdmaOptions().setSecretFile("/etc/secret"), "java"));
    assertEquals(hidden, left(given, new RdmaOptions(), "java", "-Dvertx.rdma.secret.file=/etc/secret"));
    assertEquals(Map.of(FILE, "/etc/secret"),
      left(Map.of(SECRET, "words that nobody guesses", FILE, "/etc/secret"), new RdmaOptions(), "java"));
  }

  @Test
  void secretIsInTheEnvironmentIfNoFileHasIt() {
    Map<String, String> given = Map.of(SECRET, "words that nobody guesses", FILE, "");
    assertEquals(given, left(given, new RdmaOptions(), "java", "-Dvertx.rdma.secret.file=", "-Dvertx.rdma.name=a"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
    "-Xlog:gc                                                         |",
    "-agentlib:jdwp=transport=dt_socket,server=y,address=5005 -Da=b   | -Da=b",
    "-javaagent:/a/otel.jar -Djava.net.preferIPv4Stack=true           | -Djava.net.preferIPv4Stack=true",
    "-Dcom.sun.management.jmxremote.port=9910 -Duser.timezone=UTC     | -Duser.timezone=UTC",
    "-XX:+UseZGC -Xmx8g -Xms1g -Xss512k -XX:MaxRAMPercentage=75 -Xmn1g | -Xss512k",
    "-XX:AOTCache=app.aot -XX:SharedArchiveFile=app.jsa -XX:+UseStringDeduplication | -XX:+UseStringDeduplication",
    "-Dtitle='two words -Xmx1g' -XX:StartFlightRecording=filename=a.jfr | -Dtitle='two words -Xmx1g'",
    "'-javaagent:/with blank/a.jar' \"-Dx=y z\" @file                 | \"-Dx=y z\"",
    "--add-opens java.base/java.lang=ALL-UNNAMED -XX:-UseParallelGC   | --add-opens java.base/java.lang=ALL-UNNAMED"})
  void optionsOfOneProcessAreNotInherited(String given, String expected) {
    for (String variable : List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")) {
      Map<String, String> environment = new HashMap<>(Map.of(variable, given, "PATH", "/bin"));
      ColdCommand.filter(environment);
      assertEquals(expected, environment.get(variable));
      assertEquals("/bin", environment.get("PATH"));
    }
  }

  @Test
  void serialCollectorYieldsToTheOptions() throws Exception {
    FunctionServerOptions options = new FunctionServerOptions().setColdWorkerRdma(new RdmaOptions());
    assertTrue(ColdCommand.process(options, "name").command().contains("-XX:+UseSerialGC"));
    List<String> command = ColdCommand.process(options.setColdJvmOptions(List.of("-XX:+UseZGC")), "name").command();
    assertTrue(command.contains("-XX:+UseZGC") && !command.contains("-XX:+UseSerialGC"), command.toString());
    assertEquals("name", command.getLast());
  }

  @Test
  void classPathIsThatOfTheOptionsOrOfThisProcess() throws Exception {
    assertEquals(List.of("-cp", "a.jar" + File.pathSeparator + "lib/*", MAIN),
      ColdCommand.main(List.of("a.jar", "lib/*"), ClassLoader.getPlatformClassLoader()));
    List<String> own = ColdCommand.main(List.of(), ClassLoader.getSystemClassLoader());
    assertEquals(MAIN, own.getLast());
    assertTrue(own.get(1).startsWith(System.getProperty("java.class.path")), own.get(1));
  }

  @Test
  void springBootsFatJarStartsByItsLauncher(@TempDir Path folder) throws Exception {
    Path launcher = folder.resolve("org/springframework/boot/loader/launch/PropertiesLauncher.class");
    Files.createDirectories(launcher.getParent());
    Files.createFile(launcher);
    try (URLClassLoader jar = new URLClassLoader(new URL[] {folder.toUri().toURL()}, null)) {
      List<String> main = ColdCommand.main(List.of(), jar);
      assertEquals("-Dloader.main=" + MAIN, main.getFirst());
      assertEquals("org.springframework.boot.loader.launch.PropertiesLauncher", main.getLast());
    }
  }

  @Test
  void anotherClassLoaderIsNamedWithTheRemedy() {
    String message = assertThrows(IOException.class, () -> ColdCommand.main(List.of(), ClassLoader.getPlatformClassLoader())).getMessage();
    assertTrue(message.contains("does not contain " + MAIN) && message.endsWith("with FunctionServerOptions.setColdClassPath"), message);
    assertFalse(message.contains("null"), message);
  }
}
