package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class DoctorProcessTest {

  static final class Main {
    public static void main(String[] arguments) {
      System.exit(new DoctorCommand(new Machine(Path.of(arguments[0]), System.getenv()), List.of()).run(System.out));
    }
  }

  private record Ended(int status, String output) {
  }

  private static Ended run(Map<String, String> environment, List<String> before, String root) throws Exception {
    // The class path has only this project's classes, which any user may read.
    String classes = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
      .filter(entry -> entry.contains("/target/"))
      .collect(Collectors.joining(File.pathSeparator));
    List<String> command = new ArrayList<>(before);
    command.addAll(List.of(System.getProperty("java.home") + "/bin/java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
      "--enable-native-access=ALL-UNNAMED", "-cp", classes, Main.class.getName(), root));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      return new Ended(process.exitValue(), output);
    } finally {
      process.destroyForcibly();
    }
  }

  private static void assume(String... command) throws IOException, InterruptedException {
    String words = String.join(" ", command);
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      Assumptions.assumeTrue(process.waitFor() == 0, "this machine does not let a test run: " + words);
    } catch (IOException e) {
      Assumptions.abort("this machine does not have: " + command[0]);
    }
  }

  private static String line(Ended ended, String subject) {
    return ended.output().lines().filter(line -> line.contains(" " + subject + " ")).findFirst()
      .orElseThrow(() -> new AssertionError("no line about " + subject + " in:\n" + ended.output()));
  }

  @Test
  void aLowMemlockLimitIsReadFromTheProcessItself() throws Exception {
    assume("prlimit", "--memlock=65536", "true");
    Ended ended = run(Map.of(), List.of("prlimit", "--memlock=65536"), "/");
    assertTrue(line(ended, "memlock").contains("64 KiB"), ended.output());
  }

  @Test
  void wrongLibraryIsAFailure() throws Exception {
    Path other = Path.of(System.getProperty("java.home"), "lib", "libzip.so");
    Assumptions.assumeTrue(Files.exists(other), "this JDK has no libzip.so to be mistaken for libfabric");
    Ended ended = run(Map.of("VERTX_RDMA_LIBFABRIC", other.toString(), "VERTX_RDMA_VERBS", other.toString()), List.of(), "/");
    assertEquals(1, ended.status(), ended.output());
    assertTrue(line(ended, "libfabric").contains("is not a libfabric"), ended.output());
    assertTrue(line(ended, "libibverbs").contains("is not a libibverbs"), ended.output());
  }

  @Test
  void tooOldLibfabricIsAFailureOnlyIfNamed(@TempDir Path folder) throws Exception {
    Path library = folder.resolve("libfabric.so.1");
    Path source = Files.writeString(folder.resolve("version.c"), "int fi_version(void) { return 1 << 16 | 11; }\n");
    assume("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString());
    Ended found = run(Map.of("LD_LIBRARY_PATH", folder.toString(), "VERTX_RDMA_LIBFABRIC", ""), List.of(), "/");
    Ended named = run(Map.of("VERTX_RDMA_LIBFABRIC", library.toString()), List.of(), "/");
    assertTrue(line(found, "libfabric").startsWith("warning"), found.output());
    assertTrue(line(named, "libfabric").startsWith("failure"), named.output());
    assertEquals(1, named.status(), named.output());
    for (Ended ended : List.of(found, named)) {
      assertTrue(
        line(ended, "libfabric").contains("cannot use libfabric 1.11 from " + library + ": version 1.17.0 or later is needed — fix:"
          + " install libfabric 1.17.0 or later (Debian 12, Ubuntu 24.04), or set VERTX_RDMA_LIBFABRIC to the path of one"),
        ended.output());
    }
  }

  @Test
  void librariesThatAreNotInstalledAreWarningsWithTheCommandThatInstallsThem(@TempDir Path empty) throws Exception {
    Files.writeString(empty.resolve("none"), "");
    String hide = "for l in libfabric librdmacm libibverbs; do for f in /usr/lib/*-linux-gnu/$l.so.1 /usr/lib64/$l.so.1; do "
      + "[ ! -e $f ] || mount --bind " + empty + "/none $f; done; done";
    assume("unshare", "-m", "sh", "-c", hide);
    Ended ended = run(Map.of(), List.of("unshare", "-m", "sh", "-c", hide + "; exec \"$@\"", "sh"), "/");
    assertTrue(line(ended, "libfabric").startsWith("warning"), ended.output());
    assertTrue(line(ended, "libfabric").contains("fix: ") && line(ended, "libfabric").contains("install"), ended.output());
    assertTrue(line(ended, "libibverbs").startsWith("warning"), ended.output());
  }

  @Test
  void aDeviceFileThatThisUserMayNotOpenFails(@TempDir Path root) throws Exception {
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    new MadeUpMachine(root).roce("mlx5_0", "eth0").file("/proc/self/status", "Uid:\t65534\t65534\t65534\t65534");
    Files.setPosixFilePermissions(root.resolve("dev/infiniband/uverbs0"), PosixFilePermissions.fromString("rw-------"));
    List<String> nobody = new ArrayList<>();
    if (Files.isReadable(root.resolve("dev/infiniband/uverbs0")) && System.getProperty("user.name").equals("root")) {
      nobody.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
      String classes = Path.of(DoctorCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
      assume("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "ls", classes, System.getProperty("java.home"));
    } else {
      Files.setPosixFilePermissions(root.resolve("dev/infiniband/uverbs0"), PosixFilePermissions.fromString("---------"));
    }
    Ended ended = run(Map.of(), nobody, root.toString());
    assertEquals(1, ended.status(), ended.output());
    String line = line(ended, "/dev/infiniband/uverbs0");
    assertTrue(line.startsWith("failure") && line.endsWith("fix: sudo chmod 666 /dev/infiniband/uverbs0"), ended.output());
  }
}
