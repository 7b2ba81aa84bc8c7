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
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

  private String runDenied(Class<?> main) throws Exception {
    Process child = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC",
      "--illegal-native-access=deny", "-cp", System.getProperty("java.class.path"), main.getName(), folder.resolve("directory").toString())
      .redirectErrorStream(true).start();
    try {
      String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, child.waitFor(), output);
      return output;
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  void nodesConnectOverSocketsListFabricsAndLogOneLineWhenNativeAccessIsDenied() throws Exception {
    String output = runDenied(TwoNodes.class);
    assertTrue(output.contains("connected over nio: question"), output);
    assertEquals(2, output.lines().filter("fabrics with nio: true"::equals).count(), output);
    assertEquals(1, output.lines().filter(line -> line.contains(NOTICE)).count(), output);
    assertEquals(1, output.lines().filter(line -> line.contains("cannot use")).count(), output);
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
      String output = runDenied(DeniedNode.class);
      assertTrue(output.contains("connected over nio, and back over nio"), output);
    } finally {
      await(vertx.close());
    }
  }

  static final class TwoNodes {
    private TwoNodes() {
    }

    /** @param arguments the folder of the directory */
    public static void main(String[] arguments) throws Exception {
      Vertx one = Vertx.vertx();
      Vertx other = Vertx.vertx();
      await(Rdma.create(one, options(arguments[0])).createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
      Rdma rdma = Rdma.create(other, options(arguments[0]));
      RdmaConnection connection = await(rdma.connect("echo"));
      System.out.println("connected over " + connection.fabric().device() + ": " + ask(connection));
      for (int i = 0; i < 2; i++) {
        System.out.println("fabrics with nio: " + await(rdma.fabrics()).stream().anyMatch(fabric -> fabric.device().equals("nio")));
      }
      await(other.close());
      await(one.close());
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
