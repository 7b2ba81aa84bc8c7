package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.Device;
import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Vert.x assigns event loops in turn. A node must not change which of them servers and verticles share. */
class NodeLoopsTest {
  private static final int LOOPS = 6;

  @TempDir
  Path folder;

  @Test
  @Timeout(60)
  void aNodeTakesOneTurnOfTheEventLoopsAndTakesItAtOnce() throws Exception {
    VertxInternal vertx = (VertxInternal) Vertx.vertx(new VertxOptions().setEventLoopPoolSize(LOOPS));
    try {
      List<EventLoop> turns = Stream.generate(() -> next(vertx)).limit(LOOPS).toList();
      var starting = Node.start(vertx, new RdmaOptions().setFabric("nio").setDirectory(new DirectoryOptions()
        .setType(DirectoryOptions.SAME_HOST).setPath(folder.toString())), null);
      assertSame(turns.get(1), next(vertx));
      Node node = Await.await(starting);
      assertSame(turns.get(2), next(vertx));
      Await.await(node.close());
    } finally {
      Await.await(vertx.close());
    }
  }

  /** A failure of a device or a handler ends the queue of a loop. */
  @Test
  @Timeout(60)
  void aLoopWhoseQueueEndedIsReplaced() throws Exception {
    VertxInternal vertx = (VertxInternal) Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    try {
      Node node = Await.await(Node.start(vertx, new RdmaOptions().setFabric("nio").setDirectory(new DirectoryOptions()
        .setType(DirectoryOptions.SAME_HOST).setPath(folder.toString())), null));
      ContextInternal context = vertx.createEventLoopContext();
      Device device = node.devices.ranked().getFirst();
      LoopService first = Await.await(node.loops.loop(context, device));
      assertSame(first, Await.await(node.loops.loop(context, device)));
      first.loop.eventLoop().submit(() -> first.loop.failed(new IllegalStateException("the queue ended"))).get(20, TimeUnit.SECONDS);
      LoopService second = Await.await(node.loops.loop(context, device));
      assertNotSame(first, second);
      assertSame(second, Await.await(node.loops.loop(context, device)));
      Await.await(node.close());
    } finally {
      Await.await(vertx.close());
    }
  }

  private static EventLoop next(VertxInternal vertx) {
    return vertx.createEventLoopContext().nettyEventLoop();
  }
}
