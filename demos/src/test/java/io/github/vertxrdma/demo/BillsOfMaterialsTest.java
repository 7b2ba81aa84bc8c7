package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Builds projects with the bills of materials of docs/application.adoc. */
@Tag("full")
@Timeout(300)
class BillsOfMaterialsTest {
  private static final String CLUSTER = """
    <dependency>
      <groupId>io.github.vertxrdma</groupId>
      <artifactId>vertx-rdma-cluster</artifactId>
    </dependency>
    """;

  @TempDir
  Path temp;

  private void builds(UserProject project, String command, String jars, String... expected) throws Exception {
    project.file("src/main/java/example/Main.java", "package example;\n\npublic class Main {\n}\n");
    try (Terminal terminal = new Terminal(project.folder, project.environment(temp))) {
      terminal.follow("$ " + command);
    }
    try (Stream<Path> files = Files.list(project.folder.resolve(jars))) {
      List<String> names = files.map(file -> file.getFileName().toString()).toList();
      for (String each : expected) {
        assertTrue(names.stream().anyMatch(name -> name.endsWith(each)), () -> each + " is not in " + names);
      }
    }
  }

  @Test
  void quarkusHasTheVersionsOfVertx() throws Exception {
    UserProject.needsMaven();
    UserProject project = new UserProject("bill-quarkus");
    project.pom(PackagedApplicationTest.block("<artifactId>quarkus-arc</artifactId>")
      .replaceFirst("(?s)(.*)</dependencies>", "$1" + CLUSTER + "</dependencies>"), PackagedApplicationTest.plugin("quarkus-maven-plugin"));
    builds(project, "mvn -q package", "target/quarkus-app/lib/main", "vertx-core-5.1.5.jar", "netty-common-4.2.16.Final.jar",
      "hazelcast-5.6.0.jar");
  }

  @Test
  void springBootHasTheVersionsOfVertx() throws Exception {
    UserProject.needsMaven();
    UserProject project = new UserProject("bill-boot");
    String settings = PackagedApplicationTest.block("<hazelcast.version>");
    project.pom(PageExamplesTest.block("application", "<dependencyManagement>") + "<dependencies>" + CLUSTER + "</dependencies>", "");
    Path pom = project.folder.resolve("pom.xml");
    project.file("pom.xml", Files.readString(pom).replaceFirst("</modelVersion>", """
      </modelVersion>
      <parent>
        <groupId>org.springframework.boot</groupId>
        <artifactId>spring-boot-starter-parent</artifactId>
        <version>3.5.7</version>
      </parent>
      """).replaceFirst("<properties>", settings.substring(settings.indexOf("<properties>"), settings.indexOf("</properties>"))));
    builds(project, "mvn -q package dependency:copy-dependencies", "target/dependency", "vertx-core-5.1.5.jar",
      "netty-common-4.2.16.Final.jar", "hazelcast-5.6.0.jar");
  }
}
