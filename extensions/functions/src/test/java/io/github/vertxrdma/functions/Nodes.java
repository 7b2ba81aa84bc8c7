package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;

abstract class Nodes {
  static final FunctionOptions ON_LOOP = new FunctionOptions().setThreading(ThreadingModel.EVENT_LOOP);
  static final FunctionOptions IDEMPOTENT = new FunctionOptions().setIdempotent(true);

  @TempDir
  Path folder;
  private final List<Vertx> all = new ArrayList<>();
  /** Calls of "hold" that have begun, by their arguments; counting down releases them. */
  final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
  final Map<String, Invocation> begun = new ConcurrentHashMap<>();

  String fabric() {
    return "memory";
  }

  static final class Node {
    final Vertx vertx;
    final Rdma rdma;
    FunctionServer manager;

    Node(Vertx vertx, Rdma rdma) {
      this.vertx = vertx;
      this.rdma = rdma;
    }
  }

  RdmaOptions options() {
    return new RdmaOptions().setFabric(fabric())
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString()));
  }

  Vertx vertx() {
    return Vertx.vertx();
  }

  Node node() throws Exception {
    Vertx vertx = vertx();
    all.add(vertx);
    Rdma rdma = Rdma.create(vertx, options());
    try {
      await(rdma.directory());
    } catch (ExecutionException e) {
      Assumptions.assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == RdmaException.Reason.UNSUPPORTED,
        e.getCause().getMessage());
      throw e;
    }
    return new Node(vertx, rdma);
  }

  Node manager(FunctionServerOptions options) throws Exception {
    Node node = node();
    node.manager = FunctionServer.create(node.rdma, options.setLoadProviders(false));
    register(node.manager);
    await(node.manager.listen());
    return node;
  }

  void register(FunctionRegistry registry) {
    registry.register("echo", ON_LOOP, RemoteFunction.of(arguments -> arguments));
    registry.register("reverse", RemoteFunction.of(arguments -> {
      byte[] bytes = arguments.getBytes();
      for (int i = 0, j = bytes.length - 1; i < j; i++, j--) {
        byte b = bytes[i];
        bytes[i] = bytes[j];
        bytes[j] = b;
      }
      return Buffer.buffer(bytes);
    }));
    registry.register("zeros", ON_LOOP, RemoteFunction.of(length -> Buffer.buffer(new byte[length.getInt(0)])));
    registry.register("fail", RemoteFunction.of(words -> {
      throw new IllegalStateException(words.toString());
    }));
    registry.register("thread", ON_LOOP, invocation -> Future.succeededFuture(Buffer.buffer(Thread.currentThread().getName())));
    registry.register("own-thread", invocation -> Future.succeededFuture(Buffer.buffer(Thread.currentThread().getName())));
    registry.register("hold", this::hold);
    registry.register("hold-idempotent", IDEMPOTENT, this::hold);
    registry.register("never", ON_LOOP, invocation -> {
      begun.put(invocation.arguments().toString(), invocation);
      return Promise.<Buffer>promise().future();
    });
  }

  private Future<Buffer> hold(Invocation invocation) throws InterruptedException {
    String name = invocation.arguments().toString();
    begun.put(name, invocation);
    CountDownLatch latch = held.computeIfAbsent(name, n -> new CountDownLatch(1));
    while (!invocation.isCancelled() && !latch.await(1, TimeUnit.MILLISECONDS)) {
      Thread.onSpinWait();
    }
    return Future.succeededFuture(Buffer.buffer("let go"));
  }

  void letGo(String name) {
    held.computeIfAbsent(name, n -> new CountDownLatch(1)).countDown();
  }

  FunctionClient invoker(Node node, LeaseOptions lease) throws Exception {
    FunctionClient invoker = FunctionClient.create(node.rdma);
    await(invoker.lease(lease));
    return invoker;
  }

  static void close(Node node) throws Exception {
    await(node.vertx.close());
  }

  @AfterEach
  void closeAll() throws Exception {
    for (Vertx vertx : all) {
      await(vertx.close());
    }
  }

  static <T> T await(Future<T> future) throws Exception {
    return await(future, 60);
  }

  static <T> T await(Future<T> future, long seconds) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
  }

  static FunctionException failure(Future<?> future) {
    Throwable cause = assertThrows(ExecutionException.class, () -> await(future)).getCause();
    return assertInstanceOf(FunctionException.class, cause, cause.toString());
  }

  static void assertFails(Reason reason, String words, Future<?> future) {
    FunctionException failure = failure(future);
    assertEquals(reason, failure.reason(), failure.getMessage());
    assertTrue(failure.getMessage().contains(words), failure.getMessage());
  }

  static void until(String what, BooleanSupplier condition) {
    until(what, 20, condition);
  }

  static void until(String what, long seconds, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("waited in vain until " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
