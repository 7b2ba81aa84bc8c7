package io.github.vertxrdma.environments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two nodes meet in limited surroundings, or their failure names a remedy. */
@Timeout(300)
@Tag("full")
class SurroundingsTest {
  private static final String NO_SPACE = "No space left on device";
  private static final String[] USER = {"setpriv", "--reuid=61234", "--regid=61234", "--clear-groups", "--inh-caps=+dac_read_search",
    "--ambient-caps=+dac_read_search"};

  @TempDir
  Path folder;

  private ApplicationRun application() throws IOException {
    return new ApplicationRun(folder, null).options("{}");
  }

  private static Map<String, String> assertMeets(String fabric, ApplicationRun application) throws Exception {
    Map<String, String> lines = application.run("meet");
    assertEquals(fabric, lines.get("fabric"), application.output());
    return lines;
  }

  private static void assertWorkerStarts(ApplicationRun application) throws Exception {
    assertEquals("in another process", application.options("{\"fabric\": \"nio\"}").run("cold").get("function"), application.output());
  }

  /** Runs the application in a mount namespace, in which the shell may mount file systems. */
  private static ApplicationRun mounting(ApplicationRun application, String commands) throws Exception {
    assumeTrue(ApplicationRun.succeeds("unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /mnt"), "root with unshare(1)");
    return application.by("unshare", "--mount", "sh", "-c", commands + " && exec \"$@\"", "sh");
  }

  /** Runs the application with the usual runtime folder alone, without that of a session. */
  private ApplicationRun withTemporary(String path) throws Exception {
    ApplicationRun application = application().runtime(null).jvm("-Djava.io.tmpdir=" + path);
    return Files.exists(Path.of("/run/user", Files.getAttribute(folder, "unix:uid").toString()))
      ? mounting(application, "mount -t tmpfs tmpfs /run/user") : application;
  }

  /** Runs the application as a user without an entry in passwd. */
  private static ApplicationRun asUser(ApplicationRun application) throws Exception {
    assumeTrue(ApplicationRun.succeeds(Stream.concat(Stream.of(USER), Stream.of("true")).toArray(String[]::new)), "root with setpriv(1)");
    return application.by("sh", "-c", "chown 61234 . && exec \"$@\"", "sh").by(USER);
  }

  @Test
  void relativeTemporaryFolderWithBlanks() throws Exception {
    ApplicationRun application = withTemporary("a b");
    Files.createDirectories(application.folder().resolve("a b"));
    assertMeets("shm", application);
  }

  /** Paths of Unix sockets cannot be so long, so processes use sockets of the network. */
  @Test
  void longTemporaryFolder() throws Exception {
    Path temporary = Files.createDirectories(folder.resolve("x".repeat(120)));
    Map<String, String> lines = assertMeets("nio", withTemporary(temporary.toString()));
    assertTrue(lines.get("missing").contains("is too long: with a name, a path of a socket may have at most 107 bytes. To correct "
      + "it, name another runtime folder"),
      lines.toString());
    assertWorkerStarts(withTemporary(temporary.toString()));
  }

  @Test
  void pathThatTheLocaleCannotEncodeIsNamed() throws Exception {
    String failure = application().runtime(null)
      .by("sh", "-c", "exec env LC_ALL=C VERTX_RDMA_RUNTIME=\"$PWD/$(printf '\\303\\274')\" \"$@\"", "sh").failure("meet");
    assertTrue(failure.contains("of VERTX_RDMA_RUNTIME") && failure.contains("LC_ALL=C.UTF-8"), failure);
  }

  /** As with {@code RestrictAddressFamilies=AF_INET AF_INET6} of systemd. Processes of one host meet by Unix sockets. */
  @Test
  void refusedSocketsOfTheHostAreNamed() throws Exception {
    ApplicationRun application = application().jvm("-Dexample.refused=AF_UNIX", "-Dexample.errno=97");
    String failure = application.failure("meet");
    assertTrue(failure.contains(" for other processes of this host: Address family not supported by protocol. Permit sockets of AF_UNIX"
      + " (RestrictAddressFamilies= of a systemd unit)."), failure);
    assertFalse(failure.contains("VERTX_RDMA_RUNTIME"), failure);
  }

  /** Event loops of epoll have such a timer, those of NIO have none. */
  @Test
  void refusedTimersAreNamed() throws Exception {
    ApplicationRun application = application().jvm("-Dexample.refused=timerfd_create", "-Dexample.errno=38", "-Dexample.native=false");
    Map<String, String> lines = application.run("meet");
    assertEquals("nio", lines.get("fabric"), application.output());
    assertTrue(lines.get("missing").contains("permit epoll_create1, timerfd_create and eventfd"), application.output());
    assertTrue(application.output().contains("Permit timerfd_create in the seccomp profile of the container"), application.output());
  }

