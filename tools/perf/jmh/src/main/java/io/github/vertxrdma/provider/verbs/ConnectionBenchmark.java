package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
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
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures messages on a connection and reads of a remote region, both ends on one event loop. Includes all layers above the provider,
 * which {@link MessageBenchmark} measures alone. An operation is one message or one read.
 */
public class ConnectionBenchmark extends UserSpaceBenchmark {
  private final Semaphore done = new Semaphore(0);
  private final Buffer message = Buffer.buffer(new byte[SIZE]);
  private Vertx vertx;
  private Context context;
  private RdmaConnection connection;
  private RdmaConnection sink;
  private RemoteRegion region;
  private int left;
  private int missing;

  @Setup
  public void open() throws Exception {
    device();
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    String directory = Files.createTempDirectory("rdma-benchmark").toString();
    Rdma server = node(directory);
    Rdma client = node(directory);
    context = vertx.getOrCreateContext();
    connection = await(() -> server.createServer().connectHandler(accepted -> accepted.handler(accepted::write)).listen("echo")
      .compose(listening -> client.connect("echo")));
    sink = await(() -> server.createServer().connectHandler(accepted -> accepted.handler(this::arrived)).listen("sink")
      .compose(listening -> client.connect("sink")));
    region = await(() -> server.createRegion(new RegionOptions().setName("memory").setSize(1 << 16).setAccess(RegionAccess.READ))
      .compose(created -> client.openRegion("memory")));
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

  private Rdma node(String directory) {
    return Rdma.create(vertx, new RdmaOptions().setFabric("verbs:" + Nic.DEFAULT)
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(directory)));
  }

  private <T> T await(Supplier<Future<T>> made) throws Exception {
    return Future.<T>future(promise -> context.runOnContext(v -> made.get().onComplete(promise))).await(30, TimeUnit.SECONDS);
  }

  private void write() {
    missing = BURST;
    for (int i = 0; i < BURST; i++) {
      sink.write(message);
    }
  }

  private void arrived(Buffer buffer) {
    if (--missing == 0) {
      if (--left > 0) {
        write();
      } else {
        done.release();
      }
    }
  }

  @Benchmark
  @OperationsPerInvocation(BURSTS * BURST)
  public void burst() throws InterruptedException {
    context.runOnContext(v -> {
      left = BURSTS;
      write();
    });
    done.acquire();
  }

  private void readOnce() {
    region.read(0, SIZE).onComplete(read -> {
      if (read.succeeded() && --left > 0) {
        readOnce();
      } else {
        done.release();
      }
    });
  }

  @Benchmark
  @OperationsPerInvocation(TIMES)
  public void read() throws InterruptedException {
    context.runOnContext(v -> {
      left = TIMES;
      readOnce();
    });
    done.acquire();
    if (left > 0) {
      throw new IllegalStateException("a read failed");
    }
  }

  @TearDown
  public void close() throws Exception {
    vertx.close().await(30, TimeUnit.SECONDS);
  }
}
