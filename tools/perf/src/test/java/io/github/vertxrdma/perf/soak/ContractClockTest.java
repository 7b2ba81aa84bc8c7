package io.github.vertxrdma.perf.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.github.vertxrdma.perf.ChildProcess;
import io.github.vertxrdma.perf.SkippedException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcLocal;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Sets the wall clock while a call is served: calls that its handler makes must still get the rest of its deadline. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "a library for LD_PRELOAD sets the clock")
class ContractClockTest {
  private static final String MARK = "@clock ";
  private static final int HOUR = 3600;
  private static final int TIMEOUT_SECONDS = 100;

  @Test
  @Tag("long")
  @Timeout(120)
  void aStepOfTheClockMovesNoDeadline(@TempDir Path folder) throws Exception {
    StepClocks clocks = clocks(folder);
    List<String> command = new ArrayList<>(clocks.of(0));
    command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED",
      "-Dvertx.rdma.runtime=" + folder.resolve("runtime"),
      "-cp", System.getProperty("java.class.path"), Serving.class.getName(), folder.resolve("directory").toString()));
    try (ChildProcess child = new ChildProcess("server and client", command, line -> line.startsWith(MARK))) {
      for (int step : new int[] {HOUR, -2 * HOUR}) {
        assertEquals("served", said(child));
        clocks.set(0, step);
        child.send("go on");
        for (String of : List.of("a call over the fabric", "a call over HTTP/2")) {
          long left = Long.parseLong(said(child));
          assertTrue(left > 0 && left <= TIMEOUT_SECONDS * 1000, of + " has " + left + " ms left of " + TIMEOUT_SECONDS + " s");
        }
      }
    }
  }

  private static StepClocks clocks(Path folder) {
    try {
      return new StepClocks(folder);
    } catch (SkippedException e) {
      return Assumptions.abort(e.getMessage());
    }
  }

  private static String said(ChildProcess child) throws InterruptedException {
    return child.answer(60).substring(MARK.length());
  }

  /** Server whose handler waits for an input line and then calls another method. Prints the remaining time of both deadlines. */
  static final class Serving {
    private static final ServiceMethod<Buffer, Buffer> OUTER = method("Outer");
    private static final ServiceMethod<Buffer, Buffer> INNER = method("Inner");

    private static ServiceMethod<Buffer, Buffer> method(String name) {
      return ServiceMethod.client(ServiceName.create("clock.Contract"), name, GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);
    }

    private static ServiceMethod<Buffer, Buffer> served(String name) {
      return ServiceMethod.server(ServiceName.create("clock.Contract"), name, GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);
    }

    public static void main(String[] arguments) throws Exception {
      Vertx vertx = Vertx.vertx();
      Rdma rdma = Rdma.create(vertx, new RdmaOptions().setFabric("nio")
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(arguments[0])));
      RdmaGrpcClient client = RdmaGrpcClient.create(rdma);
      RdmaGrpcServer server = RdmaGrpcServer.create(rdma);
      server.callHandler(served("Inner"), call -> call.last().onSuccess(v -> {
        say(call.timeout());
        call.response().end(Buffer.buffer());
      }));
      server.callHandler(served("Outer"), call -> call.last().compose(v -> {
        say("served");
        return vertx.executeBlocking(() -> IO.readln());
      }).compose(line -> call(client, INNER)).onSuccess(v -> {
        say(GrpcLocal.current().deadline().toEpochMilli() - System.currentTimeMillis());
        call.response().end(Buffer.buffer());
      }).onFailure(cause -> say(cause)));
      await(server.listen("clock"));
      while (true) {
        await(client.request(RdmaGrpcClient.address("clock"), OUTER)
          .compose(request -> request.timeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).send(Buffer.buffer())).compose(GrpcClientResponse::last));
      }
    }

    private static Future<Buffer> call(RdmaGrpcClient client, ServiceMethod<Buffer, Buffer> method) {
      return client.request(RdmaGrpcClient.address("clock"), method).compose(request -> request.send(Buffer.buffer()))
        .compose(GrpcClientResponse::last);
    }

    private static void say(Object what) {
      System.out.println(MARK + what);
    }

    private static <T> T await(Future<T> future) throws Exception {
      return future.toCompletionStage().toCompletableFuture().get(2L * TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
  }
}
