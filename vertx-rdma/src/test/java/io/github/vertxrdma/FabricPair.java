package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Two Vert.x instances of one process, one fabric between them, in memory by default, and the same-host directory. */
@ExtendWith({VerbsInUserSpace.class, AdaptersByLibfabric.class})
abstract class FabricPair {
  /** The case {@code memory-rdm} with its endpoints on one event loop, which all other loops use. */
  static final String ONE_RDM_LOOP = "memory-rdm on one loop";

  @Parameter
  String over = "memory";
  @TempDir
  Path folder;
  Vertx serverVertx;
  Vertx clientVertx;
  Rdma server;
  Rdma client;
  /** Whether this machine has the fabric. Without it the test is skipped, but its cleanup runs. */
  boolean isHere;

  String fabric() {
    return over.equals(ONE_RDM_LOOP) ? "memory-rdm" : over;
  }

  List<String> devices() {
    return List.of(fabric());
  }

  RdmaOptions options() {
    RdmaOptions options = new RdmaOptions().setFabric(fabric())
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString()));
    if (Await.PATIENCE_MILLIS > Await.DEFAULT_PATIENCE_MILLIS) {
      // On a slow machine the usual limits would end healthy peers.
      options.setConnectTimeout(Duration.ofMillis(Await.PATIENCE_MILLIS)).setCloseTimeout(Duration.ofMillis(Await.PATIENCE_MILLIS))
        .setDeadTimeout(Duration.ofMillis(Await.PATIENCE_MILLIS));
    }
    if (over.equals(ONE_RDM_LOOP)) {
      options.setMaxRdmLoops(1);
    }
    return MemoryVariants.options(fabric(), options);
  }

  VertxOptions vertxOptions() {
    return new VertxOptions();
  }

  Vertx vertx() {
    return Vertx.vertx(vertxOptions());
  }

  @BeforeEach
  void start() throws Exception {
    serverVertx = vertx();
    clientVertx = vertx();
    server = Rdma.create(serverVertx, options());
    client = Rdma.create(clientVertx, options());
    try {
      await(server.directory());
    } catch (ExecutionException e) {
      Assumptions.assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == Reason.UNSUPPORTED,
        e.getCause().getMessage());
      throw e;
    }
    isHere = true;
  }

  @AfterEach
  void stop() throws Exception {
    await(clientVertx.close());
    await(serverVertx.close());
  }

  /** Lets a node serve a service that returns each message. */
  static RdmaServer echo(Rdma rdma, String name) throws Exception {
    return await(rdma.createServer().connectHandler(connection -> connection.handler(connection::write)).listen(name));
  }

  static void assertEchoes(RdmaConnection connection, Buffer message) throws Exception {
    Promise<Buffer> echoed = Promise.promise();
    connection.handler(echoed::tryComplete);
    await(connection.write(message));
    assertEquals(message, await(echoed.future()));
  }

  static NodeStatistics statistics(Rdma rdma) {
    return result(rdma.statistics());
  }

  /** Returns the result of a future, where no checked exception may be thrown. */
  static <T> T result(Future<T> future) {
    try {
      return await(future);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(Math.max(30_000, Await.PATIENCE_MILLIS), TimeUnit.MILLISECONDS);
  }

  static Reason reason(Future<?> future) {
    Throwable cause = assertThrows(ExecutionException.class, () -> await(future)).getCause();
    return assertInstanceOf(RdmaException.class, cause, cause.toString()).reason();
  }
}
