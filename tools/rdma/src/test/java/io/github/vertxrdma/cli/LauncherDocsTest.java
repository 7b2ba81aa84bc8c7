package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LauncherDocsTest extends LauncherFixture {

  @BeforeEach
  void makeUpSite() throws IOException {
    Path site = Files.createDirectories(project.resolve("tools/site"));
    Files.writeString(site.resolve("pom.xml"), "<project/>");
    Files.writeString(site.resolve("Site.java"), "");
    asciidoctor("mkdir -p \"" + project + "/tools/site/target/lib.new\"");
  }

  private void asciidoctor(String fetch) throws IOException {
    executable(temp.resolve("mvn.before"), """
      #!/bin/bash
      case " $* " in
        *" dependency:copy-dependencies "*) %s ;;
        *" dependency:build-classpath "*) mkdir -p "%s/tools/rdma/target/test-reports/x"
          echo '  <testcase name="one" classname="a.B" time="0"/>' > "$_/TEST-x.xml"
      esac
      """.formatted(fetch, project));
  }

  @Test
  void asciidoctorIsFetchedOnceAndTheSiteMadeEachTime() throws Exception {
    Ended first = rdma("docs");
    assertEquals(0, first.status(), first.output());
    assertTrue(
      first.says("fetching Asciidoctor") && first.says("tools/site/target/lib/* " + project + "/tools/site/Site.java " + project + "/docs "
        + project + "/target/site 7\n"),
      first.output());
    assertFalse(rdma("docs").says("fetching"));
    assertEquals(2, mavenCalls().size(), mavenCalls().toString());
  }

  @Test
  void failedDownloadHasItsOwnStatus() throws Exception {
    asciidoctor("echo '[ERROR] Could not transfer artifact x -> [Help 1]'; exit 1");
    Ended ended = rdma("docs");
    assertEquals(125, ended.status());
    assertTrue(ended.says("Could not transfer artifact x\nrdma: Asciidoctor could not be fetched"), ended.output());
    Ended tests = rdma("test", "--all");
    assertEquals(0, tests.status(), tests.output());
    assertTrue(tests.says("  1  rdma: Asciidoctor could not be fetched"), tests.output());
  }

  @Test
  void theLongFormDoesNotWaitForItselfThoughASourceHasChangedMeanwhile() throws Exception {
    Path flock = Path.of("/usr/bin/flock");
    Assumptions.assumeTrue(Files.exists(flock), "without flock nobody waits");
    Path source = Files.createDirectories(project.resolve(COMMANDS)).resolve("X.java");
    Files.writeString(temp.resolve("mvn.before"),
      "case \" $* \" in *' dependency:build-classpath '*) echo changed > \"" + source + "\" ;; esac\n",
      StandardOpenOption.APPEND);
    // This flock fails instead of waiting.
    executable(bin.resolve("flock"), "#!/bin/sh\n[ \"$*\" != 9 ] || exit 1\nexec " + flock + " \"$@\"");
    Ended ended = rdma("test", "--all");
    assertTrue(ended.status() == 0 && ended.output().endsWith("\n2 passed, 0 failed, 0 skipped\n"), ended.output());
    assertEquals(2, mavenCalls().stream().filter(call -> call.contains(" dependency:copy ")).count(), mavenCalls().toString());
  }

  @Test
  void theLongFormCountsTheSite() throws Exception {
    assertTrue(rdma("test").output().endsWith("\n1 passed, 0 failed, 0 skipped\n"));
    assertTrue(rdma("test", "--all").output().endsWith("\n2 passed, 0 failed, 0 skipped\n"));
    executable(temp.resolve("jdk-25/bin/java"), "#!/bin/sh\necho 'rdma docs: x.adoc:3: a warning' >&2; exit 1");
    Ended ended = rdma("test", "--all");
    assertEquals(1, ended.status());
    assertTrue(ended.says("failed: the site of the docs — rdma docs: x.adoc:3: a warning\n"), ended.output());
  }
}
