package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.directory.DirectoryOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of groups that nobody named, and the places that settings of a process are from. */
class ProcessGroupTest {
  private static final String PROPERTY = "vertx.rdma.some.setting";

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
    assertEquals(group, ProcessGroup.of(command, 7));
    new DirectoryOptions().setGroup(group);
  }

  @Test
  void aLongNameKeepsItsEnd() {
    assertEquals("Main", ProcessGroup.of("a".repeat(20) + ".".repeat(60) + "Main", 7));
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
