package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LauncherPackagesTest extends LauncherFixture {

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
  void failedInstallationIsNotRepeatedEachTime() throws Exception {
    Assumptions.assumeTrue(isRootOnDebian(), "installing is for root on Debian and Ubuntu");
    executable(bin.resolve("apt-get"), "#!/bin/sh\necho \"$1\" >> " + temp.resolve("apt") + "; exit 100");
    Ended ended = withoutLibraries("info");
    assertTrue(ended.says("apt-get could not install"), ended.output());
    assertTrue(ended.says("java of jdk-25"), ended.output());
    Files.delete(temp.resolve("apt"));
    assertTrue(withoutLibraries("info").says("java of jdk-25"));
    assertFalse(Files.exists(temp.resolve("apt")), "apt-get was called again");
  }

  @Test
  void failedInstallationIsRepeatedLater() throws Exception {
    Assumptions.assumeTrue(isRootOnDebian(), "installing is for root on Debian and Ubuntu");
    executable(bin.resolve("apt-get"), "#!/bin/sh\necho \"$1\" >> " + temp.resolve("apt") + "; exit 100");
    withoutLibraries("info");
    assertTrue(withoutLibraries("info").says("apt-get could not install them recently; the next attempt is in an hour. See "
      + project.resolve("target/rdma/apt.log")));
    Files.delete(temp.resolve("apt"));
    Files.setLastModifiedTime(project.resolve("target/rdma/native-refused"), FileTime.from(Instant.now().minus(2, ChronoUnit.HOURS)));
    assertTrue(withoutLibraries("info").says("installing libfabric1"));
    assertTrue(Files.exists(temp.resolve("apt")), "apt-get was not called again");
  }

  @Test
  void oneProcessInstallsAtATime() throws Exception {
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
    assertTrue(refused.says("libfabric-dev (for --against c). Continuing without them"), refused.output());
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
}
