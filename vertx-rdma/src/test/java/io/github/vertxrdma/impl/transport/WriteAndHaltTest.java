package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class WriteAndHaltTest {
  private static final int[] SIZES = {100, 20_000, 60_000, 1 << 20};

  @TempDir
  Path folder;
  private Vertx vertx;
  private StackSettings settings;

  @BeforeEach
  void open() {
    System.setProperty(TransportOptions.STREAMS, "all");
  }

  @AfterEach
  void close() throws Exception {
    if (vertx != null) {
      await(vertx.close());
    }
    if (settings != null) {
      settings.close();
    }
    Nic.withdraw();
  }

  @Test
  void completedWriteOverSharedMemoryArrives() throws Exception {
    JsonObject settings = new JsonObject().put("runtime", folder.resolve("run").toString());
    checkCompletedWritesArrive(StackSettings.options(folder, "shm").setSettings(settings), List.of());
  }

  @Test
  @Tag("full")
  void completedWriteOverJavaSocketsArrives() throws Exception {
    checkCompletedWritesArrive(StackSettings.options(folder, "nio"), List.of());
  }

  /** The completion of a send comes from the adapter of the peer over RoCE, and from this host's over iWARP. */
  @ParameterizedTest
  @Tag("full")
  @CsvSource({"mlx5, verbs-rocev2", "iwarp, verbs-iwarp"})
  void completedWriteOverAdapterArrives(String device, String fabric) throws Exception {
    Nic nic = Nic.built();
    assumeTrue(nic.missing() == null, nic.missing());
    nic.provide(device);
    checkCompletedWritesArrive(StackSettings.options(folder, fabric).setSettings(new JsonObject().put("verbs.device", device)),
      List.of("env", "VERTX_RDMA_VERBS=" + nic.verbs(), "VERTX_RDMA_RDMACM=" + nic.cm(), Nic.PERSONALITIES + "=" + device));
  }

  private void checkCompletedWritesArrive(RdmaOptions options, List<String> program) throws Exception {
    settings = new StackSettings(folder, options);
    vertx = Vertx.vertx();
    long channels = TransportCounters.PROCESS.channels();
    for (int size : SIZES) {
      Promise<Buffer> read = Promise.promise();
      NetServer server = await(vertx.createNetServer().connectHandler(socket -> {
        Buffer all = Buffer.buffer();
        socket.handler(all::appendBuffer).exceptionHandler(cause -> {
        }).closeHandler(v -> read.complete(all));
      }).listen(0, "127.0.0.1"));
      List<String> arguments = List.of(folder.toString(), options.toJson().encode(), String.valueOf(server.actualPort()),
        String.valueOf(size));
      try (ChildJvm writer = program.isEmpty() ? ChildJvm.start(Writer.class, arguments.toArray(String[]::new))
        : ChildJvm.startBy(program, Writer.class, arguments.toArray(String[]::new))) {
        assertEquals(Writer.HALTED, writer.waitFor());
        Buffer bytes = await(read.future());
        assertEquals(size, bytes.length());
        assertEquals(Writer.bytes(size), bytes);
      }
      await(server.close());
    }
    assertEquals(channels + SIZES.length, TransportCounters.PROCESS.channels(), "connections took TCP");
  }

  /** The other process. Arguments: the folder of the test, options, the port, bytes to write. */
  static final class Writer {
    static final int HALTED = 7;
    private static NetClient client;

    private Writer() {
    }

    static Buffer bytes(int size) {
      Buffer bytes = Buffer.buffer(size);
      for (int i = 0; i < size; i++) {
        bytes.appendByte((byte) (i + (i >> 8) * 31));
      }
      return bytes;
    }

    public static void main(String[] arguments) {
      try {
        write(arguments);
      } catch (Exception e) {
        e.printStackTrace();
        Runtime.getRuntime().halt(1);
      }
    }

    private static void write(String[] arguments) throws Exception {
      RdmaOptions options = new RdmaOptions(new JsonObject(arguments[1]));
      new StackSettings(Path.of(arguments[0]), options);
      System.setProperty(TransportOptions.STREAMS, "all");
      Vertx vertx = Vertx.vertx();
      int port = Integer.parseInt(arguments[2]);
      StackSettings.awaitServer(vertx, options, port);
      client = vertx.createNetClient();
      NetSocket socket = await(client.connect(port, "127.0.0.1"));
      socket.write(bytes(Integer.parseInt(arguments[3]))).onSuccess(v -> Runtime.getRuntime().halt(HALTED)).onFailure(cause -> {
        cause.printStackTrace();
        Runtime.getRuntime().halt(1);
      });
    }
  }
}
