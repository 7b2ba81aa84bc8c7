package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("full")
class InfoProcessTest {

  private static String info(Map<String, String> environment) throws Exception {
    return info("--enable-native-access=ALL-UNNAMED", environment);
  }

  private static String info(String flag, Map<String, String> environment) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-XX:+UseSerialGC", flag,
      "-cp", System.getProperty("java.class.path"), CliMain.class.getName(), "info").redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue(), output);
      return output;
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void thePureJavaProviderIsAlwaysThereAndNothingWarns() throws Exception {
    String output = info(Map.of());
    assertTrue(output.lines().anyMatch(line -> line.matches("nio +nio +MSG .*")), output);
    assertFalse(output.contains("WARNING"), output);
  }

  @Test
  void infoListsReasonAndRemedyWhenNativeAccessIsDenied() throws Exception {
    String output = info("--illegal-native-access=deny", Map.of());
    assertTrue(output.contains("\n  shm: native access is denied to this process — start Java with --enable-native-access=ALL-UNNAMED"),
      output);
    assertTrue(output.contains("chosen for a peer on this host: nio\n"), output);
    assertFalse(output.contains("java.lang."), output);
  }

  @Test
  void wrongUseNamesTheHelp() throws Exception {
    Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-XX:+UseSerialGC",
      "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), CliMain.class.getName(), "info", "--jso")
      .redirectErrorStream(true).start();
    try {
      assertEquals("rdma info: unknown option '--jso'; did you mean '--json'?; see ./rdma info --help\n",
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      assertEquals(2, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void librariesThatAreNamedInTheEnvironmentAndCannotBeLoadedAreNamed() throws Exception {
    Assumptions.assumeTrue(System.getProperty("os.name").equals("Linux"), "native libraries are looked for on Linux only");
    String output = info(Map.of("VERTX_RDMA_LIBFABRIC", "/nowhere/libfabric.so.1", "VERTX_RDMA_VERBS", "/nowhere/libibverbs.so.1"));
    assertTrue(output.contains("VERTX_RDMA_LIBFABRIC names /nowhere/libfabric.so.1, which cannot be loaded"), output);
    assertTrue(output.contains("VERTX_RDMA_VERBS names /nowhere/libibverbs.so.1, which cannot be loaded"), output);
    assertTrue(output.contains("chosen for a peer on another host: nio\n"), output);
  }
}
