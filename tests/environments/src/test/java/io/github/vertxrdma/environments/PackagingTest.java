package io.github.vertxrdma.environments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
  private static final String OLD_NETTY = "netty-codec-mqtt";
  private static final String OLD_VERSION = "4.1.118.Final";

  @TempDir
  static Path folder;

  enum Packaging {
    CLASS_PATH, SHADED, SPRING_BOOT
  }

  private static ApplicationRun application(Packaging packaging) throws IOException {
    return packaging == Packaging.CLASS_PATH ? new ApplicationRun(folder, null).classPath(classPath())
      : new ApplicationRun(folder, jar(packaging));
  }

  private static Path jar(Packaging packaging) throws IOException {
    Path jar = JARS.get(packaging);
    if (jar == null) {
      Path made = folder.resolve(packaging + ".jar");
      jar = packaging == Packaging.SHADED ? FatJar.shaded(made, PackedMain.class, classPath())
        : FatJar.springBoot(made, PackedMain.class, classPath());
      JARS.put(packaging, jar);
    }
    return jar;
  }

  /** Returns the class path with the files by which a jar of Netty states its version, which is another one. */
  private static List<Path> classPath() throws IOException {
    Path old = folder.resolve(OLD_NETTY);
    Path meta = old.resolve("META-INF");
    Path pom = Files.createDirectories(meta.resolve("maven/io.netty/" + OLD_NETTY));
    Files.writeString(meta.resolve("io.netty.versions.properties"), OLD_NETTY + ".version=" + OLD_VERSION + '\n');
    Files.writeString(pom.resolve("pom.properties"), "groupId=io.netty\nartifactId=" + OLD_NETTY + "\nversion=" + OLD_VERSION + '\n');
    List<Path> all = new ArrayList<>(FatJar.classPath());
    all.add(old);
    return all;
  }

  @ParameterizedTest
  @EnumSource
  void optionsInTheJarBindAThreadOfThePoolAndVersionsOfNettyAreNamed(Packaging packaging) throws Exception {
    ApplicationRun application = application(packaging);
    Map<String, String> lines = application.run("options");
    assertEquals(packaging == Packaging.SPRING_BOOT ? "another" : "the application's", lines.get("loader"));
    assertTrue(lines.get("log").matches("vertx-rdma uses the options in (file|jar):.*/vertx-rdma.json"), lines.get("log"));
    for (String options : List.of("own", "given")) {
      assertTrue(lines.get(options).startsWith("listening as 'main' is refused, since requireEncryption is set"), lines.toString());
    }
    assertTrue(application.output().contains("The class path has jars of Netty of several versions: " + OLD_VERSION + " (" + OLD_NETTY
      + "), 4."), application.output());
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
