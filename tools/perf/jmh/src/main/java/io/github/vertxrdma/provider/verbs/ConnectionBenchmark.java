package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.nic.Nic;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Files;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Messages of 64 bytes there and back on a connection, both ends on one event loop: the whole of what stands on the provider, which {@link
 * MessageBenchmark} measures alone. An operation is one message.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class ConnectionBenchmark {
  private static final int TIMES = 1000;

  private final Semaphore done = new Semaphore(0);
  private final Buffer message = Buffer.buffer(new byte[64]);
  private Vertx vertx;
  private Context context;
  private RdmaConnection connection;
  private int left;

  @Setup
  public void open() throws Exception {
    DeviceInUserSpace.use();
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Rdma rdma = Rdma.create(vertx, new RdmaOptions().setFabric("verbs:" + Nic.DEFAULT).setDirectory(new DirectoryOptions()
      .setType(DirectoryOptions.SAME_HOST).setPath(Files.createTempDirectory("rdma-benchmark").toString())));
    context = vertx.getOrCreateContext();
    connection = Future.<RdmaConnection>future(connected -> context.runOnContext(v -> rdma.createServer()
      .connectHandler(accepted -> accepted.handler(accepted::write)).listen("echo").compose(server -> rdma.connect("echo"))
      .onComplete(connected))).await(30, TimeUnit.SECONDS);
    connection.handler(echo -> {
      if (--left > 0) {
        connection.write(message);
      } else {
        done.release();
      }
    });
  }

  @Benchmark
  @OperationsPerInvocation(2 * TIMES)
  public void message() throws InterruptedException {
    context.runOnContext(v -> {
      left = TIMES;
      connection.write(message);
    });
    done.acquire();
  }

  @TearDown
  public void close() throws Exception {
    vertx.close().await(30, TimeUnit.SECONDS);
  }
}
