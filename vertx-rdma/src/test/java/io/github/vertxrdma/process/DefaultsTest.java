package io.github.vertxrdma.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.examples.Echo;
import io.github.vertxrdma.examples.Table;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class DefaultsTest {

  @TempDir
  Path folder;
  private Path runtime;

  @BeforeEach
  void makeFolder() {
    runtime = folder.resolve("runtime");
  }

  private ChildJvm stock(String port, String... properties) throws IOException {
    String[] arguments = new String[properties.length + 2];
    arguments[0] = port;
    arguments[1] = "vertx.rdma.runtime=" + runtime;
    System.arraycopy(properties, 0, arguments, 2, properties.length);
    return ChildJvm.start(StockProcess.class, arguments);
  }

  /** Starts an example with a runtime folder of its own, so that it finds no process of another test. */
  private ChildJvm example(Class<?> main, String... arguments) throws IOException {
    return ChildJvm.startBy(List.of("env", RuntimeFolder.VARIABLE + '=' + runtime), main, arguments);
  }

  @Test
  void theFirstExamplesRun() throws Exception {
    try (ChildJvm server = example(Echo.class, "serve")) {
      server.await("serves");
      try (ChildJvm client = example(Echo.class)) {
        client.await("you said hello");
      }
    }
    try (ChildJvm owner = example(Table.class, "share")) {
      owner.await("shares");
      try (ChildJvm visitor = example(Table.class)) {
        visitor.await("reads a row");
      }
    }
  }

  @Test
  void stockServersAndClientsTakeTheFabric() throws Exception {
    try (ChildJvm server = stock("-", "vertx.rdma.streams=all")) {
      server.await(StockProcess.LOGGED + "vertx-rdma ");
      String port = server.await(StockProcess.SERVES);
      String answer = ask(port);
      assertTrue(answer.startsWith("hello with fabric: 1 channels connected"), answer);
    }
  }

  private String ask(String port) throws Exception {
    try (ChildJvm client = stock(port, "vertx.rdma.streams=all")) {
      return client.await(StockProcess.ANSWER);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void serverOfAnotherGroupIsReportedOnceByClient(boolean started) throws Exception {
    try (ChildJvm server = stock("-", "vertx.rdma.streams=all", "vertx.rdma.group=others")) {
      String port = server.await(StockProcess.SERVES);
      try (ChildJvm client = stock(port, "vertx.rdma.streams=all", StockProcess.STARTED + '=' + started)) {
        String warning = client.await(StockProcess.WARNED + "Connections to 127.0.0.1:" + port + " use TCP: ");
        assertEquals("the server there is in group 'others', and not in the same-host directory "
          + runtime.resolve("directory") + ", group '"
          + StockProcess.class.getName() + "'. Give both nodes the same group, by DirectoryOptions or -Dvertx.rdma.group=others",
          warning);
      }
    }
  }

  @Test
  void withoutEpollForcedFabricFailsTheStartAndPreferredOneIsAWarning() throws Exception {
    try (ChildJvm forced = stock("-", "vertx.rdma.streams=all", "vertx.rdma.fabric=shm", "io.netty.transport.noNative=true");
      ChildJvm preferred = stock("-", "vertx.rdma.streams=all", "io.netty.transport.noNative=true");
      ChildJvm unconcerned = stock("-", "vertx.rdma.fabric=shm", "io.netty.transport.noNative=true")) {
      String why = "Netty's epoll transport is not available: -Dio.netty.transport.noNative=true disables Netty's native libraries. "
        + "Remove"
        + " that option";
      assertEquals("cannot start with fabric 'shm' forced, since the event bus, servers and clients would stay on TCP: " + why,
        forced.await(StockProcess.NOT_STARTED));
      assertEquals(why, preferred.await(StockProcess.WARNED + "TCP serves the event bus, servers and clients: "));
      preferred.await(StockProcess.SERVES);
      unconcerned.await(StockProcess.SERVES);
    }
  }

  /** Docker mounts a tmpfs so by default, and hardened hosts their /tmp. */
  @Test
  void noexecTemporaryFolderFailsTheStartOfForcedFabricByName() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    String mount = "mount -t tmpfs -o noexec tmpfs " + temporary;
    assumeTrue(new ProcessBuilder("unshare", "-m", "sh", "-c", mount).start().waitFor() == 0,
      "SKIPPED noexec folders: only root can mount one, by unshare(1)");
    List<String> program = List.of("unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", "sh");
    String[] arguments = {"-", "vertx.rdma.runtime=" + runtime, "vertx.rdma.streams=all", "java.io.tmpdir=" + temporary,
      "vertx.disableFileCPResolving=true", "vertx.rdma.fabric=shm"};
    try (ChildJvm forced = ChildJvm.startBy(program, StockProcess.class, arguments);
      ChildJvm preferred = ChildJvm.startBy(program, StockProcess.class, Arrays.copyOf(arguments, arguments.length - 1))) {
      String why = "Netty's epoll transport is not available: the temporary folder " + temporary
        + " is mounted noexec, so Netty cannot load"
        + " its native library from it. Mount it with exec (Docker: --tmpfs " + temporary
        + ":exec), or set -Dio.netty.native.workdir=FOLDER";
      String failed = forced.await(StockProcess.NOT_STARTED + "cannot start with fabric 'shm' forced, since ");
      assertTrue(failed.contains(why), failed);
      String warned = preferred.await(StockProcess.WARNED + "TCP serves the event bus, servers and clients: ");
      assertTrue(warned.startsWith(why), warned);
      preferred.await(StockProcess.SERVES);
    }
  }

  @Test
  void aStockVertxOpensNoFile() throws Exception {
    try (ChildJvm server = stock("-")) {
      String port = server.await(StockProcess.SERVES);
      try (ChildJvm client = stock(port)) {
        assertTrue(client.await(StockProcess.ANSWER).startsWith("hello with fabric: 0 channels connected"));
        assertFalse(Files.exists(runtime));
        assertFalse(server.hasPrinted(StockProcess.LOGGED));
        assertFalse(client.hasPrinted(StockProcess.LOGGED));
      }
    }
  }
}
