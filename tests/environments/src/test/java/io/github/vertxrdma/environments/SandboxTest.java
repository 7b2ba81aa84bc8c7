package io.github.vertxrdma.environments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs an application with a worker process under conditions of systems and containers. */
@Timeout(600)
@Tag("full")
class SandboxTest {
  private static final String OPTIONS = "{\"fabric\": \"nio\"}";
  private static final String JVM_OPTIONS = "JAVA_TOOL_OPTIONS";

  @TempDir
  Path folder;

  private ApplicationRun application() throws IOException {
    return new ApplicationRun(folder, null).options(OPTIONS);
  }

  private static void assertWorks(ApplicationRun application) throws Exception {
    assertEquals("in another process", application.run("cold").get("function"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"000", "077"})
  void umask(String mask) throws Exception {
    assertWorks(application().by("sh", "-c", "umask " + mask + "; exec \"$@\"", "sh"));
  }

  @Test
  void languageWithOtherLowerCaseLettersAndNoLocale() throws Exception {
    assertWorks(application().environment("LC_ALL", "C").environment(JVM_OPTIONS,
      "-Duser.language=tr -Duser.country=TR -Duser.timezone=Asia/Kathmandu"));
  }

  /** The worker process then connects to a port instead of a Unix socket. */
  @Test
  void temporaryFolderThatCannotBeWritten() throws Exception {
    assertWorks(
      application().environment(JVM_OPTIONS, "-Djava.io.tmpdir=/proc -Dvertx.disableFileCPResolving=true -Dvertx.disableFileCaching=true"));
  }

  @Test
  void temporaryFolderWithoutTheRightToExecute() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    String[] namespace = {"unshare", "--mount", "sh", "-c", "mount -t tmpfs -o noexec tmpfs " + temporary + " && exec \"$@\"", "sh"};
    Assumptions.assumeTrue(
      ApplicationRun.succeeds(namespace[0], namespace[1], namespace[2], namespace[3], namespace[4], namespace[5], "true"),
      "root with unshare(1)");
    assertWorks(application().by(namespace).environment(JVM_OPTIONS, "-Djava.io.tmpdir=" + temporary));
  }

  /** As with {@code DynamicUser=} of systemd and {@code runAsUser} of Kubernetes. */
  @Test
  void userWithoutAnEntryInPasswd() throws Exception {
    ApplicationRun application = application();
    String[] user = {"setpriv", "--reuid=61234", "--regid=61234", "--clear-groups", "--inh-caps=+dac_read_search",
      "--ambient-caps=+dac_read_search"};
    Assumptions.assumeTrue(ApplicationRun.succeeds(Stream.concat(Stream.of(user), Stream.of("true")).toArray(String[]::new)),
      "root with setpriv(1)");
    assertWorks(application.by("sh", "-c", "chown -R 61234 " + application.folder() + " && exec \"$@\"", "sh").by(user));
  }

  /** As with {@code ProtectSystem=strict} and {@code readOnlyRootFilesystem}, and folders that allow no execution. */
  @Test
  void readOnlyRootWithFoldersThatAllowNoExecution() throws Exception {
    ApplicationRun application = application();
    Path temporary = Files.createDirectory(application.folder().resolve("temporary"));
    Path runtime = Files.createDirectory(application.folder().resolve("run"));
    String mounts = Stream.of(temporary, runtime).map(each -> "mount -t tmpfs -o noexec,mode=700 tmpfs " + each)
      .collect(Collectors.joining(" && "));
    String[] namespace = {"unshare", "--mount", "sh", "-c", mounts + " && mount -o remount,bind,ro / && exec \"$@\"", "sh"};
    Assumptions.assumeTrue(ApplicationRun.succeeds(Stream.concat(Stream.of(namespace), Stream.of("true")).toArray(String[]::new)),
      "root with unshare(1), and a root file system that can be mounted anew");
    assertWorks(application.by(namespace).environment(JVM_OPTIONS, "-Djava.io.tmpdir=" + temporary));
  }

  /** {@code MemoryDenyWriteExecute=} of systemd: the JVM's compiler needs executable memory. */
  @Test
  void memoryThatMayNotBecomeExecutableEndsJavaItself() throws Exception {
    String[] denied = {"python3", "-c", """
      import ctypes, os, sys
      PR_SET_MDWE = 65
      if ctypes.CDLL(None).prctl(PR_SET_MDWE, 1, 0, 0, 0) != 0: sys.exit(9)
      os.execvp(sys.argv[1], sys.argv[1:])
      """};
    Assumptions.assumeTrue(ApplicationRun.succeeds(Stream.concat(Stream.of(denied), Stream.of("true")).toArray(String[]::new)),
      "python3, and a kernel with PR_SET_MDWE");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    assertFalse(ApplicationRun.succeeds(Stream.concat(Stream.of(denied), Stream.of(java, "-version")).toArray(String[]::new)),
      "Java starts: run the application so");
  }
}
