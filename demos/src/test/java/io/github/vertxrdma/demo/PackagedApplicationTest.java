package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Starts applications in each form of docs/frameworks.adoc, with the code of that page. */
@Tag("long")
@Timeout(900)
class PackagedApplicationTest {
  private static final List<Path> PAGES = Stream.of("application", "frameworks")
    .map(page -> UserProject.SOURCES.resolve("docs/" + page + ".adoc")).toList();
  private static final Path EXAMPLES = UserProject.SOURCES.resolve("vertx-rdma/src/test/java/io/github/vertxrdma/examples");
  private static final Path PACKED = UserProject.SOURCES.resolve("tests/environments/src/test");
  private static final Path CLUSTERED = UserProject.SOURCES.resolve("cluster-bootstrap/src/test/java/io/github/vertxrdma/cluster");

  @TempDir
  Path temp;

  /** Returns the one block of the pages with these words. */
  static String block(String words) throws Exception {
    String text = Files.readString(PAGES.getFirst()) + Files.readString(PAGES.getLast());
    List<String> blocks = Pattern.compile("(?ms)^----$\n(.*?)^----$").matcher(text).results().map(each -> each.group(1))
      .filter(each -> each.contains(words)).toList();
    assertEquals(1, blocks.size(), words);
    return blocks.getFirst();
  }

  /** Returns the plugin from the one block that has it. */
  static String plugin(String artifact) throws Exception {
    Matcher plugin = Pattern.compile("(?s)<plugin>.*</plugin>").matcher(block("<artifactId>" + artifact + "</artifactId>"));
    assertTrue(plugin.find(), artifact);
    return plugin.group();
  }

  /** Adds the parent and the properties of Spring Boot to the project's POM. */
  static void bootParent(UserProject project) throws Exception {
    String settings = block("<artifactId>spring-boot-starter-parent</artifactId>");
    project.file("pom.xml", Files.readString(project.folder.resolve("pom.xml"))
      .replace("<properties>", settings.substring(0, settings.indexOf("</properties>"))));
  }

  /** Returns the commands of a block, each in one line. */
  private static List<String> commands(String words) throws Exception {
    return block(words).replaceAll("\\\\\n *", "").lines().toList();
  }

  private UserProject project(String artifact, String plugins) throws Exception {
    UserProject.needsMaven();
    UserProject project = new UserProject("packaged");
    project.pom("""
      <dependencies>
        <dependency>
          <groupId>io.github.vertxrdma</groupId>
          <artifactId>%s</artifactId>
          <version>0.1.0-SNAPSHOT</version>
        </dependency>
      </dependencies>
      """.formatted(artifact), plugins);
    return project;
  }

  private static void main(UserProject project, Path source) throws Exception {
    String name = source.getFileName().toString().replace(".java", "");
    project.file("src/main/java/example/Main.java", Files.readString(source).replaceFirst("package .*;", "package example;")
      .replace("public class " + name, "public class Main"));
  }

  private Terminal terminal(UserProject project) throws Exception {
    return new Terminal(project.folder, project.environment(temp));
  }

  private static void meets(Terminal terminal, String start, String answer) throws Exception {
    terminal.follow("$ " + start + " serve &\nserves\n$ " + start + "\n" + answer + "\n$ kill $!");
  }

  @Test
  void fatJarRuns() throws Exception {
    UserProject project = project("vertx-rdma-cluster", plugin("maven-shade-plugin"));
    main(project, CLUSTERED.resolve("Hello.java"));
    try (Terminal terminal = terminal(project)) {
      terminal.follow("$ mvn -q package");
      meets(terminal, "java -jar target/example-1.jar", "hello world");
    }
  }

