package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class AuthorizerTest extends FabricPair {
  private final List<Rdma> opened = new ArrayList<>();
  private String asker;
  private String owner;

  @AfterEach
  void close() throws Exception {
    for (Rdma rdma : opened) {
      await(rdma.close());
    }
  }

  private Rdma guarded(RdmaAuthorizer authorizer) throws Exception {
    Rdma rdma = Rdma.create(serverVertx, options().setAuthorizer(authorizer));
    opened.add(rdma);
    owner = await(rdma.directory()).nodeId();
    asker = await(client.directory()).nodeId();
    return rdma;
  }

  private void assertRefused(Reason reason, Future<?> future, String what) {
    Throwable cause = assertThrows(ExecutionException.class, () -> await(future)).getCause();
    RdmaException refusal = assertInstanceOf(RdmaException.class, cause);
    assertEquals(reason, refusal.reason(), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("node " + asker + " may not " + what + ": the authorizer of node " + owner + " refused"),
      refusal.getMessage());
  }

  private static void listen(Rdma rdma, String... names) throws Exception {
    for (String name : names) {
      await(rdma.createServer().connectHandler(connection -> connection.handler(connection::write)).listen(name));
    }
  }

  @Test
  void aConnectionByHostAndPortIsRefused() throws Exception {
    Rdma guarded = guarded(new RdmaAuthorizer() {
      @Override
      public boolean mayConnect(String nodeId, String service) {
        return !service.matches(".*:\\d+");
      }
    });
    RdmaServer server;
    try {
      server = await(guarded.createServer().connectHandler(connection -> {}).listen(SocketAddress.inetSocketAddress(0, "127.0.0.1")));
    } catch (ExecutionException e) {
      assertEquals(Reason.UNSUPPORTED, ((RdmaException) e.getCause()).reason());
      return;
    }
    assertRefused(Reason.REJECTED,
      client.connect(SocketAddress.inetSocketAddress(server.actualPort(), "127.0.0.1"), new RdmaConnectOptions()),
      "connect to '");
  }

  @Test
  void theNodeIsNamed() throws Exception {
    List<String> asked = new ArrayList<>();
    Rdma guarded = guarded(new RdmaAuthorizer() {
      @Override
      public synchronized boolean mayConnect(String nodeId, String service) {
        asked.add(nodeId + ' ' + service);
        return true;
      }
    });
    await(guarded.createServer().connectHandler(connection -> {}).listen("named"));
    await(client.connect("named"));
    assertEquals(List.of(asker + " named"), asked);
  }

  @Test
  void anAuthorizerThatThrowsRefuses() throws Exception {
    Rdma guarded = guarded(new RdmaAuthorizer() {
      @Override
      public boolean mayConnect(String nodeId, String service) {
        throw new IllegalStateException("on purpose");
      }
    });
    await(guarded.createServer().connectHandler(connection -> {}).listen("broken"));
    assertRefused(Reason.REJECTED, client.connect("broken"), "connect to 'broken'");
  }

  private static int connections(Rdma rdma) {
    return statistics(rdma).devices().stream().mapToInt(device -> device.connections().size()).sum();
  }

  @Test
  void refusedPeerAffectsNoOther() throws Exception {
    Rdma guarded = guarded(new RdmaAuthorizer() {
      @Override
      public boolean mayConnect(String nodeId, String service) {
        return !service.equals("secret");
      }

      @Override
      public boolean mayOpen(String nodeId, String region, RegionAccess access) {
        return !region.equals("table");
      }
    });
    listen(guarded, "secret", "open");
    MemoryRegion table = share(guarded, "table");
    share(guarded, "other");
    RemoteRegion other = await(client.openRegion("other"));
    RdmaConnection allowed = await(client.connect("open"));
    BlockingQueue<Buffer> answers = new LinkedBlockingQueue<>();
    allowed.handler(answers::add);
    int before = connections(guarded);
    for (int round = 0; round < 10; round++) {
      List<Future<RdmaConnection>> connects = Stream.generate(() -> client.connect("secret")).limit(20).toList();
      List<Future<RemoteRegion>> opens = Stream.generate(() -> client.openRegion("table")).limit(20).toList();
      Buffer message = Buffer.buffer("round " + round);
      await(allowed.write(message));
      await(other.write(0, message));
      for (Future<RdmaConnection> connect : connects) {
        assertRefused(Reason.REJECTED, connect, "connect to 'secret'");
      }
      for (Future<RemoteRegion> open : opens) {
        assertRefused(Reason.ACCESS_DENIED, open, "open region 'table' for reading or writing");
      }
      assertEquals(message, answers.poll(20, TimeUnit.SECONDS));
      assertEquals(message, await(other.read(0, message.length())));
    }
    assertEquals(List.of(), table.holders());
    until("nothing is left of those that were refused", () -> connections(guarded) <= before);
    assertEquals(Reason.REJECTED, reason(client.connect("secret")));
    until("the refused connect is reported", () -> statistics(guarded).toJson().encode().contains("may not connect to 'secret'"));
    assertEquals(Reason.ACCESS_DENIED, reason(client.openRegion("table")));
    until("the refused open is reported", () -> statistics(guarded).toJson().encode().contains("may not open region 'table'"));
    assertTrue(statistics(guarded).refused() > 0);
  }

  private static RdmaAuthorizer opens(RegionAccess... allowed) {
    return new RdmaAuthorizer() {
      @Override
      public boolean mayOpen(String nodeId, String region, RegionAccess access) {
        return !region.equals("table") || Arrays.asList(allowed).contains(access);
      }
    };
  }

  private MemoryRegion share(Rdma rdma, String name) throws Exception {
    return await(rdma.createRegion(new RegionOptions().setName(name).setSize(4096).setAccess(RegionAccess.READ, RegionAccess.WRITE)));
  }

  @Test
  void anOpenGivesTheRightsThatAreAllowed() throws Exception {
    Rdma guarded = guarded(opens(RegionAccess.READ));
    MemoryRegion table = share(guarded, "table");
    RemoteRegion remote = await(client.openRegion("table"));
    assertEquals(Set.of(RegionAccess.READ), remote.access());
    assertEquals(8, await(remote.read(0, 8)).length());
    assertEquals(Reason.ACCESS_DENIED, reason(remote.write(0, Buffer.buffer("x"))));
    assertEquals(Reason.ACCESS_DENIED, reason(remote.writeNotify(0, Buffer.buffer("x"), 1)));
    assertEquals(Set.of(RegionAccess.READ), table.holders().getFirst().access());
    await(remote.close());
    await(table.close());
  }

  @Test
  void keysAreNotInTheDirectoryWhereTheOwnerDecidesWhoGetsThem() throws Exception {
    Rdma guarded = guarded(opens(RegionAccess.READ));
    share(guarded, "other");
    RdmaDirectory directory = await(client.directory());
    await(directory.awaitRegion("other", Duration.ofSeconds(30)));
    assertTrue(directory.region("other").orElseThrow().keys().stream().allMatch(key -> key.bytes().length == 0));
    assertEquals(Set.of(RegionAccess.READ, RegionAccess.WRITE), await(client.openRegion("other")).access());
  }
}
