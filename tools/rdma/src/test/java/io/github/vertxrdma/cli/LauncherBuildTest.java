package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("full")
class LauncherBuildTest extends LauncherFixture {

  @Test
  void mavenMayLieInAFolderWhoseNameHasASpace() throws Exception {
    Path folder = Files.createDirectories(temp.resolve("my tools"));
    Files.move(bin.resolve("mvn"), folder.resolve("mvn"));
    replace("tools/rdma/launcher/packages", "/usr/share/maven/bin/mvn", "/nowhere");
    environment.put("PATH", folder + ":" + bin + ":/usr/bin:/bin");
    executable(bin.resolve("mvn"), "#!/bin/sh\nexit 1");
    Ended ended = rdma("info");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(Files.exists(temp.resolve("calls")), ended.output());
  }

  @Test
  void buildsOnceAndAgainOnlyWhenASourceChanges() throws Exception {
    assertTrue(rdma("info").says("building"));
    assertFalse(rdma("info").says("building"));
    assertEquals(2, mavenCalls().size(), "of the command line, and of what it runs");
    Files.writeString(project.resolve("pom.xml"), "<project><version>8</version></project>");
    assertTrue(rdma("info").says("building"));
    Files.writeString(project.resolve("pom.xml"), "<project><version>7</version></project>");
    assertFalse(rdma("info").says("building"), "what was built from the same sources is still there");
    assertEquals(3, mavenCalls().size());
  }

  @Test
  void buildOfACheckoutHasItsCommitInTheVersion() throws Exception {
    rdma("build");
    assertFalse(mavenCalls().toString().contains("commit.suffix"), mavenCalls().toString());
    Process commit = new ProcessBuilder("sh", "-c", "git init -q . && git add pom.xml && git -c user.name=n -c user.email=e commit -qm c"
      + " && git rev-parse --short=12 HEAD").directory(project.toFile()).start();
    String hash = new String(commit.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    Assumptions.assumeTrue(commit.waitFor() == 0, "this machine has no git");
    Files.writeString(project.resolve("tools/rdma/pom.xml"), "<project><version>8</version></project>");
    rdma("build");
    assertTrue(mavenCalls().getLast().contains(" -Dcommit.suffix=+" + hash + " "), mavenCalls().toString());
    Files.writeString(project.resolve("pom.xml"), "<project><version>8</version></project>");
    rdma("build");
    assertTrue(mavenCalls().getLast().contains(" -Dcommit.suffix=+" + hash + "-dirty "), mavenCalls().toString());
  }

  @Test
  void aSourceThatChangesDuringABuildIsNotBuiltUnderTheOldName() throws Exception {
    executable(temp.resolve("mvn.before"), """
      #!/bin/sh
      case "$*" in *tools/rdma,demos*) ;; *) exit 0 ;; esac
      [ -e "%1$s/changed" ] || echo '<project><version>8</version></project>' > "%2$s/pom.xml"
      touch "%1$s/changed"
      """.formatted(temp, project));
    Ended ended = rdma("info", "--json");
    assertTrue(ended.says("rdma: sources changed during the build; building again\n"), ended.output());
    assertTrue(ended.status() == 0 && ended.output().endsWith(" info --json\n"), ended.output());
    assertFalse(rdma("info").says("building"), "it is built as it is now");
    Files.writeString(project.resolve("pom.xml"), "<project><version>7</version></project>");
    assertTrue(rdma("info").says("building"), "as it was before it never was built whole");
  }

  @Test
  void buildDoesThatAlone() throws Exception {
    withRealCommands();
    assertEquals(2, rdma("build", "all").status());
    Ended built = rdma("build");
    assertTrue(built.status() == 0 && built.says("building") && !built.says("java of"), built.output());
    assertEquals(new Ended(0, "rdma: built already, from the same sources\n"), rdma("build"));
    assertFalse(rdma("info").says("building"));
    assertEquals(2, mavenCalls().size());
  }

  @Test
  void usedBuildIsNotRemoved() throws Exception {
    Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/flock")), "without flock nobody knows what is used");
    rdma("build");
    Path used = onlyBuild();
    executable(temp.resolve("jdk-25/bin/java"), "#!/bin/sh\necho runs; read end");
    Process runs = launcher("info").start();
    BufferedReader output = runs.inputReader();
    assertEquals("runs", output.readLine());
    FileTime old = FileTime.from(Instant.now().minus(3, ChronoUnit.DAYS));
    Files.setLastModifiedTime(used, old);
    Files.writeString(project.resolve("pom.xml"), "<project><version>8</version></project>");
    rdma("build");
    assertTrue(Files.exists(used.resolve("rdma")), "the classes of a process that runs are gone");
    runs.outputWriter().close();
    assertTrue(runs.waitFor(60, TimeUnit.SECONDS));
    Files.setLastModifiedTime(used, old);
    Files.writeString(project.resolve("pom.xml"), "<project><version>9</version></project>");
    rdma("build");
    assertFalse(Files.exists(used), "nobody uses it");
  }

  private Path onlyBuild() throws IOException {
    try (Stream<Path> files = Files.list(project.resolve("target/rdma"))) {
      return files.filter(folder -> Files.isDirectory(folder) && !folder.getFileName().toString().startsWith("commands-")).findFirst()
        .orElseThrow();
    }
  }

  @Test
  void aJarOfAnEarlierVersionIsNoPartOfABuild() throws Exception {
    Path old = project.resolve("tools/rdma/target/old.jar");
    Files.createDirectories(old.getParent());
    Files.writeString(old, "");
    rdma("build");
    Path rdma = onlyBuild().resolve("rdma");
    assertTrue(Files.exists(rdma.resolve("x.jar")) && !Files.exists(rdma.resolve("old.jar")), "the class path has both versions");
  }

  @Test
  void concurrentInvocationsBuildOnce() throws Exception {
    executable(temp.resolve("mvn.before"), "#!/bin/sh\nsleep 0.5");
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      processes.add(launcher("info").start());
    }
    for (Process process : processes) {
      Ended ended = end(process);
      assertEquals(0, ended.status(), ended.output());
      assertTrue(ended.says("java of jdk-25:"), ended.output());
    }
    assertEquals(2, mavenCalls().size(), mavenCalls().toString());
  }