  /** A jar of each plugin finds options, names and functions, and starts worker processes. */
  @ParameterizedTest
  @CsvSource({"maven-shade-plugin, -jar target/example-1.jar", "spring-boot-maven-plugin, @java.args -jar target/example-1.jar",
    "quarkus-maven-plugin, @java.args -jar target/quarkus-app/quarkus-run.jar"})
  void asAJarOfAPlugin(String artifact, String start) throws Exception {
    UserProject project = project("vertx-rdma-functions", plugin(artifact));
    if (artifact.startsWith("spring")) {
      bootParent(project);
    } else if (artifact.startsWith("quarkus")) {
      project.file("src/main/resources/application.properties", "quarkus.package.main-class=example.Main\n");
      project.pom(block("<artifactId>quarkus-arc</artifactId>").replaceFirst("(?s)(.*)</dependencies>", """
        $1<dependency>
          <groupId>io.github.vertxrdma</groupId>
          <artifactId>vertx-rdma-functions</artifactId>
        </dependency>
        </dependencies>
        """), plugin(artifact));
    }
    project.file("src/main/java/example/Main.java",
      Files.readString(PACKED.resolve("java/io/github/vertxrdma/environments/PackedMain.java"))
        .replaceFirst("package .*;", "package example;").replace("PackedMain", "Main")
        .replaceAll("(?s)import [^;]*RefusedCalls;\n|    String refused = .*?\n    }\n", ""));
    project.file("src/main/resources/vertx-rdma.json", Files.readString(PACKED.resolve("resources/vertx-rdma.json")));
    project.file("src/main/resources/META-INF/services/io.github.vertxrdma.functions.FunctionProvider", "example.Main$Functions\n");
    project.file("java.args", block("--sun-misc-unsafe-memory-access=allow"));
    project.file("names.json", "{\"fabric\": \"nio\", \"authorizerClass\": \"example.Main$Careful\"}");
    project.file("cold.json", "{\"fabric\": \"nio\"}");
    String jars = artifact.startsWith("quarkus") ? Stream.of("app", "lib/main", "lib/boot")
      .map(each -> "target/quarkus-app/" + each + "/*").collect(Collectors.joining(":", "'-Dexample.cold=", "' ")) : "";
    try (Terminal terminal = terminal(project)) {
      terminal.follow("$ mvn -q package\n"
        + "$ java " + start + " options\n"
        + "log: vertx-rdma uses the options in …/vertx-rdma.json\n"
        + "own: listening as 'main' is refused, since requireEncryption is set\n"
        + "given: listening as 'main' is refused, since requireEncryption is set\n"
        + "$ java -Dvertx.rdma.config=names.json " + start + " names\n"
        + "open: works\n"
        + "secret: …may not connect to 'secret'\n"
        + "function: in this process\n"
        + "$ java -Dvertx.rdma.config=cold.json " + jars + start + " cold\n"
        + "function: in another process");
    }
  }

  @Test
  void modulesRunOnModulePathAndInLinkedRuntime() throws Exception {
    UserProject project = project("vertx-rdma", "");
    main(project, EXAMPLES.resolve("Echo.java"));
    project.file("src/main/java/module-info.java", "module example {\n  requires io.github.vertxrdma;\n}\n");
    String answer = "you said hello, over shm (shm, MSG endpoint)";
    try (Terminal terminal = terminal(project)) {
      terminal.follow("$ mvn -q compile dependency:copy-dependencies\n$ ln -s target/dependency lib");
      meets(terminal, commands("-m example/example.Main").getFirst(), answer);
      List<String> linked = commands("jlink -p");
      terminal.follow("$ " + linked.getFirst());
      meets(terminal, linked.getLast(), answer);
    }
  }

  @Test
  void jarsRunOnALinkedRuntime() throws Exception {
    UserProject project = project("vertx-rdma-cluster", "");
    main(project, CLUSTERED.resolve("Hello.java"));
    project.file("java.args", block("--sun-misc-unsafe-memory-access=allow"));
    List<String> commands = commands("jlink --add-modules java.se");
    try (Terminal terminal = terminal(project)) {
      terminal.follow("$ mvn -q package dependency:copy-dependencies\n$ ln -s target/dependency lib\n$ cp target/example-1.jar lib\n$ "
        + commands.getFirst());
      meets(terminal, commands.getLast(), "hello world");
    }
  }

  @Test
  void olderJavaUsesTheStockTransport() throws Exception {
    Optional<Path> older = older();
    assumeTrue(older.isPresent(), "this machine has no JDK from 17 to 24 in /usr/lib/jvm");
    UserProject project = project("vertx-rdma-cluster", "");
    project.file("Stock.java", """
      import io.vertx.core.Vertx;

      public class Stock {
        public static void main(String... arguments) throws Exception {
          Vertx vertx = Vertx.vertx();
          vertx.createHttpServer().requestHandler(request -> request.response().end()).listen(0, "127.0.0.1")
            .onSuccess(server -> System.out.println("serves on " + vertx.getClass().getSimpleName())).eventually(vertx::close);
        }
      }
      """);
    try (Terminal terminal = terminal(project)) {
      terminal.follow("$ mvn -q dependency:copy-dependencies\n$ " + older.get().resolve("bin/java")
        + " -cp 'target/dependency/*' Stock.java\n… needs Java 25 …\nserves on VertxImpl");
    }
  }

  private static Optional<Path> older() throws Exception {
    Path all = Path.of("/usr/lib/jvm");
    if (!Files.isDirectory(all)) {
      return Optional.empty();
    }
    try (Stream<Path> homes = Files.list(all)) {
      for (Path home : homes.sorted().toList()) {
        Path release = home.resolve("release");
        if (Files.isReadable(release) && Files.isExecutable(home.resolve("bin/javac"))) {
          int version = Pattern.compile("JAVA_VERSION=\"(\\d+)").matcher(Files.readString(release)).results().findFirst()
            .map((MatchResult each) -> Integer.parseInt(each.group(1))).orElse(0);
          if (version >= 17 && version < 25) {
            return Optional.of(home);
          }
        }
      }
    }
    return Optional.empty();
  }
}
