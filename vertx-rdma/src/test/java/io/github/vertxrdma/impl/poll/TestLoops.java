package io.github.vertxrdma.impl.poll;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.transport.Transport;
import java.util.function.Consumer;
import java.util.stream.Stream;

final class TestLoops {
  static final CompletionHandler NOTHING = onBatch(batch -> {});

  private TestLoops() {
  }

  static CompletionHandler onBatch(Consumer<CompletionBatch> action) {
    return new CompletionHandler() {
      @Override
      public void completions(CompletionBatch batch) {
        action.accept(batch);
      }

      @Override
      public void turnEnd() {
      }
    };
  }

  static Stream<String> kinds() {
    return Stream.of("epoll", "nio", "io_uring", "blocking", "adaptive", "busy", "adaptive io_uring", "busy io_uring");
  }

  static boolean isStock(String kind) {
    return kind.equals("epoll") || kind.equals("nio") || kind.equals("io_uring");
  }

  /** @param kind a stock transport, or one of our poll policies over epoll or over the named transport */
  static Vertx vertx(String kind) {
    boolean stock = isStock(kind);
    Transport transport = kind.equals("nio") ? Transport.NIO : kind.endsWith("io_uring") ? Transport.IO_URING : Transport.EPOLL;
    assumeTrue(transport != null && transport.available(), kind + " needs a transport that is not available here");
    System.setProperty("vertx.rdma", stock ? "off" : "on");
    System.setProperty(PollPolicies.PROPERTY, stock ? "adaptive" : kind.replace(" io_uring", ""));
    try {
      return Vertx.builder().with(new VertxOptions().setEventLoopPoolSize(1)).withTransport(transport).build();
    } finally {
      System.clearProperty("vertx.rdma");
      System.clearProperty(PollPolicies.PROPERTY);
    }
  }

  static EventLoop loop(Vertx vertx) {
    return ((VertxInternal) vertx).createEventLoopContext().nettyEventLoop();
  }

  static CompletionPoller attachUntimed(EventLoop loop, CompletionQueue queue, CompletionHandler handler) {
    CompletionPoller poller = new CompletionPoller(loop, queue, Progress.AUTOMATIC, handler);
    poller.timer.stop();
    return join(poller.attach());
  }

  static <T> T join(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}
