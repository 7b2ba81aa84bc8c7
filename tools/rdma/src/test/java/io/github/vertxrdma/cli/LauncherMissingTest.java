package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LauncherMissingTest extends LauncherFixture {
  private static final String LIBRARIES = "libfabric1 libibverbs1 ibverbs-providers librdmacm1";
  private static final String NO_MAVEN = "rdma: Maven 3.8 or later is needed to build, and none was found.\n";
  private static final String OPTIONAL = "rdma: optional (as asked for): " + LIBRARIES + ".\n";

  @BeforeEach
  void makeUpBareMachine() throws IOException {
    executable(bin.resolve("id"), "#!/bin/sh\necho 1000");
    executable(bin.resolve("apt-cache"), "#!/bin/sh\n[ ! -e " + temp.resolve("has-java") + " ] || echo \"$2:\"");
    Files.delete(bin.resolve("mvn"));
    hideLibraries();
    Files.createDirectories(temp.resolve("lists"));
    Files.writeString(temp.resolve("lists/x_Packages"), "");
    system("ID=debian\n");
    replace("tools/rdma/launcher/packages", "< <(mavens 2>/dev/null)", "< <(printf '%s\\n' " + bin + "/mvn)");
    replace("tools/rdma/launcher/java", "< <(java_homes 2>/dev/null)", "< <(printf '%s\\n' \"$JAVA_HOME\")");
    replace("tools/rdma/launcher/packages", "/var/lib/apt/lists", temp + "/lists");
    replace("tools/rdma/launcher/packages", "/etc/os-release", temp + "/os-release");
  }

  private void system(String release) throws IOException {
    Files.writeString(temp.resolve("os-release"), release);
  }

  @Test
  void mavenAndTheLibrariesAreOneCommand() throws Exception {
    Ended ended = rdma("demo", "--install");
    assertEquals(1, ended.status());
    assertEquals(
      NO_MAVEN + OPTIONAL + "rdma: to install:\nrdma:   sudo apt-get install -y --no-install-recommends maven " + LIBRARIES + "\n",
      ended.output());
  }

  @Test
  void theJdkIsInTheSameCommandWhereTheReleaseHasIt() throws Exception {
    environment.put("JAVA_HOME", "/nowhere");
    Files.createFile(temp.resolve("has-java"));
    String output = rdma("demo", "--install").output();
    assertTrue(output.startsWith("rdma: a JDK 25 or later is needed, and none was found.\n" + NO_MAVEN + OPTIONAL + "rdma: to install:\n"
      + "rdma:   sudo apt-get install -y --no-install-recommends openjdk-25-jdk-headless maven " + LIBRARIES + "\n"), output);
    assertTrue(output.contains("JAVA_HOME=/path/to/jdk ./rdma"), output);
    Files.delete(temp.resolve("has-java"));
    output = rdma("demo", "--install").output();
    assertTrue(output.contains("rdma: this release has no package of a JDK 25; Temurin has one: https://adoptium.net/installation/linux/\n"
      + "rdma: to install the rest:\nrdma:   sudo apt-get install -y --no-install-recommends maven " + LIBRARIES + "\n"), output);
  }

  @Test
  void mavenIsNotReportedMissingWithoutAJdk() throws Exception {
    executable(bin.resolve("mvn"), "#!/bin/sh\necho 'The JAVA_HOME environment variable is not defined' >&2; exit 1");
    environment.put("JAVA_HOME", "/nowhere");
    Ended ended = rdma("install");
    assertTrue(ended.says("a JDK 25 or later is needed") && !ended.says("Maven"), ended.output());
  }

  @Test
  void whereAptHasNoListsTheyAreFetchedFirst() throws Exception {
    Files.delete(temp.resolve("lists/x_Packages"));
    assertTrue(rdma("demo", "--install")
      .says("rdma:   sudo apt-get update && sudo apt-get install -y --no-install-recommends maven " + LIBRARIES + "\n"));
  }

  @Test
  void otherSystemsHaveTheirCommand() throws Exception {
    system("ID=fedora\n");
    assertTrue(rdma("demo", "--install").says("rdma: to install:\nrdma:   sudo dnf install -y maven libfabric libibverbs librdmacm\n"));
    system("ID=\"amzn\"\nID_LIKE=\"fedora\"\n");
    Ended amazon = rdma("demo", "--install");
    assertTrue(amazon.says("rdma:   sudo dnf install -y maven && curl -fsSL https://efa-installer"), amazon.output());
    system("ID=arch\n");
    Ended other = rdma("demo", "--install");
    assertTrue(other.says("rdma:   Debian, Ubuntu:  sudo apt-get install") && other.says("rdma:   Fedora, RHEL:    sudo dnf install"),
      other.output());
  }

  @Test
  void testsOfAnOrdinaryUserRunAfterTheCommandWasPrintedOnce() throws Exception {
    maven("3.8.1");
    Ended ended = rdma("test");
    assertEquals(2, ended.output().split("apt-get install", -1).length, ended.output());
    assertTrue(ended.says("rdma: not installed: " + LIBRARIES) && ended.output().endsWith("0 passed, 0 failed, 0 skipped\n"),
      ended.output());
  }

  @Test
  void packagesThatACommandDoesNotNeedAreNotRequested() throws Exception {
    Ended install = rdma("install");
    assertTrue(install.says("apt-get install -y --no-install-recommends maven\n") && !install.says("libfabric1"), install.output());
    maven("3.8.1");
    assertEquals(0, rdma("info").status());
    Files.delete(bin.resolve("mvn"));
    Ended again = rdma("info", "--install");
    assertTrue(again.output()
      .startsWith("rdma: not installed: " + LIBRARIES + " (as asked for). Continuing without them; shared memory and Java's"
        + " sockets need none.\nrdma: to install:\nrdma:   sudo apt-get install -y --no-install-recommends " + LIBRARIES
        + "\njava of jdk-25:"),
      again.output());
    assertFalse(again.says("Maven"), again.output());
  }
}