  /** As on file systems without hard links. */
  @Test
  void hardLinksAreRefused() throws Exception {
    assertMeets("shm", application().jvm("-Dexample.refused=link", "-Dexample.errno=1"));
  }

  @Test
  void withoutProcAndHome() throws Exception {
    ApplicationRun application = mounting(application(), "mount -t tmpfs tmpfs /proc");
    // Java usually finds its libraries by /proc.
    application.by("env", "-u", "HOME", "LD_LIBRARY_PATH=" + Path.of(System.getProperty("java.home"), "lib"));
    assertMeets("shm", asUser(application));
  }

  @Test
  void closedStandardStreams() throws Exception {
    String[] closed = {"sh", "-c", "exec \"$@\" <&- 2>&-", "sh"};
    assertMeets("shm", application().by(closed));
    assertWorkerStarts(application().by(closed));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--memlock=0:0", "--as=2500000000", "--fsize=65536", "--nofile=256:256"})
  void limits(String limit) throws Exception {
    assertMeets("shm", application().jvm("-XX:ReservedCodeCacheSize=32m", "-XX:CompressedClassSpaceSize=64m").by("prlimit", limit));
  }

  @Test
  void tooFewDescriptorsAreNamed() throws Exception {
    // One jar with an open descriptor: each class of a folder needs one more.
    Path jar = FatJar.shaded(folder.resolve("application.jar"), PackedMain.class, FatJar.classPath());
    ApplicationRun application = new ApplicationRun(folder, jar).options("{}").by("prlimit", "--nofile=52:52");
    String failure = application.failure("meet");
    assertFalse(application.output().contains("jars of Netty"), application.output());
    assertTrue(failure.contains("Too many open files") && failure.contains("'ulimit -n'"), application.output());
  }

  /**
   * As with {@code TasksMax=} of systemd and {@code --pids-limit} of containers. Java itself needs about ten threads, so the numbers end
   * the start of the node at different threads.
   */
  @ParameterizedTest
  @ValueSource(ints = {16, 19, 22, 25})
  void tooFewThreadsOfTheControlGroupAreNamed(int threads) throws Exception {
    inControlGroup(threads, application -> {
      String failure = application.failure("meet");
      assertTrue(failure.contains("'ulimit -u', TasksMax= of a systemd unit or --pids-limit of a container"), application.output());
    });
  }

  @Test
  void enoughThreadsOfTheControlGroup() throws Exception {
    inControlGroup(100, application -> assertMeets("shm", application));
  }

  /**
   * A worker's process counts too. With no thread free its server starts none, and with a few its Java cannot start.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 9, 14})
  void callsFailWithTheRemedyWhenNoThreadIsFree(int free) throws Exception {
    inControlGroup(100, application -> {
      Map<String, String> lines = application.jvm("-Dexample.free=" + free).run("threads");
      for (String call : List.of("fabrics", "share", "open", "lease")) {
        // A thread may be idle.
        assertTrue(lines.get(call).equals("works")
          || lines.get(call).contains("'ulimit -u', TasksMax= of a systemd unit or --pids-limit of a container"),
          call + ": " + application.output());
      }
      assertEquals("works", lines.get("health"), application.output());
      assertTrue(Integer.parseInt(lines.get("seconds")) < 40, application.output());
      assertEquals("works", lines.get("later"), application.output());
    });
  }

  private interface Check {
    void accept(ApplicationRun application) throws Exception;
  }

  /** Runs an application in a control group of version 1 or 2 with {@code pids.max}. */
  private void inControlGroup(int threads, Check check) throws Exception {
    Path version1 = Path.of("/sys/fs/cgroup/pids");
    Path group = (Files.exists(version1) ? version1 : version1.getParent())
      .resolve("vertx-rdma-" + ProcessHandle.current().pid() + "-" + threads);
    assumeTrue(ApplicationRun.succeeds("mkdir", group.toString()), "root, and a file system of control groups that can be written");
    try {
      Path limit = group.resolve("pids.max");
      assumeTrue(Files.exists(limit), "a control group with pids.max");
      Files.writeString(limit, Integer.toString(threads));
      check.accept(application().by("sh", "-c",
        "echo $$ > " + group + "/cgroup.procs && exec \"$@\"", "sh"));
    } finally {
      ApplicationRun.succeeds("rmdir", group.toString());
    }
  }

  @Test
  void umaskThatTakesTheRightsOfTheUserIsNamed() throws Exception {
    ApplicationRun application = asUser(application()).by("sh", "-c", "umask 0777 && exec \"$@\"", "sh");
    String failure = application.failure("meet");
    assertTrue(failure.contains("the umask of this process removes its user's own rights on the files") && failure.contains("UMask="),
      failure);
    assertTrue(application.output().contains("set a umask that does not remove this user's own rights") || application.output()
      .contains("Set a umask that does not remove this user's own rights"), application.output());
  }

  @Test
  void smallSharedMemoryOfPosix() throws Exception {
    assertMeets("shm", mounting(application(), "mount -t tmpfs -o size=64k tmpfs /dev/shm"));
  }

  @Test
  void fullTemporaryFolderIsNamed() throws Exception {
    ApplicationRun application = withTemporary("full");
    Files.createDirectory(application.folder().resolve("full"));
    String failure = mounting(application, "mount -t tmpfs -o size=4k tmpfs full && head -c 4096 /dev/zero > full/file").failure("meet");
    assertTrue(failure.contains(NO_SPACE + ". Make room there, or name a folder elsewhere with VERTX_RDMA_RUNTIME"), failure);
    assertTrue(application.output().contains(NO_SPACE + ". Make room there, or set -Dio.netty.native.workdir="), application.output());
  }

  /** As in a jlink image that was made for Vert.x alone. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fewModules(boolean epoll) throws Exception {
    assertMeets("shm",
      application().jvm("--limit-modules", "java.base,java.logging,java.naming", "-Dio.netty.transport.noNative=" + !epoll));
  }

  @Test
  void otherCollectorAndNoSharedClasses() throws Exception {
    assertMeets("shm", application().jvm("-XX:+UseZGC", "-Xshare:off"));
  }

  @Test
  void twoClassLoadersOfOneProcess() throws Exception {
    ApplicationRun application = application();
    assertEquals("shm", application.run("loaders").get("fabric"), application.output());
  }

  @Test
  void noNetworkInterface() throws Exception {
    assumeTrue(ApplicationRun.succeeds("unshare", "--net", "true"), "root with unshare(1)");
    assertMeets("shm", application().by("unshare", "--net"));
  }

  @Test
  void preferenceForAddressesThatAreDisabled() throws Exception {
    assumeTrue(ApplicationRun.succeeds("unshare", "--net", "ip", "link", "set", "lo", "up"), "root with unshare(1) and ip(8)");
    assertMeets("shm", application().jvm("-Djava.net.preferIPv6Addresses=true").by("unshare", "--net", "sh", "-c",
      "ip link set lo up && echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; exec \"$@\"", "sh"));
  }

  /** The server's log has the lines of worker processes too, however small its files are. */
  @Test
  void logThatIsRotated() throws Exception {
    ApplicationRun application = application();
    Path settings = Files.writeString(application.folder().resolve("logging.properties"), String.join("\n",
      "handlers = java.util.logging.FileHandler", "java.util.logging.FileHandler.pattern = log.%g",
      "java.util.logging.FileHandler.limit = 1",
      "java.util.logging.FileHandler.count = 50", "java.util.logging.FileHandler.formatter = java.util.logging.SimpleFormatter"));
    assertWorkerStarts(application.jvm("-Djava.util.logging.config.file=" + settings));
    StringBuilder all = new StringBuilder();
    int files = 0;
    for (Path file; Files.exists(file = application.folder().resolve("log." + files)); files++) {
      all.append(Files.readString(file));
    }
    assertTrue(files > 2, files + " files");
    assertTrue(all.toString().contains("INFO: vertx-rdma ") && all.toString().contains("INFO: Worker process "
      + "functions/"), all.toString());
  }

  @Test
  void firstProcessOfAContainer() throws Exception {
    String[] container = {"unshare", "--pid", "--fork", "--mount-proc", "--kill-child"};
    assumeTrue(ApplicationRun.succeeds(Stream.concat(Stream.of(container), Stream.of("true")).toArray(String[]::new)),
      "root with unshare(1)");
    assertWorkerStarts(application().by(container));
  }

  /** Sets the clock by hours and a year while leases, connections and directory entries last. */
  @Test
  void stepsOfTheClock() throws Exception {
    Path source = folder.resolve("stepped-clock.c");
    try (InputStream text = SurroundingsTest.class.getResourceAsStream("/stepped-clock.c")) {
      Files.copy(text, source);
    }
    Path library = folder.resolve("clock.so");
    assumeTrue(ApplicationRun.succeeds("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString()), "a C compiler");
    Path clock = Files.write(folder.resolve("clock"), new byte[Long.BYTES]);
    ApplicationRun application = application().environment("STEPPED_CLOCK", clock.toString()).environment("LD_PRELOAD", library.toString());
    Map<String, String> lines = application.run("clock");
    assertEquals("1\n-2\n8784\n-8784\n0", lines.get("hours"), application.output());
    assertEquals("works\n".repeat(5).strip(), lines.get("connect"), application.output());
    assertEquals("works\n".repeat(5).strip(), lines.get("call"), application.output());
    assertEquals("[]\n".repeat(5).strip(), lines.get("health"), application.output());
  }
}
