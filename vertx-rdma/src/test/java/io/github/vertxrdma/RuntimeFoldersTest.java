package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes of one user that see different runtime folders: that in the temporary folder, that in {@code /run/user}, or both. */
@Timeout(300)
class RuntimeFoldersTest {
  private static final int USER = 61234;
  private static final int OTHER_USER = 61235;
  private static final String GROUP = "folders";
  private static final Path MEMORY = Path.of("/dev/shm");

  private Path shared;
  private Path usual;
  private List<String> seesRun;
  private List<String> seesNoRun;

  @BeforeEach
  void makeFolders() throws Exception {
    assumeTrue(Files.isWritable(MEMORY), "SKIPPED: this user cannot write to " + MEMORY);
    shared = Files.createTempDirectory(MEMORY, "vr");
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
    seesRun = program("mount --bind " + shared.resolve("run") + " /run/user");
    seesNoRun = program("mount -t tmpfs tmpfs /run/user");
    usual = shared.resolve("tmp").resolve("vertx-rdma-" + USER);
    boolean made = folder("tmp", 0, "rwxrwxrwx") & folder("private", 0, "rwxrwxrwx") & folder("run", 0, "rwxr-xr-x")
      & folder("run/" + USER, USER, "rwx------");
    assumeTrue(made && starts(seesRun) && starts(seesNoRun),
      "SKIPPED user and namespace: root with unshare(1), setpriv(1) and /run/user");
  }

  @AfterEach
  void removeFolders() throws Exception {
    if (shared != null) {
      new ProcessBuilder("rm", "-rf", shared.toString()).inheritIO().start().waitFor();
    }
  }

