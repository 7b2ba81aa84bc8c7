package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("full")
class LauncherTestCommandTest extends LauncherFixture {

  private void reports(String... cases) throws IOException {
    Files.writeString(temp.resolve("TEST-x.xml"), "<testsuite name=\"x\">\n" + String.join("\n", cases) + "\n</testsuite>\n");
    executable(temp.resolve("mvn.before"), """
      #!/bin/bash
      case " $* " in *" dependency:build-classpath "*)
        mkdir -p "%1$s/tools/rdma/target/test-reports/x"
        cp "%2$s/TEST-x.xml" "%1$s/tools/rdma/target/test-reports/x/"
        cat "%2$s/mvn.says" 2>/dev/null
        exit "$(cat "%2$s/mvn.status" 2>/dev/null || echo 0)"
      esac
      """.formatted(project, temp));
  }

  @Test
  void reportsAreCountedWithATableOfSkipReasonsAndTheFailures() throws Exception {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>",
      "  <testcase name=\"two\" classname=\"a.B\" time=\"0\">\n"
        + "    <skipped message=\"no &lt;device&gt; &amp; &quot;x&quot;\"/>\n  </testcase>",
      "  <testcase name=\"three\" classname=\"a.B\">\n"
        + "    <skipped type=\"T\"><![CDATA[org.opentest4j.TestAbortedException: Assumption failed: "
        + "no compiler\n"
        + "\tat x]]></skipped>\n  </testcase>",
      "<testcase name=\"five\" classname=\"a.B\" time=\"0\">\n<skipped><![CDATA[no compiler]]></skipped>\n</testcase>",
      "  <testcase name=\"four\" classname=\"a.B\">\n"
        + "    <failure message=\"expected: &lt;1&gt;&#10;more\" type=\"T\"><![CDATA[x]]></failure>\n"
        + "    <system-out><![CDATA[<failure message=\"printed\"]]></system-out>\n  </testcase>");
    Ended ended = rdma("test");
    assertEquals(1, ended.status());
    Path skips = project.resolve("target/rdma/skipped.log");
    assertTrue(ended.output().endsWith("""
      Skipped tests by reason; %s names each:
            2  no compiler (B)
            1  no <device> & "x" (B)

      a.B.four
          x

      failed: B.four — expected: <1> … more
      Tests run: 5, Failures: 1, Skipped: 3
      1 passed, 1 failed, 3 skipped
      """.formatted(skips)), ended.output());
    assertEquals(List.of("no <device> & \"x\"\tB.two", "no compiler\tB.five", "no compiler\tB.three"), Files.readAllLines(skips));
  }

  @Test
  void aReasonOfManyClassesNamesThreeOfThem() throws Exception {
    reports(Stream.concat(Stream.of("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>"), IntStream.rangeClosed(1, 5).mapToObj(
      i -> "  <testcase name=\"x\" classname=\"a.C" + i + "[1]\" time=\"0\">\n    <skipped message=\"no device\"/>\n  </testcase>"))
      .toArray(String[]::new));
    Ended ended = rdma("test");
    assertTrue(ended.says("\n      5  no device (C1, C2, C3 and 2 more)\n"), ended.output());
  }

  @Test
  void eachExtentHasItsTestsAndItsParts() throws Exception {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>");
    executable(project.resolve("tests/soft-rdma/contract"), "#!/bin/sh\necho \"given $*\"\necho '7 passed, 0 failed, 0 skipped'\n");
    executable(project.resolve("tests/compose/run"), "#!/bin/sh\necho '3 passed, 0 failed, 0 skipped'\n");
    Ended ended = rdma("test");
    assertTrue(ended.says("1  ./rdma test --full runs it in an emulated machine (verbs on siw and rxe)\n"), ended.output());
    assertTrue(ended.output().endsWith("\n1 passed, 0 failed, 2 skipped\n"), ended.output());
    assertTrue(ended.says("/tests/queue/Queue.java ") && ended.says(" exclude=full,long seed="), ended.output());
    Ended fast = rdma("test", "--fast");
    assertTrue(fast.output().endsWith("\n1 passed, 0 failed, 2 skipped\n"), fast.output());
    assertTrue(mavenCalls().getLast().contains(",vertx-rdma,tests/queue -am ") && fast.says("|ShmContract|"), fast.output());
    Ended full = rdma("test", "--full", "--verbose");
    assertTrue(full.says("given --short --time 420") && full.output().endsWith("\n8 passed, 0 failed, 1 skipped\n"), full.output());
    assertTrue(full.says(" exclude=long -Dvertx.rdma.test.full=true seed="), full.output());
    Ended all = rdma("test", "--all");
    assertTrue(all.output().endsWith("\n14 passed, 0 failed, 0 skipped\n"), all.output());
    assertTrue(all.says(" -Dvertx.rdma.test.full=true -Dvertx.rdma.test.all=true seed=") && !all.says("exclude="), all.output());
  }

  private void git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "-C", project.toString(), "-c", "user.name=a", "-c", "user.email=a@b"));
    command.addAll(List.of(arguments));
    Process git = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(git.getInputStream().readAllBytes());
    assertEquals(0, git.waitFor(), output);
  }

  @Test
  void changedRunsFullTestsOfChangedModulesAndOfThoseThatUseThem() throws Exception {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>");
    StringBuilder classPaths = new StringBuilder();
    for (String module : List.of("a", "b", "c")) {
      Path tests = Files.createDirectories(project.resolve(module + "/src/test/java/x"));
      Files.writeString(tests.resolve(module.toUpperCase(Locale.ROOT) + "Test.java"), "@Tag(\"full\")");
      Files.writeString(tests.resolve("Default" + module + "Test.java"), "");
      Files.createDirectories(project.resolve(module + "/target"));
      classPaths.append("echo ").append(module.equals("b") ? project + "/a/target/a.jar" : "").append(" > \"").append(project).append('/')
        .append(module).append("/target/test.classpath\"\n");
    }
    Files.writeString(temp.resolve("mvn.before"), Files.readString(temp.resolve("mvn.before")).replace("#!/bin/bash\n",
      "#!/bin/bash\n" + classPaths));
    Files.writeString(project.resolve("tests/times.tsv"), "x.BTest\t1000000\t1\n");
    Files.writeString(project.resolve(".gitignore"), "target\n");
    git("init", "-q");
    git("add", "-A");
    git("commit", "-q", "-m", "a");
    Process head = new ProcessBuilder("git", "-C", project.toString(), "rev-parse", "HEAD").start();
    String commit = new String(head.getInputStream().readAllBytes()).strip();
    Files.writeString(project.resolve("tests/full.txt"), commit + " 2026-01-01 1 passed, 0 skipped\n");
    Files.createDirectories(project.resolve("a/src/main/java"));
    Files.writeString(project.resolve("a/src/main/java/A.java"), "");
    git("add", "-A");
    git("commit", "-q", "-m", "b");
    Ended ended = rdma("test", "--changed");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says(" exclude=full,long seed=") && ended.says(" name=-changed test=x.ATest include=full exclude=long "),
      ended.output());
    assertEquals("x.BTest\n", Files.readString(project.resolve("target/rdma/tests/left-out.log")));
    Files.writeString(project.resolve("tests/full.txt"), "0123456789 2026-01-01 1 passed, 0 skipped\n");
    Ended old = rdma("test", "--changed");
    assertEquals(1, old.status(), old.output());
    assertTrue(old.says("failed: the full run — is an unknown number of commits old"), old.output());
  }

  @Test
  void aFailureIsShownWithTheHeadAndTheEndOfItsWordsAndTheHeadOfItsStack() throws Exception {
    String words = IntStream.rangeClosed(1, 70).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());
    String stack = "\tat a.b.C(C.java:1)\n".repeat(50) + "Caused by: D: the reason\n" + "\tat a.b.D(D.java:2)\n".repeat(11);
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>",
      "  <testcase name=\"two\" classname=\"a.B\">\n    <failure message=\"40 keys were put:&#10;a&#10;&#10; ==&gt; expected:"
        + " &lt;0&gt;&#10;\" type=\"T\">"
        + "<![CDATA[E: 40 keys were put:\na\n\n ==> expected: <0>\n\n" + stack + "]]></failure>\n"
        + "    <system-out><![CDATA[printed]]></system-out>\n  </testcase>",
      "  <testcase name=\"three\" classname=\"a.B\">\n    <error type=\"T\"><![CDATA[E\n" + words + "\tat here]]></error>\n  </testcase>");
    Ended ended = rdma("test");
    assertTrue(ended.says("\na.B.two\n    E: 40 keys were put:\n    a\n     ==> expected: <0>\n    \tat a.b.C(C.java:1)\n"),
      ended.output());
    assertTrue(ended.says("    Caused by: D: the reason\n" + "    \tat a.b.D(D.java:2)\n".repeat(10)
      + "    … and 36 lines more in target/test-reports of its module\n\na.B.three\n    E\n    line 1\n"),
      ended.output());
    assertTrue(ended.says("\n    line 9\n    …\n    line 21\n") && ended.says("\n    line 70\n    \tat here\n    … and 11 lines more"),
      ended.output());
    assertTrue(ended.says("\n\nfailed: B.two — 40 keys were put: … ==> expected: <0>\nfailed: B.three\nTests run: 3"), ended.output());
    assertFalse(ended.says("printed"), ended.output());
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
  void failedBuildIsAFailureAndRunsNoTest() throws Exception {
    reports();
    Files.writeString(temp.resolve("mvn.says"), "[ERROR] A.java:[1,2] ';' expected\n");
    Files.writeString(temp.resolve("mvn.status"), "1");
    Ended ended = rdma("test");
    assertEquals(1, ended.status());
    assertTrue(ended.says("\n0 passed, 1 failed, ") && ended.says("failed: the build — status 1: [ERROR] A.java:[1,2] ';' expected"),
      ended.output());
    assertFalse(ended.says("Queue.java"), ended.output());
  }

  private void verbs(int status, String lastLines) throws IOException {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>");
    executable(project.resolve("tests/soft-rdma/contract"), "#!/bin/sh\ncat <<'END'\n" + lastLines + "\nEND\nexit " + status + "\n");
  }

  @Test
  void verbsCountsToo() throws Exception {
    verbs(1, "ok   A (3 ms)\nskipped siw b: no atomics\nfailed siw c:\n\tat x\nfailed siw c\n7 passed, 1 failed, 1 skipped");
    Ended ended = rdma("test", "--all");
    assertEquals(1, ended.status());
    assertTrue(ended.output().endsWith("""
            1  no atomics (verbs: siw b)
      failed: verbs: siw c
      Tests run: 10, Failures: 1, Skipped: 1
      8 passed, 1 failed, 1 skipped
      """), ended.output());
  }

  @Test
  void aMachineThatCannotBeMadeIsANamedSkip() throws Exception {
    verbs(125, "soft-rdma: missing Debian packages; run: apt-get install qemu-system-x86");
    Ended ended = rdma("test", "--all");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.output().endsWith("""
            1  soft-rdma: missing Debian packages; run: apt-get install qemu-system-x86 (verbs on siw and rxe)
      Tests run: 2, Failures: 0, Skipped: 1
      1 passed, 0 failed, 1 skipped
      """), ended.output());
  }

  @Test
  void machineTooSlowForTheFullRunIsANamedSkip() throws Exception {
    verbs(124, "ok   A verbs:siw0 b (3 ms)\nsoft-rdma: stopped after the limit of 420 s");
    Ended ended = rdma("test", "--full");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says("1  stopped after its time, because the emulated machine is too slow here (verbs on siw and rxe)\n"),
      ended.output());
  }

  @Test
  void failuresBeforeTheTimeLimitCount() throws Exception {
    verbs(124, "ok   A verbs:siw0 b (3 ms)\nFAIL A verbs:siw0 c (3 ms)\nsoft-rdma: stopped after the limit of 420 s");
    Ended ended = rdma("test", "--full");
    assertEquals(1, ended.status(), ended.output());
    assertTrue(ended.says("failed: verbs: A verbs:siw0 c") && ended.says("1 failed, 1 skipped"), ended.output());
  }

  @Test
  void aMachineThatEndsWithoutResultIsAFailure() throws Exception {
    verbs(124, "time is up");
    Ended ended = rdma("test", "--verbs");
    assertEquals(1, ended.status());
    assertTrue(ended.says("failed: verbs on siw and rxe — ended with status 124 without a result"), ended.output());
    assertEquals(1, mavenCalls().size(), "of the command line alone: " + mavenCalls());
  }

  @Test
  void testAgainstAGivenLibraryRunsTheFabricsContract() throws Exception {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>");
    Ended ended = rdma("test", "--libfabric", temp.resolve("lib/libfabric.so.1").toString());
    assertEquals(0, ended.status(), ended.output());
    assertTrue(mavenCalls().getLast().contains("-pl provider-spi/native,provider-spi/libfabric,tests/queue -am"), mavenCalls().toString());
    assertEquals(2, rdma("test", "--libfabric", "/nowhere").status());
  }

  @Test
  void presentLibraryVersionsAreTestedAndOthersAreNamed() throws Exception {
    reports("  <testcase name=\"one\" classname=\"a.B\" time=\"0\"/>");
    executable(project.resolve("tests/versions/run"), Files.readString(PROJECT.resolve("tests/versions/run")));
    executable(bin.resolve("dpkg-query"), "#!/bin/sh\ncase \"$*\" in *libfabric1) printf 1.17.0-3 ;; *) printf 56.1-1 ;; esac\n");
    executable(bin.resolve("ldconfig"),
      "#!/bin/sh\necho '\tlibfabric.so.1 (libc6,x86-64) => %s'\n".formatted(temp.resolve("lib/libfabric.so.1")));
    Path built = Files.createDirectories(temp.resolve("home/.cache/vertx-rdma/libfabric-2.6.0/lib"));
    Files.writeString(built.resolve("libfabric.so.1"), "");
    Ended ended = rdma("test", "--versions");
    assertEquals(0, ended.status(), ended.output());
    for (String here : List.of("libfabric 1.17", "libfabric 2.6", "rdma-core 56")) {
      assertTrue(Pattern.compile("ok   " + here + " +1 passed, 0 failed, 0 skipped: ").matcher(ended.output()).find(), ended.output());
    }
    assertTrue(ended.says("skipped libfabric 2.1: not installed, and no libfabric-2.1.N.tar.bz2"), ended.output());
    assertTrue(ended.says("skipped rdma-core 44: the system has 56.1-1, and there is no rdma-core-44.N.tar.gz of "), ended.output());
    assertTrue(ended.output().endsWith("3 passed, 0 failed, 2 skipped\n"), ended.output());
    assertTrue(mavenCalls().getLast().contains("-pl provider-spi/native,provider-spi/verbs,testing/nic,tests/queue -am"),
      mavenCalls().toString());
    reports("  <testcase name=\"one\" classname=\"a.B\">\n    <failure message=\"no\" type=\"T\">no</failure>\n  </testcase>");
    Ended failed = rdma("test", "--versions");
    assertEquals(1, failed.status());
    assertTrue(failed.says("failed libfabric 2.6: B.one — no\n"), failed.output());
  }
}
