package io.github.vertxrdma.environments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An application behaves alike as a plain class path and as a fat jar of any kind. */
@Timeout(600)
@Tag("full")
class PackagingTest {
  private static final Map<Packaging, Path> JARS = new EnumMap<>(Packaging.class);

  @TempDir
  static Path folder;

  enum Packaging {
    CLASS_PATH, SHADED, SPRING_BOOT
  }

  private static ApplicationRun application(Packaging packaging) throws IOException {
    return new ApplicationRun(folder, packaging == Packaging.CLASS_PATH ? null : jar(packaging));
  }

  private static Path jar(Packaging packaging) throws IOException {
    Path jar = JARS.get(packaging);
    if (jar == null) {
      Path made = folder.resolve(packaging + ".jar");
      jar = packaging == Packaging.SHADED ? FatJar.shaded(made, PackedMain.class) : FatJar.springBoot(made, PackedMain.class);
      JARS.put(packaging, jar);
    }
    return jar;
  }

  @ParameterizedTest
  @EnumSource
  void optionsInTheJarBindAThreadOfThePool(Packaging packaging) throws Exception {
    Map<String, String> lines = application(packaging).run("options");
    assertEquals(packaging == Packaging.SPRING_BOOT ? "another" : "the application's", lines.get("loader"));
    assertTrue(lines.get("log").matches("vertx-rdma uses the options in (file|jar):.*/vertx-rdma.json"), lines.get("log"));
    for (String options : List.of("own", "given")) {
      assertTrue(lines.get(options).startsWith("listening as 'main' is refused, since requireEncryption is set"), lines.toString());
    }
  }

  @ParameterizedTest
  @EnumSource
  void authorizerAndFunctionsAreFoundOnAThreadOfThePool(Packaging packaging) throws Exception {
    Map<String, String> lines = application(packaging)
      .options("{\"fabric\": \"nio\", \"authorizerClass\": \"" + PackedMain.Careful.class.getName() + "\"}").run("names");
    assertEquals("works", lines.get("open"));
    assertTrue(lines.get("secret").contains("may not connect to 'secret'"), lines.toString());
    assertEquals("in this process", lines.get("function"));
  }

  /** With the same debug port and log file a worker process would end. */
  @ParameterizedTest
  @EnumSource
  void coldWorkersStartBesideAgentsAndLogs(Packaging packaging) throws Exception {
    assertEquals("in another process", application(packaging).options("{\"fabric\": \"nio\"}").environment("JAVA_TOOL_OPTIONS",
      "-Xlog:gc -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:" + ApplicationRun.freePort()).run("cold")
      .get("function"));
  }

  @ParameterizedTest
  @EnumSource
  void missingClassAndFailedWorkerAreNamed(Packaging packaging) throws Exception {
    Map<String, String> lines = application(packaging).options("{\"fabric\": \"nio\"}").run("wrong");
    assertTrue(lines.get("authorizer").contains("app.None"), lines.toString());
    assertTrue(lines.get("worker").contains("Unrecognized VM option 'NoSuchOption'"), lines.toString());
    assertEquals("1", lines.get("logged"), "number of failed starts in the log");
  }
}
