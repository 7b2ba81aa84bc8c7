package io.github.vertxrdma.cli;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The launcher script in a small project of its own, with a JDK, a Maven and a package manager that only say how they were called. */
@Timeout(60)
class LauncherTest {
  private static final Path PROJECT = Path.of("").toAbsolutePath().getParent();
  private static final String HELP = "cli/src/main/resources/io/github/vertxrdma/cli/help";

  @TempDir
  private Path temp;
  private Path project;
  private Path bin;
  private final Map<String, String> environment = new HashMap<>();

  private record Ended(int status, String output) {
    boolean says(String words) {
      return output.contains(words);
    }
  }

  @BeforeEach
  void makeUpProject() throws IOException {
    project = Files.createDirectories(temp.resolve("project"));
    bin = Files.createDirectories(temp.resolve("bin"));
    Files.copy(PROJECT.resolve("rdma"), project.resolve("rdma"));
    executable(project.resolve("rdma"), Files.readString(PROJECT.resolve("rdma")));
    Path help = Files.createDirectories(project.resolve(HELP));
    try (Stream<Path> files = Files.list(PROJECT.resolve(HELP))) {
      for (Path file : files.toList()) {
        Files.copy(file, help.resolve(file.getFileName()));
      }
    }
    Files.writeString(project.resolve("pom.xml"), "<project><version>7</version></project>");
    environment.put("HOME", temp.resolve("home").toString());
    environment.put("PATH", bin + ":/usr/bin:/bin");
    // Libraries that are there, so that nothing is said of missing ones.
    for (String library : List.of("libfabric.so.1", "libibverbs.so.1", "librdmacm.so.1")) {
      Files.writeString(Files.createDirectories(temp.resolve("lib")).resolve(library), "");
    }
    environment.put("LD_LIBRARY_PATH", temp.resolve("lib").toString());
    environment.put("JAVA_HOME", jdk("jdk-25", "25.0.1").toString());
    maven("3.8.1");
  }

