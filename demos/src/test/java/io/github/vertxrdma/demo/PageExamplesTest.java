package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies the Java of all pages into an empty project. Programs print what their page says. All other code compiles with what the pages say
 * to add and the imports that an editor finds. {@code src/test/resources/pages/PagesTest.java} calls what no test of its module calls.
 */
@Tag("long")
@Timeout(900)
class PageExamplesTest {
  private static final Path DOCS = UserProject.SOURCES.resolve("docs");
  private static final Pattern JAVA = Pattern.compile("(?ms)^\\[source, *java]\n----\n(.*?\n)----$");
  /** A code block that is a Java file, or several classes. */
  private static final Pattern FILE = Pattern
    .compile("(?ms)\\A(?:import .*|(?:/\\*\\*.*?\\*/\n)?(?:@.*\n)*(?:public )?(?:final )?(?:class|interface) .*)");
  private static final Pattern CLASS = Pattern.compile("(?m)^(?:public )?(?:final )?(?:class|interface) (\\w+)");
  private static final Pattern PROGRAM = Pattern.compile("(?s)\\Aimport .*public class (\\w+).*public static void main\\(.*");
  private static final Pattern CONSOLE = Pattern.compile("(?ms)^\\[source,console]\n----\n(.*?\n)----$");
  /** Dependencies that pages name besides the bill of materials, and the engine of the tests. */
  private static final List<String> OTHERS = List.of("com.fasterxml.jackson.core:jackson-databind:2.21.5",
    "io.vertx:vertx-micrometer-metrics",
    "io.vertx:vertx-health-check", "org.springframework.boot:spring-boot-health:4.0.7", "org.junit.jupiter:junit-jupiter:5.14.0");

  @TempDir
  Path temp;

  @Test
  void examplesDoWhatTheirPagesSay() throws Exception {
    UserProject.needsMaven();
    UserProject project = new UserProject("pages");
    String proto = block("contracts", "syntax = \"proto3\"");
    project.file("src/main/proto/greeter.proto", proto);
    project.file("pom.xml", pom());
    try (Terminal terminal = new Terminal(project.folder, project.environment(temp))) {
      terminal.follow("$ mvn -q process-classes dependency:copy-dependencies");
      int blocks = 0;
      try (Imports imports = new Imports(project.folder.resolve("target/dependency"), project.folder.resolve("target/classes"))) {
        for (Path page : pages()) {
          blocks += write(project, page, imports);
        }
      }
      assertTrue(blocks >= 40, blocks + " examples");
      project.file("java.args", first("README.md", "(?s)<!-- java.args -->\n```\n(.*?)```"));
      for (Path page : pages()) {
        String text = Files.readString(page);
        if (JAVA.matcher(text).results().anyMatch(each -> PROGRAM.matcher(each.group(1)).matches())) {
          for (MatchResult console : CONSOLE.matcher(text).results().toList()) {
            terminal.follow(console.group(1));
          }
        }
      }
      project.file("src/test/java/pages/PagesTest.java",
        Files.readString(UserProject.SOURCES.resolve("demos/src/test/resources/pages/PagesTest.java")));
      terminal.follow("$ mvn -B test\nTests run: …, Failures: 0, Errors: 0, Skipped: 0, … in pages.PagesTest\nBUILD SUCCESS");
    }
  }

  static String first(String file, String pattern) throws Exception {
    Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(UserProject.SOURCES.resolve(file)));
    assertTrue(matcher.find(), pattern);
    return matcher.group(1);
  }

  private static List<Path> pages() throws Exception {
    try (Stream<Path> pages = Files.list(DOCS)) {
      return pages.filter(each -> each.toString().endsWith(".adoc")).sorted().toList();
    }
  }

  /** Returns the first block of a page with these words. */
  static String block(String page, String words) throws Exception {
    List<String> blocks = Pattern.compile("(?ms)^----$\n(.*?)^----$").matcher(Files.readString(DOCS.resolve(page + ".adoc"))).results()
      .map(each -> each.group(1)).filter(each -> each.contains(words)).toList();
    assertFalse(blocks.isEmpty(), words);
    return blocks.getFirst();
  }

  /** Returns a POM with the bill of materials, all artifacts of the table, and the build of contracts. */
  private static String pom() throws Exception {
    String table = Files.readString(DOCS.resolve("application.adoc"));
    Stream<String> ours = Pattern.compile("(?m)^\\| `(vertx-rdma[\\w-]*)`").matcher(table).results()
      .map(each -> "io.github.vertxrdma:" + each.group(1));
    String dependencies = Stream.of(ours, Stream.of("io.github.vertxrdma:vertx-rdma-provider-contract"), OTHERS.stream())
      .flatMap(each -> each)
      .map(each -> each.split(":"))
      .map(each -> "<dependency><groupId>" + each[0] + "</groupId><artifactId>" + each[1] + "</artifactId>"
        + (each.length > 2 ? "<version>" + each[2] + "</version>" : "") + "</dependency>\n")
      .collect(Collectors.joining());
    return """
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
        <dependencies>%s</dependencies>
        %s
      </project>
      """.formatted(block("application", "<dependencyManagement>"), dependencies, block("contracts", "<build>").replace("<plugins>", """
        <plugins>
          <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.15.0</version></plugin>
          <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.4</version></plugin>
        """));
  }

  /** Writes programs and classes as files. Other blocks are members of the class before them, or of one that is named after the page. */
  private static int write(UserProject project, Path page, Imports imports) throws Exception {
    String text = Files.readString(page);
    String own = Stream.of(page.getFileName().toString().replace(".adoc", "").split("-"))
      .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1)).collect(Collectors.joining("", "", "Page"));
    Map<String, String> files = new LinkedHashMap<>();
    String last = null;
    List<String> blocks = JAVA.matcher(text).results().map(each -> each.group(1)).toList();
    for (String block : blocks) {
      Matcher program = PROGRAM.matcher(block);
      if (program.matches()) {
        project.file(program.group(1) + ".java", block);
      } else if (FILE.matcher(block).matches()) {
        last = CLASS.matcher(block).results().findFirst().orElseThrow().group(1);
        files.put(last, block);
      } else {
        last = last == null ? own : last;
        String before = files.getOrDefault(last, "class " + last + " {\n}\n");
        files.put(last, before.substring(0, before.lastIndexOf('}')) + '\n' + block + "}\n");
      }
    }
    for (Map.Entry<String, String> file : files.entrySet()) {
      project.file("src/test/java/pages/" + file.getKey() + ".java",
        "package pages;\n\n" + imports.of(file.getValue(), text, files.keySet()) + '\n'
          + file.getValue());
    }
    return blocks.size();
  }
}
