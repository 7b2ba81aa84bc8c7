package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.internal.VertxInternal;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TransportNodeTest {
  @TempDir
  Path folder;

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();

  private TransportNode node() {
    return node("memory");
  }

  private TransportNode node(String fabric) {
    RdmaOptions options = new RdmaOptions().setFabric(fabric)
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString()));
    return new TransportNode(vertx, new TransportOptions(options, false, false), new EventBusOptions(), NioSocketChannel::new);
  }

  @Test
  void routesCompleteWhenNodeClosesBeforeItHasStarted() throws Exception {
    CompletableFuture<FabricRoutes> asked = node().routes().toCompletionStage().toCompletableFuture();
    await(vertx.close());
    try {
      assertNotNull(asked.get(20, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      assertEquals(RdmaException.Reason.CLOSED, assertInstanceOf(RdmaException.class, e.getCause()).reason(), e.getCause()::toString);
    }
  }

  @Test
  void routesFailWithTheReasonAfterClose() throws Exception {
    TransportNode node = node();
    await(node.routes());
    await(vertx.close());
    Throwable cause = assertThrows(ExecutionException.class, () -> await(node.routes())).getCause();
    assertEquals(RdmaException.Reason.CLOSED, assertInstanceOf(RdmaException.class, cause).reason());
    assertEquals("this Vert.x is being closed", cause.getMessage());
  }

  @Test
  void connectionFailsByNameWhenForcedFabricIsNotThere() throws Exception {
    TransportNode node = node("absent");
    assertThrows(ExecutionException.class, () -> await(node.node()));
    Throwable cause = assertThrows(ExecutionException.class,
      () -> await(node.find("127.0.0.1", new InetSocketAddress("127.0.0.1", 9), vertx.createEventLoopContext().nettyEventLoop())))
      .getCause();
    assertTrue(
      cause.getMessage().startsWith("cannot connect to /127.0.0.1:9 over a fabric, and fabric 'absent' is forced: RDMA did not start: "),
      cause.getMessage());
  }
}