  /** Returns false if this user cannot make the folder. */
  private boolean folder(String name, int owner, String mode) throws Exception {
    Path made = Files.createDirectory(shared.resolve(name));
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString(mode));
    return succeeds(List.of("chown", Integer.toString(owner), made.toString()));
  }

  private static List<String> program(String mount) {
    return List.of("unshare", "--mount", "sh", "-c", mount + " && exec \"$@\"", "sh", "env", "-u", "VERTX_RDMA_RUNTIME", "-u",
      "VERTX_RDMA_SECRET", "-u", "VERTX_RDMA_SECRET_FILE", "setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups",
      // The classes may lie in a folder that only root can read.
      "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search");
  }

  private static boolean starts(List<String> program) throws Exception {
    return succeeds(Stream.concat(program.stream(), Stream.of("true")).toList());
  }

  private static boolean succeeds(List<String> command) throws Exception {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      // There is no such program.
      return false;
    }
  }

  /** Arguments: the temporary folder, the name of a service that it serves, and names of services of others that it calls. */
  static final class Peer {
    public static void main(String[] arguments) throws Exception {
      System.setProperty("java.io.tmpdir", arguments[0]);
      Vertx vertx = Vertx.vertx();
      Rdma rdma = Rdma.create(vertx, new RdmaOptions()
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(GROUP)));
      rdma.createServer().connectHandler(connection -> connection.handler(connection::write)).listen(arguments[1])
        .onFailure(cause -> System.out.println("failed " + cause)).await(60, TimeUnit.SECONDS);
      System.out.println("serving");
      rdma.directory().onSuccess(directory -> vertx.setPeriodic(100, id -> {
        if (directory.nodes().size() > 1) {
          vertx.cancelTimer(id);
          System.out.println("sees another node");
        }
      }));
      Arrays.stream(arguments).skip(2).forEach(service -> call(vertx, rdma, service));
      System.in.read();
    }

    private static void call(Vertx vertx, Rdma rdma, String service) {
      rdma.connect(service).onFailure(cause -> {
        System.out.println("failed " + cause.getMessage());
        vertx.setTimer(200, id -> call(vertx, rdma, service));
      }).onSuccess(connection -> {
        connection.handler(echo -> System.out.println("echo of " + service + " over " + connection.fabric().device()));
        connection.write(Buffer.buffer("hello"));
      });
    }
  }

  private ChildJvm start(List<String> program, String temporary, String... services) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(shared.resolve(temporary).toString()));
    arguments.addAll(List.of(services));
    return ChildJvm.startBy(program, Peer.class, arguments.toArray(String[]::new));
  }

  private static long sockets(Path runtime) {
    return files(runtime.resolve("directory").resolve(GROUP), ".peer");
  }

  /** Returns the number of listeners of shared memory. */
  private static long listeners(Path runtime) {
    return files(runtime.resolve("shm"), "-1");
  }

  private static long files(Path folder, String end) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(end)).count();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Returns whether a process has opened a file or folder with such a path. */
  private static boolean isOpen(ChildJvm process, String path) {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
      return descriptors.anyMatch(each -> {
        try {
          return Files.readSymbolicLink(each).toString().contains(path);
        } catch (IOException e) {
          // It was closed meanwhile.
          return false;
        }
      });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void secretThatOthersMayReadIsUsedAfterItsModeIsCorrected() throws Exception {
    Path runtime = shared.resolve("run/" + USER + "/vertx-rdma");
    folder("run/" + USER + "/vertx-rdma", USER, "rwx------");
    Path secret = Files.writeString(runtime.resolve("secret"), "f".repeat(63) + 'a');
    assertTrue(succeeds(List.of("chown", Integer.toString(USER), secret.toString())));
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
    try (ChildJvm both = start(seesRun, "tmp", "both")) {
      both.await("serving");
      until("it has a secret in the other folder", () -> Files.exists(usual.resolve("secret")));
      Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
      until("both are equal", () -> text(secret).equals(text(usual.resolve("secret"))));
    }
  }

  @Test
  void anotherUserThatTakesAndFreesTheFolderSeparatesNoProcesses() throws Exception {
    folder("tmp/" + usual.getFileName(), OTHER_USER, "rwx------");
    try (ChildJvm early = start(seesRun, "tmp", "early")) {
      early.await("serving");
      Files.delete(usual);
      try (ChildJvm late = start(seesRun, "tmp", "late", "early")) {
        assertEquals("shm", late.await("echo of early over"));
      }
    }
  }

  @Test
  void processListensInFolderThatAnotherUserFrees() throws Exception {
    folder("tmp/" + usual.getFileName(), OTHER_USER, "rwx------");
    try (ChildJvm early = start(seesRun, "tmp", "early")) {
      early.await("serving");
      Files.delete(usual);
      until("it listens there", () -> sockets(usual) == 1 && listeners(usual) > 0);
      try (ChildJvm cron = start(seesNoRun, "tmp", "cron", "early"); ChildJvm caller = start(seesRun, "tmp", "caller", "early", "cron")) {
        assertEquals("shm", cron.await("echo of early over"));
        caller.await("echo of");
        caller.await("echo of");
      }
    }
  }

  @Test
  void folderThatCannotBeWrittenPreventsNothing() throws Exception {
    Path runtime = shared.resolve("run/" + USER + "/vertx-rdma");
    try (ChildJvm killed = start(seesRun, "tmp", "killed")) {
      killed.await("serving");
      until("it has written its statistics", () -> files(usual.resolve("stat"), ".stat") == 1);
      killed.kill();
      killed.waitFor();
    }
    assertTrue(succeeds(List.of("rm", "-rf", usual.resolve("directory").toString())));
    List<String> readOnly = program("mount --bind " + shared.resolve("run") + " /run/user && mount --bind " + usual + ' ' + usual
      + " && mount -o remount,bind,ro " + usual);
    try (ChildJvm reader = start(readOnly, "tmp", "reader"); ChildJvm run = start(seesRun, "private", "run", "reader")) {
      assertEquals("shm", run.await("echo of reader over"));
      until("the other folder has its statistics", () -> files(runtime.resolve("stat"), ".stat") == 1);
    }
  }

  @Test
  void statisticsMoveToTheOtherFolderAtTheEndOfTheSession() throws Exception {
    Path session = shared.resolve("run/" + USER);
    folder("tmp/" + usual.getFileName(), OTHER_USER, "rwx------");
    try (ChildJvm node = start(seesRun, "tmp", "node")) {
      node.await("serving");
      until("it has written its statistics", () -> files(session.resolve("vertx-rdma/stat"), ".stat") == 1);
      Files.delete(usual);
      Files.move(session, session.resolveSibling("unmounted"));
      until("it writes them again", () -> files(usual.resolve("stat"), ".stat") == 1);
    }
  }

  static final class Session {
    public static void main(String[] arguments) {
      System.out.println("session " + new DiscoveryOptions().sessionFolder(USER, false));
    }
  }

  /** As with ProtectHome= of a systemd unit. */
  @Test
  void folderThatIsHiddenIsNotWatched() throws Exception {
    try (ChildJvm unit = ChildJvm.startBy(program("mount -t tmpfs -o mode=000 tmpfs /run/user"), Session.class)) {
      assertEquals("null", unit.await("session"));
    }
  }

  /** As system services that see only their own temporary folders, when their user logs in. */
  @Test
  void nodesThatGainACommonFolderMeetWithoutALookUp() throws Exception {
    Files.delete(shared.resolve("run/" + USER));
    try (ChildJvm one = start(seesRun, "tmp", "one"); ChildJvm two = start(seesRun, "private", "two")) {
      one.await("serving");
      two.await("serving");
      folder("run/" + USER, USER, "rwx------");
      one.await("sees another node");
      two.await("sees another node");
    }
  }

  @Test
  void nodeOfTwoFoldersReachesNodesOfEither() throws Exception {
    try (ChildJvm run = start(seesRun, "private", "run"); ChildJvm temporary = start(seesNoRun, "tmp", "temporary")) {
      run.await("serving");
      temporary.await("serving");
      try (ChildJvm both = start(seesRun, "tmp", "both", "run", "temporary")) {
        assertTrue(both.await("echo of").endsWith("over shm"));
        assertTrue(both.await("echo of").endsWith("over shm"));
      }
      // Both folders have one secret now.
      try (ChildJvm next = start(seesRun, "private", "next", "run");
        ChildJvm caller = start(seesRun, "tmp", "caller", "next", "temporary")) {
        assertEquals("shm", next.await("echo of run over"));
        caller.await("echo of");
        caller.await("echo of");
      }
    }
  }

  @Test
  void folderOfSessionIsUsedAgainAfterItWasRemoved() throws Exception {
    Path session = shared.resolve("run/" + USER);
    Path runtime = session.resolve("vertx-rdma");
    try (ChildJvm both = start(seesRun, "tmp", "both")) {
      both.await("serving");
      until("it listens in both", () -> sockets(usual) == 1 && sockets(runtime) == 1);
      Files.delete(runtime.resolve("secret"));
      until("the second secret is restored", () -> Files.exists(runtime.resolve("secret")));
      // The end of a session: its folder is emptied, unmounted and removed.
      assertTrue(succeeds(List.of("rm", "-rf", runtime.toString())));
      until("its files are restored before that", () -> sockets(runtime) == 1 && listeners(runtime) > 0);
      assertTrue(isOpen(both, USER + "/vertx-rdma/"));
      Files.move(session, session.resolveSibling("unmounted"));
      until("none of them is open", () -> !isOpen(both, "unmounted/vertx-rdma/"));
      assertTrue(succeeds(List.of("rm", "-rf", usual.resolve("directory").toString())));
      until("the other folder is restored", () -> sockets(usual) == 1);
      assertTrue(folder("run/" + USER, USER, "rwx------"));
      until("it listens there again", () -> sockets(runtime) == 1 && listeners(runtime) > 0);
      try (ChildJvm run = start(seesRun, "private", "run", "both")) {
        assertEquals("shm", run.await("echo of both over"));
      }
    }
  }
}
