package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java of all pages, put into an empty project beside the imports that an editor would add, compiles there: with the artifacts that users have,
 * and without what only this build sees.
 */
@Tag("long")
@Timeout(600)
class PageExamplesTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^// (\\S+\\.java)#(\\S+)\n\\[source, *java]\n----\n(.*?)\n----$");
  private static final List<String> ARTIFACTS = List.of("io.github.vertxrdma:vertx-rdma-cluster", "io.github.vertxrdma:vertx-rdma-functions",
    "io.github.vertxrdma:vertx-rdma-metrics", "io.github.vertxrdma:vertx-rdma-page",
    "io.github.vertxrdma:vertx-rdma-junit5", "io.github.vertxrdma:vertx-rdma-provider-devices",
    "io.vertx:vertx-grpc-client", "io.vertx:vertx-grpc-server", "org.junit.jupiter:junit-jupiter");

  @TempDir
  Path temp;

  @Test
  void theyCompileInAProjectOfTheirOwn() throws Exception {
    UserProject.needsMaven();
    UserProject project = new UserProject("pages");
    StringBuilder dependencies = new StringBuilder();
    for (String artifact : ARTIFACTS) {
      String[] parts = artifact.split(":");
      dependencies.append("<dependency><groupId>").append(parts[0]).append("</groupId><artifactId>").append(parts[1])
        .append("</artifactId></dependency>");
    }
    project.pom("""
      <dependencyManagement>
        <dependencies>
          <dependency>
            <groupId>io.github.vertxrdma</groupId>
            <artifactId>vertx-rdma-parent</artifactId>
            <version>0.1.0-SNAPSHOT</version>
            <type>pom</type>
            <scope>import</scope>
          </dependency>
        </dependencies>
      </dependencyManagement>
      <dependencies>%s</dependencies>
      """.formatted(dependencies), "");
    Map<String, String> files = files();
    assertTrue(files.size() >= 8, files.keySet().toString());
    // Examples of one package use each other.
    List<Path> packages = files.keySet().stream().map(file -> Path.of(file).getParent()).distinct().toList();
    for (Map.Entry<String, String> file : files.entrySet()) {
      String name = "example" + packages.indexOf(Path.of(file.getKey()).getParent());
      String text = file.getValue().replaceFirst("(?m)^package .*\\.examples;", "package " + name + ";")
        .replaceFirst("(?m)^package (io\\..*);", "package " + name + ";\nimport $1.*;");
      project.file("src/main/java/" + name + "/" + Path.of(file.getKey()).getFileName(), text);
    }
    try (Terminal terminal = new Terminal(project.folder, project.environment(temp))) {
      terminal.follow("$ mvn -q compile");
    }
  }

  /** The classes that pages quote from, with the text of the pages where they do. */
  private static Map<String, String> files() throws Exception {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> pages = Files.list(UserProject.SOURCES.resolve("docs"))) {
      for (Path page : pages.filter(each -> each.toString().endsWith(".adoc")).toList()) {
        for (Matcher block = BLOCK.matcher(Files.readString(page)); block.find();) {
          String path = block.group(1);
          // A provider's test is in the provider's package; stubs of contracts come from a generator, which their own build runs.
          if (path.startsWith("provider-spi/") || path.startsWith("extensions/grpc/")) {
            continue;
          }
          String source = files.containsKey(path) ? files.get(path) : Files.readString(UserProject.SOURCES.resolve(path));
          files.put(path, Pattern.compile("(?s)(// tag::" + Pattern.quote(block.group(2)) + "\\[]\n).*?(\n *// end::)").matcher(source)
            .replaceFirst("$1" + Matcher.quoteReplacement(block.group(3)) + "$2"));
        }
      }
    }
    return files;
  }
}
