package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class NativeAccessTest {
  private static final String NOTICE = "cannot use shared memory (shm): native access is denied to this process. "
    + "Start Java with --enable-native-access=ALL-UNNAMED";

  @TempDir
  Path folder;

  private static RdmaOptions options(String folder) {
    return new RdmaOptions().setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder));
  }

  private static String ask(RdmaConnection connection) throws Exception {
    Promise<Buffer> answer = Promise.promise();
    connection.handler(answer::tryComplete);
    connection.write(Buffer.buffer("question"));
    return await(answer.future()).toString();
  }

  private List<String> runDenied(Class<?> main) throws Exception {
    return LeanStartTest.run(List.of("--illegal-native-access=deny"), main, folder.resolve("directory").toString(), "any");
  }

  @Test
  void nodesConnectOverSocketsListFabricsAndLogOneLineWhenNativeAccessIsDenied() throws Exception {
    List<String> lines = runDenied(LeanStartTest.Meeting.class);
    assertTrue(lines.contains(LeanStartTest.TOLD + "echoed over nio"), lines::toString);
    assertEquals(2, lines.stream().filter((LeanStartTest.TOLD + "nio []")::equals).count(), lines::toString);
    assertEquals(1, lines.stream().filter(line -> line.contains(NOTICE)).count(), lines::toString);
    assertEquals(1, lines.stream().filter(line -> line.contains("cannot use")).count(), lines::toString);
  }

  @Test
  void processesConnectOverSocketsBothWaysWhenOneMayNotCallNativeCode() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Rdma rdma = Rdma.create(vertx, options(folder.resolve("directory").toString()));
      await(rdma.createServer().connectHandler(connection -> connection.handler(message -> rdma.connect("denied")
        .onComplete(back -> connection.write(Buffer.buffer(back.succeeded() ? back.result().fabric().device() : back.cause().toString())))))
        .listen("allowed"));
      RdmaConnection own = await(Rdma.create(vertx, options(folder.resolve("directory").toString())).connect("allowed"));
      assertEquals("shm", own.fabric().device(), "this process may call native code");
      List<String> lines = runDenied(DeniedNode.class);
      assertTrue(lines.contains("connected over nio, and back over nio"), lines::toString);
    } finally {
      await(vertx.close());
    }
  }

  static final class DeniedNode {
    private DeniedNode() {
    }

    public static void main(String[] arguments) throws Exception {
      Vertx vertx = Vertx.vertx();
      Rdma rdma = Rdma.create(vertx, options(arguments[0]));
      await(rdma.createServer().connectHandler(connection -> {}).listen("denied"));
      RdmaConnection connection = await(rdma.connect("allowed"));
      System.out.println("connected over " + connection.fabric().device() + ", and back over " + ask(connection));
      await(vertx.close());
    }
  }
}
