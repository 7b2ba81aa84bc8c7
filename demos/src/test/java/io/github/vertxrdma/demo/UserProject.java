package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** An empty folder for a user's project. Its Maven repository links to that of the user, but contains this build's artifacts. */
final class UserProject {
  static final Path SOURCES = Path.of("").toAbsolutePath().getParent();
  private static final String GROUP = "io/github/vertxrdma";
  private static final String POM = """
    <project xmlns="http://maven.apache.org/POM/4.0.0">
      <modelVersion>4.0.0</modelVersion>
      <groupId>example</groupId>
      <artifactId>example</artifactId>
      <version>1</version>
      <properties>
        <maven.compiler.release>25</maven.compiler.release>
        <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
      </properties>
      %s
      <build>
        <plugins>
          <plugin>
            <artifactId>maven-compiler-plugin</artifactId>
            <version>3.15.0</version>
          </plugin>
          %s
        </plugins>
      </build>
    </project>
    """;

  final Path folder;
  private final Path repository;

  /** @param name of a folder in target, which is kept */
  UserProject(String name) throws IOException {
    Path place = Path.of("target", name).toAbsolutePath();
    delete(place);
    this.folder = Files.createDirectories(place.resolve("project"));
    this.repository = Files.createDirectories(place.resolve("repository"));
    linkUsers(Path.of(System.getProperty("localRepository", System.getProperty("user.home") + "/.m2/repository")), repository, GROUP);
    installBuild();
    file(".mvn/maven.config", "-Dmaven.repo.local=" + repository + "\n");
  }

  /** Deletes a folder without following links. */
  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  static void needsMaven() {
    assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(each -> Files.isExecutable(Path.of(each, "mvn"))),
      "this machine has no mvn on its path");
  }

  /**
   * @param dependencies XML of dependencies and their management
   * @param plugins XML of plugins besides the compiler's
   */
  void pom(String dependencies, String plugins) throws IOException {
    file("pom.xml", POM.formatted(dependencies, plugins));
  }

  void file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  /**
   * Returns variables that separate the project's programs from others of the user.
   *
   * @param temp folder with a short path, for Unix sockets
   */
  Map<String, String> environment(Path temp) throws IOException {
    Path cluster = temp.resolve("cluster.xml");
    try (InputStream usual = Vertx.class.getClassLoader().getResourceAsStream("default-cluster.xml");
      ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Files.writeString(cluster, new String(usual.readAllBytes(), StandardCharsets.UTF_8)
        .replace("<network>", "<cluster-name>" + UUID.randomUUID() + "</cluster-name><network><port>" + free.getLocalPort() + "</port>")
        .replace("<multicast/>", "<multicast enabled=\"false\"/><tcp-ip enabled=\"true\"><member>127.0.0.1</member></tcp-ip>")
        .replace("</network>", "<interfaces enabled=\"true\"><interface>127.0.0.1</interface></interfaces></network>"));
    }
    String home = System.getProperty("java.home");
    return Map.of("JAVA_HOME", home, "PATH", home + "/bin:" + System.getenv("PATH"), "VERTX_RDMA_RUNTIME", temp.resolve("run").toString(),
      "JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dvertx.hazelcast.config=" + cluster);
  }

  /** Links to all files except the folders that lead to {@code own}. */
  private static void linkUsers(Path from, Path to, String own) throws IOException {
    String first = own.contains("/") ? own.substring(0, own.indexOf('/')) : own;
    Files.createDirectories(from);
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.filter(each -> !each.endsWith(first)).toList()) {
        Files.createSymbolicLink(to.resolve(entry.getFileName()), entry.toRealPath());
      }
    }
    Path below = Files.createDirectories(to.resolve(first));
    if (!first.equals(own)) {
      linkUsers(from.resolve(first), below, own.substring(first.length() + 1));
    }
  }

  /** Installs what {@code ./rdma install} would: the bill of materials and its artifacts. */
  private void installBuild() throws IOException {
    String bill = Files.readString(SOURCES.resolve("tools/bom/pom.xml"));
    for (Matcher module = Pattern.compile("<module>(.*?)</module>").matcher(Files.readString(SOURCES.resolve("pom.xml"))); module.find();) {
      install(SOURCES.resolve(module.group(1)), bill);
    }
  }

  private void install(Path module, String bill) throws IOException {
    String pom = Files.readString(module.resolve("pom.xml"));
    String artifact = first("<artifactId>(.*?)</artifactId>", pom.replaceAll("(?s)<parent>.*?</parent>|<dependencies>.*", ""));
    boolean isBill = pom.equals(bill);
    Path classes = module.resolve("target/classes");
    if (!isBill && !(bill.contains("<artifactId>" + artifact + "</artifactId>") && Files.isDirectory(classes))) {
      return;
    }
    String version = first("<version>(.*?)</version>", pom);
    Path place = Files.createDirectories(repository.resolve(GROUP).resolve(artifact).resolve(version));
    Files.copy(module.resolve("target/flattened-pom.xml"), place.resolve(artifact + "-" + version + ".pom"));
    if (!isBill) {
      assertEquals(0, ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err, "--create",
        "--file", place.resolve(artifact + "-" + version + ".jar").toString(), "-C", classes.toString(), "."));
    }
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertTrue(matcher.find(), pattern);
    return matcher.group(1);
  }
}
