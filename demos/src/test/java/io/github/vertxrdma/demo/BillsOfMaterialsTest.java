package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Builds projects with the bills of materials of docs/application.adoc and docs/frameworks.adoc. */
@Tag("full")
@Timeout(300)
class BillsOfMaterialsTest {
  @TempDir
  Path temp;

  private static String dependencies(String... all) {
    return Stream.of(all).map(each -> each.split(":")).map(each -> "<dependency><groupId>" + each[0] + "</groupId><artifactId>" + each[1]
      + "</artifactId>" + (each.length > 2 ? "<scope>" + each[2] + "</scope>" : "") + "</dependency>\n").collect(Collectors.joining());
  }

  private void builds(UserProject project, String transcript, String jars) throws Exception {
    try (Terminal terminal = new Terminal(project.folder, project.environment(temp))) {
      terminal.follow(transcript);
    }
    try (Stream<Path> files = Files.list(project.folder.resolve(jars))) {
      List<String> names = files.map(file -> file.getFileName().toString()).toList();
      for (String each : List.of("vertx-core-5.1.5.jar", "netty-common-4.2.16.Final.jar", "hazelcast-5.6.0.jar")) {
        assertTrue(names.stream().anyMatch(name -> name.endsWith(each)), () -> each + " is not in " + names);
      }
    }
  }

  @Test
  void quarkusHasTheVersionsOfVertx() throws Exception {
    UserProject.needsMaven();
    UserProject project = new UserProject("bill-quarkus");
    project.file("src/main/java/example/Main.java", "package example;\n\npublic class Main {\n}\n");
    project.pom(PackagedApplicationTest.block("<artifactId>quarkus-arc</artifactId>")
      .replaceFirst("(?s)(.*)</dependencies>", "$1" + dependencies("io.github.vertxrdma:vertx-rdma-cluster") + "</dependencies>"),
      PackagedApplicationTest.plugin("quarkus-maven-plugin"));
    builds(project, "$ mvn -q package", "target/quarkus-app/lib/main");
  }

  /** Also runs the program of the page, which builds Vert.x as Quarkus 4 does. */
  @Test
  void springBootTestsRunsAndPackagesWithHealthAndMeters() throws Exception {
    UserProject.needsMaven();
    UserProject project = new UserProject("bill-boot");
    project.pom(PageExamplesTest.block("application", "<dependencyManagement>") + "<dependencies>"
      + dependencies("io.github.vertxrdma:vertx-rdma-cluster", "io.github.vertxrdma:vertx-rdma-metrics",
        "io.vertx:vertx-micrometer-metrics", "org.springframework.boot:spring-boot-starter-actuator",
        "org.springframework.boot:spring-boot-starter-test:test")
      + "</dependencies>", PackagedApplicationTest.plugin("spring-boot-maven-plugin"));
    PackagedApplicationTest.bootParent(project);
    for (String each : List.of("Main.java", "VertxBeans.java")) {
      project.file("src/main/java/example/" + each, Files.readString(Path.of("src/test/resources/boot", each)));
    }
    project.file("src/test/java/example/MainTest.java", """
      package example;

      @org.springframework.boot.test.context.SpringBootTest
      class MainTest {
        @org.junit.jupiter.api.Test
        void starts() {
        }
      }
      """);
    project.file("java.args", PageExamplesTest.first("README.md", "(?s)<!-- java.args -->\n```\n(.*?)```"));
    project.file("LikeQuarkus.java", PageExamplesTest.block("frameworks", "public class LikeQuarkus"));
    String output = "\nhealth UP, …'vertx.rdma.members'…orders…\nmembers after the end: 0\n";
    builds(project, "$ mvn -B -ntp package dependency:copy-dependencies spring-boot:run\n"
      + "Tests run: 1, Failures: 0, Errors: 0, Skipped: 0" + output
      + "$ java @java.args -jar target/example-1.jar" + output
      + PageExamplesTest.block("frameworks", "$ java"), "target/dependency");
  }
}
