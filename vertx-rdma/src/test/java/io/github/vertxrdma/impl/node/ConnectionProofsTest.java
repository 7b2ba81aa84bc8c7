package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.node.ConnectionProofs.Offer;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node asks for streams for its connections, and opens none of them. */
@Timeout(60)
class ConnectionProofsTest {
  private static final int MOST = 128;
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.2", 80);

  @TempDir
  Path folder;
  private final List<Vertx> open = new ArrayList<>();
  private Node asking;
  private Node asked;

  /** Connection that no byte has passed. */
  private record Silent(EventLoop loop, ConnectionPrefix prefix) implements ConnectionProofs.Accepted {
    @Override
    public String service() {
      return "a server";
    }

    @Override
    public Future<Void> asked() {
      return Future.succeededFuture();
    }

    @Override
    public boolean isMovable() {
      return true;
    }

    @Override
    public boolean stays() {
      return false;
    }

    @Override
    public void stay() {
      throw new AssertionError("the question was wrong");
    }

    @Override
    public void opened(IncomingLink link) {
      throw new AssertionError("a stream was opened");
    }
  }

  private Node start() throws Exception {
    Vertx vertx = Vertx.vertx();
    open.add(vertx);
    RdmaOptions options = new RdmaOptions().setFabric("memory").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.toString()));
    return await(SharedNode.acquire((VertxInternal) vertx, options, null).node());
  }

  @BeforeEach
  void connect() throws Exception {
    asked = start();
    asking = start();
    await(asking.control.link(asked.directory().self()));
    for (int i = 1; i <= MOST + 1; i++) {
      asked.connections().addAccepted(SERVER, client(i), new Silent(asked.context.nettyEventLoop(), new ConnectionPrefix()));
    }
    // The node listens from the first question on.
    until("a stream is promised", () -> await(ask(1), null) != null);
    for (int i = 2; i <= MOST; i++) {
      assertNotNull(await(ask(i)), "stream " + i);
    }
  }

  @AfterEach
  void close() throws Exception {
    for (Vertx each : open) {
      await(each.close());
    }
  }

  private static InetSocketAddress client(int port) {
    return new InetSocketAddress("10.0.0.1", port);
  }

  /** Returns a future of null if no stream is promised yet. */
  private Future<Offer> ask(int port) {
    return asking.connections().ask(asked.directory().self(), client(port), SERVER, new ConnectionPrefix(),
      asking.context.nettyEventLoop(), 20_000);
  }

  @Test
  void streamsThatAPeerMayOpenAreLimited() throws Exception {
    assertNull(await(ask(MOST + 1)));
  }

  @Test
  @Tag("full")
  void streamIsNotExpectedForever() {
    until("the place of another stream is free", () -> await(ask(MOST + 1), null) != null, 30_000);
  }
}