  @Test
  void aFailedBuildSaysWhyAndIsTriedAgain() throws Exception {
    executable(temp.resolve("mvn.before"), "#!/bin/sh\necho '[ERROR] X.java:[3,4] cannot find symbol -> [Help 1]'; exit 1");
    Ended ended = rdma("info");
    assertEquals(1, ended.status());
    assertTrue(ended.says("X.java:[3,4] cannot find symbol\n"), ended.output());
    assertFalse(ended.says("java of"), ended.output());
    Files.delete(temp.resolve("mvn.before"));
    assertEquals(0, rdma("info").status());
  }

  @Test
  void ctrlCIsNoFailedBuild() throws Exception {
    // This Maven signals its process group, like a terminal, and ends last.
    executable(temp.resolve("mvn.before"), "#!/bin/sh\ntrap '' INT\nkill -INT 0\nsleep 0.5\nexit 130");
    // Tests in the background may ignore SIGINT.
    String[] command = {"env", "--default-signal=INT", "setsid", "-w", project.resolve("rdma").toString(), "info"};
    Ended ended = end(launcher().command(command).start());
    assertEquals(130, ended.status(), ended.output());
    assertTrue(ended.says("building") && !ended.says("failed"), ended.output());
    Files.delete(temp.resolve("mvn.before"));
    assertTrue(rdma("info").says("java of jdk-25"));
  }

  @Test
  void installBuildsSourcesAndJavadocOfLibrariesAlone() throws Exception {
    Files.writeString(Files.createDirectories(project.resolve("demos")).resolve("pom.xml"), """
      <artifactId>vertx-rdma-demos</artifactId>
      <module>old</module>
      """);
    Files.writeString(project.resolve("tools/rdma/pom.xml"), "<artifactId>vertx-rdma-cli</artifactId>", StandardOpenOption.APPEND);
    Files.writeString(project.resolve("pom.xml"), """
      <module>demos</module>
      <module>tools/rdma</module>
      <artifact>vertx-rdma-demos</artifact>
      """, StandardOpenOption.APPEND);
    Ended installed = rdma("install");
    assertEquals(0, installed.status(), installed.output());
    String calls = Files.readString(temp.resolve("calls"));
    assertTrue(calls.contains(" install -Prelease -pl !demos,!demos/old "), calls);
  }

  @Test
  void codesForTerminalsAreKeptBack() throws Exception {
    executable(temp.resolve("mvn.before"), "#!/bin/sh\nprintf '\\033[0m[\\033[1;31mERROR\\033[m] cannot find symbol\\033[0m\\n'");
    Ended installed = rdma("install", "--verbose");
    assertEquals(0, installed.status(), installed.output());
    assertTrue(installed.says("\n[ERROR] cannot find symbol\n") && installed.says("<artifactId>vertx-rdma-cluster</artifactId>"),
      installed.output());
    assertFalse(installed.says("\033"), installed.output());
    Files.writeString(temp.resolve("mvn.before"), "\nexit 1\n", StandardOpenOption.APPEND);
    Ended failed = rdma("install");
    assertEquals(1, failed.status());
    assertTrue(failed.says("\ncannot find symbol\nrdma: the build failed; all of its output: "), failed.output());
    assertFalse(failed.says("\033"), failed.output());
  }

  @Test
  void mavenLeavesNoCodeBehindWhereItsOutputIsPassedOn() throws Exception {
    executable(temp.resolve("mvn.before"), "#!/bin/sh\ncase \"$MAVEN_OPTS\" in *-Djansi.noreset=true*) ;; *) printf '\\033[0m' ;; esac");
    assertFalse(rdma("test").says("\033"));
  }

  @Test
  void mavenThatIsTooOldIsNotUsed() throws Exception {
    Assumptions.assumeFalse(Files.exists(Path.of("/opt/maven/bin/mvn")), "this machine has a Maven in /opt");
    maven("3.6.3");
    Ended ended = rdma("--no-install", "info");
    assertTrue(ended.says("Maven 3.8 or later is needed") || Files.exists(Path.of("/usr/bin/mvn")), ended.output());
    assertEquals(List.of(), mavenCalls());
  }
}
