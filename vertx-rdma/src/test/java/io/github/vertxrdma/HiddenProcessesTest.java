package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Processes of one user with one runtime folder meet over shared memory, also if one does not see the other in /proc or has other
 * temporary files. The names of a hidden process stay its own.
 */
@Timeout(180)
class HiddenProcessesTest {
  private static final String USER = "61234";
  private static final String READS_ALL = "+dac_read_search";

  /** A folder outside of the temporary folder, which a process may have of its own. */
  private Path shared;

  @BeforeEach
  void makeFolder() throws Exception {
    assumeTrue(works(by("true", READS_ALL)), "SKIPPED user and namespace: root with unshare(1) and setpriv(1)");
    shared = Files.createTempDirectory(Path.of("/dev/shm"), "vr");
    Files.setAttribute(shared, "unix:uid", Integer.valueOf(USER));
  }

  @AfterEach
  void removeFolder() throws Exception {
    if (shared != null) {
      new ProcessBuilder("rm", "-rf", shared.toString()).inheritIO().start().waitFor();
    }
  }

  /** @param preparation executed by root in a mount namespace of the process */
  private List<String> by(String preparation, String capabilities) {
    return List.of("unshare", "--mount", "sh", "-c", preparation + " && exec \"$@\"", "sh", "env", "VERTX_RDMA_RUNTIME=" + shared,
      "setpriv",
      "--reuid=" + USER, "--regid=" + USER, "--clear-groups", "--inh-caps=" + capabilities, "--ambient-caps=" + capabilities);
  }

  private static boolean works(List<String> program) throws InterruptedException {
    List<String> command = new ArrayList<>(program);
    command.add("true");
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static RdmaOptions options() {
    return new RdmaOptions().setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup("hidden"));
  }

  static final class Owner {
    public static void main(String[] arguments) throws Exception {
      Rdma rdma = Rdma.create(Vertx.vertx(), options());
      FabricPair.await(rdma.createServer().connectHandler(connection -> connection.handler(connection::write)).listen("echo"));
      FabricPair.await(rdma.createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ)));
      System.out.println("serving");
      System.in.read();
    }
  }

  /** Argument: the process id of the owner of the service and the region. */
  static final class Visitor {
    public static void main(String[] arguments) throws Exception {
      System.out.println("owner " + (Files.exists(Path.of("/proc", arguments[0]), LinkOption.NOFOLLOW_LINKS) ? "seen" : "hidden"));
      Rdma rdma = Rdma.create(Vertx.vertx(), options());
      RdmaConnection connection = FabricPair.await(rdma.connect("echo"));
      connection.handler(echo -> System.out.println("echo " + echo));
      FabricPair.await(connection.write(Buffer.buffer("hello")));
      RemoteRegion region = FabricPair.await(rdma.openRegion("table"));
      System.out.println("fabrics " + connection.fabric().device() + ' ' + region.fabric());
      System.out.println("name " + FabricPair.await(rdma.createRegion(new RegionOptions().setName("table").setSize(4096)).map("taken")
        .otherwise("refused")));
      System.in.read();
    }
  }

  private void assertMeet(List<String> owner, List<String> visitor, String visibility) throws Exception {
    assumeTrue(works(owner) && works(visitor), () -> "SKIPPED: '" + String.join(" ", visitor) + "' is needed and fails here");
    try (ChildJvm serving = ChildJvm.startBy(owner, Owner.class)) {
      serving.await("serving");
      for (int i = 0; i < 2; i++) {
        try (ChildJvm visiting = ChildJvm.startBy(visitor, Visitor.class, Long.toString(serving.pid()))) {
          assertEquals(visibility, visiting.await("owner"));
          assertEquals("hello", visiting.await("echo"));
          assertEquals("shm shm", visiting.await("fabrics"));
          assertEquals("refused", visiting.await("name"));
        }
      }
      serving.kill();
    }
    try (ChildJvm next = ChildJvm.startBy(owner, Owner.class)) {
      next.await("serving");
      until("sockets of dead processes are removed", () -> sockets() == 1);
    }
  }

  private long sockets() {
    try (Stream<Path> sockets = Files.list(shared.resolve("directory/hidden"))) {
      return sockets.filter(socket -> socket.toString().endsWith(".peer")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(strings = {"hidepid=1", "hidepid=4"})
  void processThatProcHidesInOtherWaysSharesMemory(String option) throws Exception {
    processThatProcHidesSharesMemory(option);
  }

  /** The kernel hides a process that has a further capability from others of its user, proc(5). */
  @ParameterizedTest
  @ValueSource(strings = {"hidepid=2", "subset=pid"})
  void processThatProcHidesSharesMemory(String option) throws Exception {
    boolean stays = option.equals("hidepid=1");
    assertMeet(by("true", READS_ALL + ",+net_bind_service"), by("mount -t proc -o " + option + " proc /proc", READS_ALL),
      stays || option.equals("subset=pid") ? "seen" : "hidden");
  }

  /** A service with {@code PrivateTmp=}, {@code UMask=0077} and {@code ProtectProc=invisible}, and a shell without these. */
  @Test
  void shellAndServiceOfOneUserShareMemory() throws Exception {
    assumeFalse(Path.of("").toAbsolutePath().startsWith("/tmp"), "SKIPPED: a private /tmp would hide the classes, which are below /tmp");
    List<String> service = by("umask 077 && mount -t tmpfs tmpfs /tmp && mount -t proc -o hidepid=2 proc /proc", READS_ALL);
    List<String> shell = by("umask 022", READS_ALL);
    assertMeet(service, shell, "seen");
    assertMeet(shell, service, "seen");
  }
}
