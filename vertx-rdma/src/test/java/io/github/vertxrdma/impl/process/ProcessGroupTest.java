package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Default names of groups, and sources of a process's settings. */
class ProcessGroupTest {
  private static final String PROPERTY = "vertx.rdma.some.setting";

  @TempDir
  Path folder;

  @ParameterizedTest
  @CsvSource({
    "io.acme.Orders serve,                                       io.acme.Orders",
    "acme.orders/io.acme.Orders,                                 io.acme.Orders",
    "/opt/acme/orders.jar --port 1,                              orders",
    "orders-1.2.3-SNAPSHOT-fat.jar,                              orders",
    "./orders-service-2.jar,                                     orders-service",
    "com.sun.tools.javac.launcher.SourceLauncher src/Main.java,  Main",
    "io.vertx.core.Launcher run io.acme.MainVerticle,            io.acme.MainVerticle",
    "org.junit.platform.console.ConsoleLauncher execute,         tests-7",
    "/m/surefire/surefirebooter-20260101_1.jar /m/target,        tests-7",
    "'',                                                         default",
  })
  void aGroupIsNamedAfterTheApplication(String command, String group) {
    assertEquals(group, ProcessGroup.of(ProcessGroup.words(command, List.of()), 7));
    new DirectoryOptions().setGroup(group);
  }

  @Test
  void aLongNameKeepsItsEnd() {
    assertEquals("Main", ProcessGroup.of(List.of("a".repeat(20) + ".".repeat(60) + "Main"), 7));
  }

  private String ofJar(String name, Map<String, String> manifest) throws IOException {
    Path jar = folder.resolve(name);
    Manifest made = new Manifest();
    made.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.forEach((key, value) -> made.getMainAttributes().putValue(key, value));
    new JarOutputStream(Files.newOutputStream(jar), made).close();
    return ProcessGroup.of(ProcessGroup.words(jar + " serve", List.of("java", "-Xmx1g", "-jar", jar.toString(), "serve")), 7);
  }

  @Test
  void jarIsNamedAfterMainClassOfItsManifest() throws IOException {
    assertEquals("io.acme.Orders", ofJar("app.jar", Map.of("Main-Class", "io.acme.Orders")));
    assertEquals("io.acme.Orders", ofJar("app-2.jar",
      Map.of("Main-Class", "org.springframework.boot.loader.launch.JarLauncher", "Start-Class", "io.acme.Orders")));
    assertEquals("app", ofJar("app-3.jar", Map.of()));
  }

  @Test
  void jarWithBlankInItsPathIsNotCut() throws IOException {
    assertEquals("io.acme.Orders", ofJar("my app.jar", Map.of("Main-Class", "io.acme.Orders")));
  }

  @Test
  void launcherOfAnyApplicationIsNamedWithItsPath() throws IOException {
    String group = ofJar("quarkus-run.jar", Map.of("Main-Class", "io.quarkus.bootstrap.runner.QuarkusEntryPoint"));
    assertTrue(group.endsWith(folder.getFileName() + "_quarkus-run.jar"), group);
    new DirectoryOptions().setGroup(group);
  }

  @Test
  void aSettingIsAPropertyElseAVariable() {
    Map<String, String> environment = Map.of("VERTX_RDMA_SOME_SETTING", "environment", "EMPTY", "");
    assertEquals("environment", Setting.of(PROPERTY, environment));
    assertNull(Setting.of(PROPERTY, Map.of()));
    assertNull(Setting.of("empty", environment));
    System.setProperty(PROPERTY, "property");
    try {
      assertEquals("property", Setting.of(PROPERTY, environment));
    } finally {
      System.clearProperty(PROPERTY);
    }
  }
}
