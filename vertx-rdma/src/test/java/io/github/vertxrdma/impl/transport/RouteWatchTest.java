package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.Ways;
import io.github.vertxrdma.impl.transport.FabricRoutes.Target;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RouteWatchTest {
  private static final String SERVER = "10.0.0.2";
  private static final int PORT = 9000;
  private static final NodeEntry SELF = node("self", 1, "10.0.0.1");
  private static final ByteStream STREAM = (ByteStream) Proxy.newProxyInstance(RouteWatchTest.class.getClassLoader(),
    new Class<?>[] {ByteStream.class}, (proxy, method, arguments) -> null);

  private final EventLoop loop = new DefaultEventLoop();
  private final AtomicLong time = new AtomicLong();
  /** Nanoseconds that pass after a failure was reported. */
  private volatile long elapsing;
  private final AtomicInteger questions = new AtomicInteger();
  private volatile long epoch;
  private final FabricRoutes routes = new FabricRoutes(directory(), new ClusterMembers(null),
    new TransportOptions(new RdmaOptions(), true, false), (peer, addresses) -> null, new Ways(System::nanoTime), absent -> {},
    time::get);
  private final Promise<FabricRoutes> starting = Promise.promise();
  private final List<Promise<ByteStream>> attempts = new CopyOnWriteArrayList<>();
  private final List<Route.Fabric> servers = new CopyOnWriteArrayList<>();
  private final RouteWatch<ByteStream> dialer = new RouteWatch<>(starting.future(),
    new Target(SERVER, InetAddress.ofLiteral(SERVER), PORT, false, 0), loop, true, (known, route) -> {
      if (!(route instanceof Route.Fabric server)) {
        return null;
      }
      Promise<ByteStream> attempt = Promise.promise();
      servers.add(server);
      attempts.add(attempt);
      return attempt.future().onFailure(cause -> {
        known.failed(server, cause);
        time.addAndGet(elapsing);
      });
    });
  private final Future<ByteStream> connected = dialer.dial();

  @AfterEach
  void stop() {
    loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static NodeEntry node(String id, long epoch, String host) {
    return new NodeEntry(id, epoch, new ProcessIdentity(1, 0, 0, 1, id.hashCode(), id), host, 7000, "", "", List.of(), "");
  }

  private DirectoryBackend directory() {
    return (DirectoryBackend) Proxy.newProxyInstance(RouteWatchTest.class.getClassLoader(), new Class<?>[] {DirectoryBackend.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "self" -> SELF;
        case "nodeId" -> SELF.nodeId();
        case "node" -> Optional.of(node("peer", epoch, SERVER));
        case "services" -> {
          questions.incrementAndGet();
          yield epoch == 0 ? List.of() : List.of(bus());
        }
        default -> "test directory";
      });
  }

  private ServiceEntry bus() {
    return new ServiceEntry("tcp/" + SERVER + ':' + PORT, "peer", epoch, 0, List.of(), new JsonObject());
  }

  private void publish(long newEpoch) {
    epoch = newEpoch;
    routes.changed(new DirectoryEvent(DirectoryEvent.Type.ADDED, bus()));
  }

  private void settle() throws Exception {
    for (int i = 0; i < 3; i++) {
      loop.submit(() -> {
      }).get(20, TimeUnit.SECONDS);
    }
  }

  private void start() throws Exception {
    starting.complete(routes);
    settle();
  }

  @Test
  void dialerConnectsWhenDirectoryHasTheServer() throws Exception {
    start();
    assertEquals(0, attempts.size());
    publish(1);
    until("it connects", () -> attempts.size() == 1);
    attempts.getFirst().complete(STREAM);
    assertSame(STREAM, await(connected));
    publish(2);
    settle();
    assertEquals(1, attempts.size());
  }

  @Test
  void dialerConnectsWhenTheNodeStartsAfterTheDirectoryHasTheServer() throws Exception {
    publish(1);
    start();
    until("it connects", () -> attempts.size() == 1);
  }

  /** A node that rejoins its cluster has another epoch. */
  @Test
  void dialerTriesAtOnceWhenTheEntryWasReplacedDuringAFailedAttempt() throws Exception {
    publish(1);
    start();
    until("it connects", () -> attempts.size() == 1);
    publish(2);
    settle();
    assertEquals(1, attempts.size());
    attempts.getFirst().fail("it has another epoch");
    until("it connects again", () -> attempts.size() == 2);
    assertEquals(2, servers.getLast().entry().epoch());
  }

  @Test
  void dialerTriesAgainWhenThePauseAfterAFailureIsOver() throws Exception {
    publish(1);
    start();
    until("it connects", () -> attempts.size() == 1);
    long pause = FabricRoutes.PAUSES.initialBackoff().toNanos();
    elapsing = pause - TimeUnit.MILLISECONDS.toNanos(50);
    attempts.getFirst().fail("it did not answer");
    settle();
    assertEquals(1, attempts.size());
    time.set(pause);
    until("it connects again", () -> attempts.size() == 2);
  }

  @Test
  void nothingIsAskedWithoutAChange() throws Exception {
    start();
    int before = questions.get();
    settle();
    assertEquals(before, questions.get());
    publish(0);
    settle();
    assertEquals(before + 1, questions.get());
  }

  @Test
  void stoppedDialerDoesNotConnect() throws Exception {
    start();
    loop.submit(dialer::stop).get(20, TimeUnit.SECONDS);
    publish(1);
    settle();
    assertEquals(0, attempts.size());
  }
}
