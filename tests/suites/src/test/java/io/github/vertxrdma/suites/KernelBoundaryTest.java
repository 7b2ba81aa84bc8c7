package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server is reached over a fabric only from where the kernel lets TCP reach it, although the other processes know its entry. */
@Tag("full")
@Timeout(180)
class KernelBoundaryTest {
  private static final int SERVER = 0;
  private static final int OTHER = 1;

  private final Networks networks = new Networks(2);
  private final List<ChildJvm> processes = new ArrayList<>();
  private Path folder;

  @AfterEach
  void stop() throws Exception {
    processes.forEach(ChildJvm::close);
    networks.close();
    if (folder != null) {
      new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start().waitFor();
    }
  }

  private ChildJvm start(int host, String does, String fabric) throws Exception {
    JsonObject config = new JsonObject().put("host", Networks.address(host)).put("directory",
      new JsonObject().put("type", "same-host").put("path", folder.resolve("directory").toString()));
    if (!fabric.equals("any")) {
      config.put("fabric", fabric);
    }
    Path file = Files.writeString(folder.resolve(does + host + ".json"), config.encode());
    ChildJvm process = ChildJvm.startBy(networks.program(host), BoundaryProcess.class, does, "vertx.rdma.config=" + file,
      "vertx.rdma.runtime=" + folder.resolve("run"), "vertx.rdma.streams=all");
    processes.add(process);
    process.await("ready");
    return process;
  }

  private static String answer(ChildJvm process, String question) throws Exception {
    process.send(question);
    return process.await("got ");
  }

  private static void assertRefused(ChildJvm process, String question) throws Exception {
    String answer = answer(process, question);
    assertTrue(answer.startsWith("failed: "), question + ": " + answer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"any", "shm", "nio"})
  void serverIsReachedOnlyFromWhereTcpReachesIt(String fabric) throws Exception {
    String missing = networks.missing();
    assumeTrue(missing == null, missing);
    networks.addLoopback(SERVER, BoundaryProcess.LINK_LOCAL_HOST);
    // Short, since names of sockets are limited.
    folder = Files.createTempDirectory("vr");
    start(SERVER, "serve", fabric);
    ChildJvm near = start(SERVER, "ask", fabric);
    ChildJvm far = start(OTHER, "ask", fabric);
    String server = Networks.address(SERVER);
    assertEquals("from 127.0.0.1", answer(near, "get 127.0.0.1 " + BoundaryProcess.LOOPBACK));
    assertEquals("from 127.0.0.1", answer(near, "rdma 127.0.0.1 " + BoundaryProcess.OF_FABRIC));
    assertEquals("from " + BoundaryProcess.LINK_LOCAL_HOST,
      answer(near, "get " + BoundaryProcess.LINK_LOCAL_HOST + ' ' + BoundaryProcess.LINK_LOCAL));
    assertEquals("from " + server, answer(near, "get " + server + ' ' + BoundaryProcess.WILDCARD));
    assertEquals("from " + Networks.address(OTHER), answer(far, "get " + server + ' ' + BoundaryProcess.WILDCARD));
    assertRefused(far, "get 127.0.0.1 " + BoundaryProcess.LOOPBACK);
    assertRefused(far, "get " + server + ' ' + BoundaryProcess.LOOPBACK);
    assertRefused(far, "get 127.0.0.1 " + BoundaryProcess.WILDCARD);
    assertRefused(far, "get " + BoundaryProcess.LINK_LOCAL_HOST + ' ' + BoundaryProcess.LINK_LOCAL);
    assertRefused(far, "rdma 127.0.0.1 " + BoundaryProcess.OF_FABRIC);
    assertRefused(far, "rdma " + server + ' ' + BoundaryProcess.OF_FABRIC);
    if (fabric.equals("any")) {
      // Otherwise, the connection uses the fabric before another node can ask for it.
      String take = "take " + answer(near, "open");
      String outcome;
      do {
        outcome = answer(near, take);
        assertTrue(outcome.equals("taken") || outcome.equals("not yet") || outcome.contains("has no connection"), outcome);
      } while (!outcome.equals("taken"));
      String refused = answer(far, take);
      assertTrue(refused.contains("has no connection"), refused);
    }
    for (ChildJvm process : List.of(near, far)) {
      assertRefused(process, "service tcp/127.0.0.1:" + BoundaryProcess.LOOPBACK);
      assertRefused(process, "service tcp/127.0.0.1:" + BoundaryProcess.OF_FABRIC);
      assertRefused(process, "service connections");
    }
  }
}