  /** A JDK whose java prints its arguments. */
  private Path jdk(String name, String version) throws IOException {
    Path home = temp.resolve(name);
    executable(home.resolve("bin/java"), "#!/bin/sh\necho \"java of " + name + ": $*\"");
    executable(home.resolve("bin/javac"), "#!/bin/sh");
    Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  /** A Maven that makes a jar of each module and appends how it was called to the file {@code calls}. */
  private void maven(String version) throws IOException {
    executable(bin.resolve("mvn"), """
      #!/bin/bash
      [ "$1" != -v ] || { echo "Apache Maven %s"; exit; }
      echo "mvn $*" >> "%s/calls"
      [ ! -x "%s/mvn.before" ] || "%s/mvn.before" "$@" || exit
      case " $* " in *" package "*)
        echo "[INFO] Building vertx-rdma: demos 1   [1/1]"
        for m in cli demos; do mkdir -p "%s/$m/target/lib"; echo > "%s/$m/target/$m.jar"; echo > "%s/$m/target/lib/d.jar"; done
      esac
      """.formatted(version, temp, temp, temp, project, project, project));
  }

  private static void executable(Path file, String script) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private ProcessBuilder launcher(String... arguments) {
    List<String> command = new ArrayList<>(List.of(project.resolve("rdma").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }

  private static Ended end(Process process) throws Exception {
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    return new Ended(process.exitValue(), output);
  }

  private Ended rdma(String... arguments) throws Exception {
    return end(launcher(arguments).start());
  }

  private List<String> mavenCalls() throws IOException {
    return Files.exists(temp.resolve("calls")) ? Files.readAllLines(temp.resolve("calls")) : List.of();
  }

  private static boolean isRootOnDebian() {
    return System.getProperty("user.name").equals("root") && Files.exists(Path.of("/etc/debian_version"));
  }

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
  void aJdkInTheUsualFoldersIsFound() throws Exception {
    Path jdks = temp.resolve("home/.jdks/corretto-25");
    Files.createDirectories(jdks.getParent());
    Files.move(jdk("jdk-x", "25"), jdks);
    environment.put("JAVA_HOME", "/nowhere");
    Ended ended = withoutSystemJdks("info");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says("java of jdk-x:"), ended.output());
  }

  @Test
  void withoutJdkItSaysWhatWasFoundAndWhatToInstall() throws Exception {
    environment.put("JAVA_HOME", jdk("jdk-17", "17.0.9").toString());
    Ended ended = withoutSystemJdks("info");
    assertEquals(1, ended.status());
    assertTrue(ended.says("a JDK 25 or later is needed, and none was found"), ended.output());
    assertTrue(ended.says("found: " + temp.resolve("jdk-17") + " (17)"), ended.output());
    assertTrue(ended.says("install it:"), ended.output());
  }

  @Test
  void aRuntimeWithoutCompilerIsNoJdk() throws Exception {
    Path jre = jdk("jre-25", "25");
    Files.delete(jre.resolve("bin/javac"));
    environment.put("JAVA_HOME", jre.toString());
    Ended ended = withoutSystemJdks("info");
    assertTrue(ended.says("jre-25 (25, a JRE without compiler)"), ended.output());
  }

  /** Runs it where /usr/lib/jvm is empty and no java is on the path. */
  private Ended withoutSystemJdks(String... arguments) throws Exception {
    String hide = "mount -t tmpfs none /usr/lib/jvm";
    Process test = new ProcessBuilder("unshare", "-m", "sh", "-c", hide).redirectErrorStream(true).start();
    test.getInputStream().readAllBytes();
    Assumptions.assumeTrue(!Files.exists(Path.of("/usr/lib/jvm")) || test.waitFor() == 0,
      "this machine does not let a test hide its JDKs (unshare -m)");
    List<String> command = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", hide + "; exec \"$@\"", "sh", project.resolve("rdma")
      .toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = launcher().command(command);
    return end(builder.start());
  }

  // Maven and the build

  @Test
  void buildsOnceAndAgainOnlyWhenASourceChanges() throws Exception {
    assertTrue(rdma("info").says("building"));
    assertFalse(rdma("info").says("building"));
    assertEquals(1, mavenCalls().size());
    Files.writeString(project.resolve("pom.xml"), "<project><version>8</version></project>");
    assertTrue(rdma("info").says("building"));
    Files.writeString(project.resolve("pom.xml"), "<project><version>7</version></project>");
    assertFalse(rdma("info").says("building"), "what was built from the same sources is still there");
    assertEquals(2, mavenCalls().size());
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
    assertEquals(1, mavenCalls().size(), mavenCalls().toString());
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
  void aMavenThatIsTooOldIsNotUsed() throws Exception {
    Assumptions.assumeFalse(Files.exists(Path.of("/opt/maven/bin/mvn")), "this machine has a Maven in /opt");
    maven("3.6.3");
    Ended ended = rdma("--no-install", "info");
    // Where a Maven is installed, that one is found next, and has nothing to build in this project.
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
    assertTrue(ended.says("installing libfabric1 libibverbs1 ibverbs-providers librdmacm1 with apt-get (--no-install forbids it)"),
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

  private Ended withoutLibraries(String... arguments) throws Exception {
    environment.remove("LD_LIBRARY_PATH");
    String script = Files.readString(PROJECT.resolve("rdma"));
    String folders = "/opt/amazon/efa/lib /opt/amazon/efa/lib64 /usr/local/lib /usr/local/lib64 \\\n"
      + "    /usr/lib/*-linux-* /lib/*-linux-* /usr/lib64 /lib64 /usr/lib /lib";
    assertTrue(script.contains(folders), "the folders that are searched are elsewhere in the script now");
    executable(project.resolve("rdma"), script.replace(folders, "/nowhere"));
    return rdma(arguments);
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
        String command = file.getFileName().toString().replace(".txt", "");
        Ended ended = command.equals("rdma") ? rdma("--help") : rdma(command, "--help");
        assertEquals(0, ended.status());
        assertEquals(Files.readString(file), ended.output());
        assertTrue(command.equals("rdma") || Files.readString(project.resolve(HELP + "/rdma.txt")).matches("(?s).*\n  ([a-z]+, )?"
          + command + "[ ,].*"),
          command + " is not in the list of commands");
      }
    }
  }

  @Test
  void anUnknownCommandIsRefused() throws Exception {
    Ended ended = rdma("dmeo");
    assertEquals(2, ended.status());
    assertTrue(ended.says("rdma: there is no command 'dmeo'\nUsage:"), ended.output());
  }

  @Test
  void argumentsAndTheStatusOfTheCommandPassThrough() throws Exception {
    executable(temp.resolve("jdk-25/bin/java"), "#!/bin/bash\nprintf '<%s>' \"${@: -3}\"; exit 7");
    Ended ended = rdma("demo", "a file", "--fabric", "tcp", "--verbose");
    assertEquals(7, ended.status());
    assertTrue(ended.says("<a file><--fabric><tcp>"), ended.output());
    assertTrue(ended.says("+ ") && ended.says("io.github.vertxrdma.demo.ShareDemo a\\ file"), ended.output());
  }

  // Tests

  private void reports(String... cases) throws IOException {
    Files.writeString(temp.resolve("TEST-x.xml"), "<testsuite name=\"x\">\n" + String.join("\n", cases) + "\n</testsuite>\n");
    executable(temp.resolve("mvn.before"), """
      #!/bin/bash
      case " $* " in *" verify "*)
        mkdir -p "%1$s/cli/target/surefire-reports"
        cp "%2$s/TEST-x.xml" "%1$s/cli/target/surefire-reports/"
        cat "%2$s/mvn.says" 2>/dev/null
        exit "$(cat "%2$s/mvn.status" 2>/dev/null || echo 0)"
      esac
      """.formatted(project, temp));
  }

  @Test
  void testCountsTheReportsAndNamesWhatWasSkippedAndFailed() throws Exception {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>",
      "  <testcase name=\"two\" classname=\"a.B\" time=\"0\">\n"
        + "    <skipped message=\"no &lt;device&gt; &amp; &quot;x&quot;\"/>\n  </testcase>",
      "  <testcase name=\"three\" classname=\"a.B\">\n"
        + "    <skipped type=\"T\"><![CDATA[org.opentest4j.TestAbortedException: Assumption failed: "
        + "no compiler\n"
        + "\tat x]]></skipped>\n  </testcase>",
      "  <testcase name=\"four\" classname=\"a.B\">\n"
        + "    <failure message=\"expected: &lt;1&gt;&#10;more\" type=\"T\"><![CDATA[x]]></failure>\n"
        + "    <system-out><![CDATA[<failure message=\"printed\"]]></system-out>\n  </testcase>");
    Ended ended = rdma("test");
    assertEquals(1, ended.status());
    assertTrue(ended.output().endsWith("""
      skipped: B.two — no <device> & "x"
      skipped: B.three — no compiler
      failed: B.four — expected: <1>
      Tests run: 4, Failures: 1, Skipped: 2
      1 passed, 1 failed, 2 skipped
      """), ended.output());
  }

  @Test
  void testPassesOnlyIfSomethingPassedAndNothingFailed() throws Exception {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>");
    Ended ended = rdma("test");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.output().endsWith("1 passed, 0 failed, 0 skipped\n"), ended.output());
    reports();
    assertEquals(1, rdma("test").status(), "no test ran");
  }

  @Test
  void aTestJvmThatCrashesOrHangsIsAFailure() throws Exception {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>");
    Files.writeString(temp.resolve("mvn.says"), "[ERROR] There was a timeout in the fork\n");
    Ended hung = rdma("test");
    assertEquals(1, hung.status());
    assertTrue(hung.says("failed: the tests of a module took too long"), hung.output());
    Files.writeString(temp.resolve("mvn.says"), "[ERROR] The forked VM terminated without saying properly goodbye\n");
    Files.writeString(temp.resolve("mvn.status"), "1");
    Ended crashed = rdma("test");
    assertEquals(1, crashed.status());
    assertTrue(crashed.says("1 passed, 1 failed, 0 skipped") && crashed.says("The forked VM terminated"), crashed.output());
  }

  @Test
  void testAgainstAGivenLibraryRunsTheFabricsContract() throws Exception {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>");
    Ended ended = rdma("test", "--libfabric", temp.resolve("lib/libfabric.so.1").toString());
    assertEquals(0, ended.status(), ended.output());
    assertTrue(mavenCalls().get(1).contains("-pl provider-spi/native,provider-spi/libfabric -am"), mavenCalls().toString());
    assertEquals(1, rdma("test", "--libfabric", "/nowhere").status());
  }
}
