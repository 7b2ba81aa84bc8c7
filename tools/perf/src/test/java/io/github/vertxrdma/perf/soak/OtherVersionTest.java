package io.github.vertxrdma.perf.soak;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.commands.Soak;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.perf.ChildProcess;
import io.github.vertxrdma.provider.contract.OtherVersion;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the soak with an earlier or a later version of the link protocol in some processes, as in a rolling upgrade. */
@Tag("long")
@EnabledOnOs(value = OS.LINUX, disabledReason = "what a process has of the system is counted in /proc")
class OtherVersionTest {
  private static final int SECONDS = 20;
  private static final int NODES = 4;

  @TempDir
  Path folder;

  @ParameterizedTest
  @CsvSource({"nio, -1", "nio, 1", "shm, -1", "shm, 1"})
  @Timeout(600)
  void worksBesideThisOne(String fabric, int newer) throws Exception {
    int highest = OtherVersion.highest() + newer;
    String said = soak(fabric, OtherVersion.ofLinks(folder, Math.min(OtherVersion.highest(), highest), highest));
    // A closing node may refuse one connection; without a common version five would be refused for each accepted one.
    assertTrue(counted(said, "connections") > 10 * counted(said, "failed with REJECTED"), said);
  }

  @Test
  @Timeout(300)
  void withoutACommonOneItIsRefusedByName() throws Exception {
    int next = OtherVersion.highest() + 1;
    String classPath = OtherVersion.ofLinks(folder, next, next) + File.pathSeparator + System.getProperty("java.class.path");
    try (ChildProcess server = new ChildProcess("server", List.of(ChildProcess.JAVA, "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp",
      classPath, Server.class.getName(), folder.toString()), line -> line.equals(Server.READY))) {
      server.answer(120);
      Vertx vertx = Vertx.vertx();
      try {
        Future<?> connecting = Rdma.create(vertx, options(folder)).connect("other");
        RdmaException why = assertThrows(RdmaException.class, () -> connecting.await(1, TimeUnit.MINUTES));
        assertTrue(
          why.getMessage()
            .endsWith("the peer has versions " + (next - 2) + " to " + (next - 1) + " of the protocol of links, and this node has"
              + " version " + next + ". Upgrade the node with the older vertx-rdma"),
          why.getMessage());
      } finally {
        vertx.close().await(1, TimeUnit.MINUTES);
      }
    }
  }

  private static int counted(String said, String what) {
    Matcher found = Pattern.compile("all: .*?([0-9]+) " + what).matcher(said);
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  private static RdmaOptions options(Path folder) {
    return new RdmaOptions().setFabric("nio")
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString()));
  }

  static final class Server {
    static final String READY = "ready";

    private Server() {
    }

    public static void main(String[] arguments) throws Exception {
      Rdma.create(Vertx.vertx(), options(Path.of(arguments[0]))).createServer().connectHandler(connection -> {}).listen("other")
        .onSuccess(listening -> System.out.println(READY)).onFailure(Throwable::printStackTrace);
      System.in.read();
      Runtime.getRuntime().halt(0);
    }
  }

  private static String soak(String fabric, Path beside) throws Exception {
    Soak soak = new Soak();
    soak.fabric = fabric;
    soak.seconds = SECONDS;
    soak.nodes = NODES;
    soak.seed = Long.getLong("soak.seed", 1);
    soak.beside = beside.toString();
    soak.check();
    return SoakTest.run(soak);
  }
}
