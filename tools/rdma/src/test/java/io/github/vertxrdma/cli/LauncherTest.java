package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The launcher finds a JDK, a Maven and libraries, builds, and runs commands. */
@Timeout(180)
class LauncherTest extends LauncherFixture {

  // The JDK

  @Test
  void anOlderJavaFirstOnThePathIsPassedBy() throws Exception {
    Path old = jdk("jdk-17", "17.0.9");
    environment.put("PATH", old.resolve("bin") + ":" + jdk("jdk-26", "26-ea").resolve("bin") + ":" + environment.get("PATH"));
    environment.remove("JAVA_HOME");
    Ended ended = rdma("info");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says("java of jdk-26:"), ended.output());
  }

  @Test
  void anOldJavaHomeIsPassedBy() throws Exception {
    environment.put("JAVA_HOME", jdk("jdk-17", "17.0.9").toString());
    environment.put("PATH", jdk("jdk-25b", "25").resolve("bin") + ":" + environment.get("PATH"));
    assertTrue(rdma("info").says("java of jdk-25b:"));
  }

  @Test
  void whereSignalsOfPipesAreIgnoredNothingIsSaidOfThem() throws Exception {
    // The first JDK fits; the next one on the path is named when nobody listens any more.
    environment.put("PATH", environment.get("PATH") + ":" + jdk("jdk-26", "26").resolve("bin"));
    executable(bin.resolve("readlink"), "#!/bin/sh\nsleep 0.5; exec /usr/bin/readlink \"$@\"");
    List<String> command = List.of("sh", "-c", "trap '' PIPE; exec \"$0\" info", project.resolve("rdma").toString());
    Ended ended = end(launcher().command(command).start());
    assertEquals(0, ended.status(), ended.output());
    assertFalse(ended.says("write error"), ended.output());
  }

  @Test
  void aJdkInTheUsualFoldersIsFound() throws Exception {
    Path jdks = temp.resolve("home/.jdks/corretto-25");
    Files.createDirectories(jdks.getParent());
    Files.move(jdk("jdk-x", "25"), jdks);
    environment.put("JAVA_HOME", "/nowhere");
    Ended ended = withoutSystemJdks("info");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says("java of jdk-x:"), ended.output());
  }

  /** A service of the system may have no home. */
  @Test
  void withoutAHomeTheJdksOfTheSystemAreFound() throws Exception {
    Files.createDirectories(temp.resolve("jvm"));
    Files.move(jdk("jdk-x", "25"), temp.resolve("jvm/jdk-25"));
    replace("tools/rdma/launcher/java", "/usr/lib/jvm/*", temp + "/jvm/*");
    environment.remove("JAVA_HOME");
    environment.remove("HOME");
    Ended ended = rdma("info");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says("java of jdk-x:"), ended.output());
  }

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
  void withoutJdkItSaysWhatWasFoundAndWhatToInstall() throws Exception {
    environment.put("JAVA_HOME", jdk("jdk-17", "17.0.9").toString());
    Ended ended = withoutSystemJdks("info");
    assertEquals(1, ended.status());
    assertTrue(ended.says("a JDK 25 or later is needed, and none was found"), ended.output());
    assertTrue(ended.says("found: " + temp.resolve("jdk-17") + " (17)"), ended.output());
    assertTrue(ended.says("rdma: or unpack a JDK (https://adoptium.net/temurin/releases/?version=25) and name its folder: JAVA_HOME="),
      ended.output());
  }

  @Test
  void aRuntimeWithoutCompilerIsNoJdk() throws Exception {
    Path jre = jdk("jre-25", "25");
    Files.delete(jre.resolve("bin/javac"));
    environment.put("JAVA_HOME", jre.toString());
    Ended ended = withoutSystemJdks("info");
    assertTrue(ended.says("jre-25 (25, a JRE without compiler)"), ended.output());
  }

  // Maven and the build

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
  void aSourceThatChangesDuringABuildIsNotBuiltUnderTheOldName() throws Exception {
    executable(temp.resolve("mvn.before"), """
      #!/bin/sh
      case "$*" in *tools/rdma,demos*) ;; *) exit 0 ;; esac
      [ -e "%1$s/changed" ] || echo '<project><version>8</version></project>' > "%2$s/pom.xml"
      touch "%1$s/changed"
      """.formatted(temp, project));
    Ended ended = rdma("info", "--json");
    assertTrue(ended.says("rdma: sources have changed while they were built; once more\n"), ended.output());
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

  /** A JVM loads classes as it comes to them. */
  @Test
  void aBuildThatIsUsedIsNotRemoved() throws Exception {
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
    // As from a terminal: to all of the group, and Maven, which has things to end, ends last and with a status of its own.
    executable(temp.resolve("mvn.before"), "#!/bin/sh\ntrap '' INT\nkill -INT 0\nsleep 0.5\nexit 130");
    // Tests that run in the background may have it ignored, and a signal that is ignored at the start no shell can take.
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
  void aMavenThatIsTooOldIsNotUsed() throws Exception {
    Assumptions.assumeFalse(Files.exists(Path.of("/opt/maven/bin/mvn")), "this machine has a Maven in /opt");
    maven("3.6.3");
    Ended ended = rdma("--no-install", "info");
    // A Maven that is installed is found next, and has nothing to build in this project.
    assertTrue(ended.says("Maven 3.8 or later is needed") || Files.exists(Path.of("/usr/bin/mvn")), ended.output());
    assertEquals(List.of(), mavenCalls());
  }

  @Test
  void warningsOfTheJdkAndHazelcastAreSwitchedOff() throws Exception {
    String output = rdma("info").output();
    for (String flag : List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow -Dio.netty.noUnsafe=true",
      "--add-opens java.base/java.lang=ALL-UNNAMED")) {
      assertTrue(output.contains(flag), output);
    }
  }

  // Packages

  @Test
  void rootOnDebianGetsMissingLibrariesInstalled() throws Exception {
    Assumptions.assumeTrue(isRootOnDebian(), "installing is for root on Debian and Ubuntu");
    executable(bin.resolve("apt-get"), "#!/bin/sh\necho \"apt-get $*\" >> " + temp.resolve("apt") + "; exit 0");
    Ended ended = withoutLibraries("info");
    assertTrue(
      ended.says("installing libfabric1 libibverbs1 ibverbs-providers librdmacm1 with apt-get (as asked for; --no-install forbids it)"),
      ended.output());
    assertTrue(Files.readString(temp.resolve("apt")).contains("install -y -q --no-install-recommends libfabric1"));
    assertTrue(ended.says("java of jdk-25"), ended.output());
  }

  @Test
  void noInstallForbidsItAndPrintsTheCommand() throws Exception {
    executable(bin.resolve("apt-get"), "#!/bin/sh\ntouch " + temp.resolve("apt"));
    Ended ended = withoutLibraries("info", "--no-install");
    assertFalse(Files.exists(temp.resolve("apt")), "apt-get was called");
    assertTrue(ended.says("not installed: libfabric1 libibverbs1 ibverbs-providers librdmacm1"), ended.output());
    assertTrue(!Files.exists(Path.of("/etc/debian_version"))
      || ended.says("apt-get install -y --no-install-recommends libfabric1 libibverbs1 ibverbs-providers librdmacm1"), ended.output());
    assertTrue(ended.says("java of jdk-25"), "it goes on without: " + ended.output());
  }

  @Test
  void whatCannotBeInstalledIsNotTriedEachTime() throws Exception {
    Assumptions.assumeTrue(isRootOnDebian(), "installing is for root on Debian and Ubuntu");
    executable(bin.resolve("apt-get"), "#!/bin/sh\necho \"$1\" >> " + temp.resolve("apt") + "; exit 100");
    Ended ended = withoutLibraries("info");
    assertTrue(ended.says("apt-get could not install"), ended.output());
    assertTrue(ended.says("java of jdk-25"), ended.output());
    Files.delete(temp.resolve("apt"));
    assertTrue(withoutLibraries("info").says("java of jdk-25"));
    assertFalse(Files.exists(temp.resolve("apt")), "apt-get was called again");
  }

  /** The network may be back, or another's lock gone. */
  @Test
  void whatCouldNotBeInstalledIsTriedAgainLater() throws Exception {
    Assumptions.assumeTrue(isRootOnDebian(), "installing is for root on Debian and Ubuntu");
    executable(bin.resolve("apt-get"), "#!/bin/sh\necho \"$1\" >> " + temp.resolve("apt") + "; exit 100");
    withoutLibraries("info");
    assertTrue(withoutLibraries("info").says("apt-get could not install them lately, which is tried again in an hour; why: "
      + project.resolve("target/rdma/apt.log")));
    Files.delete(temp.resolve("apt"));
    Files.setLastModifiedTime(project.resolve("target/rdma/native-refused"), FileTime.from(Instant.now().minus(2, ChronoUnit.HOURS)));
    assertTrue(withoutLibraries("info").says("installing libfabric1"));
    assertTrue(Files.exists(temp.resolve("apt")), "apt-get was not called again");
  }

  /** Two at once, of which one finds the other's lock on the packages. */
  @Test
  void oneInstallsAtATime() throws Exception {
    Assumptions.assumeTrue(isRootOnDebian(), "installing is for root on Debian and Ubuntu");
    executable(bin.resolve("apt-get"),
      "#!/bin/sh\nmkdir " + temp.resolve("dpkg") + " || exit 100; sleep 0.3; rmdir " + temp.resolve("dpkg"));
    withoutLibraries("--version");
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(launcher("info", "--install").start());
    }
    for (Process process : processes) {
      Ended ended = end(process);
      assertTrue(ended.status() == 0 && !ended.says("could not install"), ended.output());
    }
  }

  private Ended withoutLibraries(String... arguments) throws Exception {
    return without(Stream.concat(Stream.of("--install"), Stream.of(arguments)).toArray(String[]::new));
  }

  private Ended without(String... arguments) throws Exception {
    if (environment.containsKey("LD_LIBRARY_PATH")) {
      hideLibraries();
    }
    return rdma(arguments);
  }

  @Test
  void librariesAreForMachinesWithADeviceAndForTests() throws Exception {
    Assumptions.assumeTrue(isRootOnDebian(), "installing is for root on Debian and Ubuntu");
    executable(bin.resolve("apt-get"), "#!/bin/sh\nexit 0");
    Ended without = without("info");
    assertFalse(without.says("libfabric1"), without.output());
    Ended test = without("test");
    assertTrue(test.says("installing libfabric1 libibverbs1 ibverbs-providers librdmacm1")
      && test.says(" with apt-get (for tests of libfabric's fabrics, of verbs and of networks;"), test.output());
    Files.createDirectories(temp.resolve("infiniband/mlx5_0"));
    Ended with = without("info");
    assertTrue(with.says("installing libfabric1 libibverbs1 ibverbs-providers librdmacm1 with apt-get (for the RDMA device here;"),
      with.output());
    assertFalse(without("build").says("libfabric1"));
  }

  @Test
  void perfAgainstCInstallsWhatThePeerNeedsOrNamesIt() throws Exception {
    replace("tools/rdma/launcher/packages", "/usr/include/rdma/fabric.h", temp + "/fabric.h");
    Ended refused = rdma("perf", "latency", "--against", "tcp,c", "--no-install");
    assertTrue(refused.says("libfabric-dev (for --against c). Going on without"), refused.output());
    assertTrue(refused.output().indexOf("libfabric-dev") < refused.output().indexOf("java of jdk-25"),
      "before it measures: " + refused.output());
    assertFalse(rdma("perf", "latency", "--against", "tcp").says("libfabric-dev"));
    Assumptions.assumeTrue(isRootOnDebian(), "installing is for root on Debian and Ubuntu");
    Ended installed = rdma("perf", "latency", "--against=c");
    assertTrue(installed.says("libfabric-dev with apt-get (for --against c; --no-install forbids it)"), installed.output());
  }

  @Test
  void aLibraryPathThatCannotBeReadIsOneClearLine() throws Exception {
    environment.put("VERTX_RDMA_LIBFABRIC", "/nowhere/libfabric.so");
    Ended ended = rdma("info");
    assertEquals(1, ended.status());
    assertEquals("rdma: VERTX_RDMA_LIBFABRIC names '/nowhere/libfabric.so', which cannot be read\n", ended.output());
  }

  // Commands

  @Test
  void everyCommandHasHelpThatNeedsNoJdk() throws Exception {
    environment.put("JAVA_HOME", "/nowhere");
    try (Stream<Path> files = Files.list(PROJECT.resolve(HELP))) {
      for (Path file : files.toList()) {
        String command = file.getFileName().toString().replace(".txt", "").replace("rdma", "");
        String[] line = Stream.concat(Stream.of(command.split("-")).filter(word -> !word.isEmpty()), Stream.of("--help"))
          .toArray(String[]::new);
        assertEquals(new Ended(0, Files.readString(file)), rdma(line));
      }
    }
  }

  @Test
  void anUnknownCommandIsRefused() throws Exception {
    withRealCommands();
    Ended ended = rdma("infoo");
    assertEquals(2, ended.status());
    assertTrue(ended.output().endsWith("\nrdma: there is no command 'infoo'; did you mean 'info'?; see ./rdma --help\n"), ended.output());
    assertEquals(new Ended(2, "rdma: there is no command 'infoo'; did you mean 'info'?; see ./rdma --help\n"), rdma("help", "infoo"));
    assertEquals(rdma("ping", "--help"), rdma("help", "ping"));
    assertEquals(rdma("--help"), rdma("help"));
  }

  @Test
  void theVersionIsTheProjects() throws Exception {
    assertEquals(new Ended(0, "vertx-rdma 7\n"), rdma("--version"));
  }

  @Test
  void whatMakesNoSenseIsRefusedBeforeAnythingElseIsBuilt() throws Exception {
    withRealCommands();
    for (String line : List.of("perf", "perf --fabric tcp", "perf swim --runs 1", "perf latency --size 64q", "info --bogus",
      "ping a --count abc",
      "install here", "docs here", "test --everything")) {
      Ended ended = rdma(line.split(" "));
      assertEquals(2, ended.status(), ended.output());
      assertTrue(ended.output().endsWith(" --help\n"), ended.output());
    }
    assertEquals(1, mavenCalls().size(), "of the command line alone: " + mavenCalls());
    assertTrue(rdma("perf", "start", "--json").says("building the measurements"));
  }

  @Test
  void theShellIsToldHowToCompleteWithoutABuildOfAllElse() throws Exception {
    withRealCommands();
    Ended ended = rdma("completion");
    assertTrue(ended.status() == 0 && ended.says("complete -F _complete_rdma"), ended.output());
    assertEquals(1, mavenCalls().size(), mavenCalls().toString());
  }

  @Test
  void argumentsAndTheStatusOfTheCommandPassThrough() throws Exception {
    executable(temp.resolve("jdk-25/bin/java"), "#!/bin/bash\nprintf '<%s>' \"${@: -3}\"; exit 7");
    Ended ended = rdma("demo", "a file", "--fabric", "tcp", "--verbose");
    assertEquals(7, ended.status());
    assertTrue(ended.says("<a file><--fabric><tcp>"), ended.output());
    assertTrue(ended.says("+ ") && ended.says("io.github.vertxrdma.demo.Main demo a\\ file"), ended.output());
    ended = rdma("demo", "--", "--verbose", "--", "-h");
    assertEquals(new Ended(7, "<--verbose><--><-h>"), ended, "what follows -- is the command's own");
  }
}
