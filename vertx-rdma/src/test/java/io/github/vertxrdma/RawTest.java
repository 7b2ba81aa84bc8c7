package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities.AddressBase;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics({"memory", "nio", "shm", "tcp", "verbs:nic"})
@Timeout(120)
class RawTest extends FabricPair {
  private static final int SIZE = 64;

  static final class Side implements EndpointHandler {
    final RdmaDevice device;
    final MemoryRegion memory;
    Endpoint endpoint;
    volatile boolean connected;
    volatile ProviderException cause;
    volatile int received;
    volatile int sent;

    Side(RdmaDevice device) {
      Set<Access> access = Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);
      this.device = device.completionHandler(this::completed);
      memory = device.domain().register(device.domain().allocate(2 * SIZE, access, Arena.ofAuto()), access);
    }

    private void completed(CompletionBatch batch) {
      for (int i = 0; i < batch.size(); i++) {
        if (batch.status(i) == Status.OK && batch.operation(i) == Operation.RECEIVE) {
          received++;
          postReceive();
        } else if (batch.status(i) == Status.OK) {
          sent++;
        }
      }
    }

    void postReceive() {
      assertEquals(Status.OK, endpoint.receiveQueue().post(1, memory, 0, SIZE));
    }

    Future<Listener> listen() {
      return device.run(() -> device.domain().listen(device.queue(), null, new EndpointOptions(), request -> {
        endpoint = request.createEndpoint(device.queue(), new EndpointOptions(), this);
        postReceive();
        request.accept(new byte[0]);
      }));
    }

    Future<Void> connect(Listener listener) {
      return device.run(() -> {
        endpoint = device.domain().createEndpoint(device.queue(), new EndpointOptions(), this);
        postReceive();
        endpoint.connect(listener.localAddress(), new byte[0]);
        return null;
      }).compose(v -> device.until(() -> connected || cause != null));
    }

    Future<Integer> send(byte first) {
      return device.run(() -> {
        memory.segment().set(ValueLayout.JAVA_BYTE, SIZE, first);
        return endpoint.post(new WorkRequest().send(memory, SIZE, SIZE).id(2).flags(PostFlags.SIGNALED));
      });
    }

    @Override
    public void connected(Endpoint which, byte[] privateData) {
      connected = true;
    }

    @Override
    public void disconnected(Endpoint which, ProviderException why) {
      cause = why;
    }
  }

  private Side open(Rdma rdma) throws Exception {
    return new Side(await(rdma.openDevice(fabric())));
  }

  private Side[] connected() throws Exception {
    Side acceptor = open(server);
    Listener listener = await(acceptor.listen());
    Side connector = open(client);
    await(connector.connect(listener));
    assertTrue(connector.connected, () -> String.valueOf(connector.cause));
    return new Side[] {acceptor, connector};
  }

  @Test
  void messagesGoToAndFroAndAreWaitedFor() throws Exception {
    Side[] sides = connected();
    for (int round = 1; round <= 100; round++) {
      int now = round;
      assertEquals(Status.OK, await(sides[1].send((byte) round)));
      await(sides[0].device.until(() -> sides[0].received == now));
      assertEquals((byte) round, sides[0].memory.segment().get(ValueLayout.JAVA_BYTE, 0));
      assertEquals(Status.OK, await(sides[0].send((byte) -round)));
      await(sides[1].device.until(() -> sides[1].received == now && sides[1].sent == now));
      assertEquals((byte) -round, sides[1].memory.segment().get(ValueLayout.JAVA_BYTE, 0));
    }
  }

  @Test
  void keysAndAddressesAreWhatTheDocsSay() throws Exception {
    Side side = open(server);
    MemoryRegion memory = side.memory;
    // Bytes of a remote key, from docs/raw.adoc.
    int keyBytes = switch (fabric()) {
      case "shm" -> 16;
      case "nio" -> 12;
      case "memory", "tcp" -> 8;
      default -> 4;
    };
    assertEquals(keyBytes, memory.remoteKey().length);
    assertEquals(side.device.domain().capabilities().addressBase() == AddressBase.VIRTUAL ? memory.segment().address() : 0,
      memory.remoteAddress());
  }

  @Test
  void handlersRunOnTheEventLoopAndFuturesOnTheCallersContext() throws Exception {
    AtomicReference<Context> polls = new AtomicReference<>();
    AtomicReference<Context> waits = new AtomicReference<>();
    AtomicReference<Context> own = new AtomicReference<>();
    await(serverVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        own.set(context);
        RdmaDevice device = server.openDevice(fabric()).await();
        device.run(() -> {
          polls.set(Vertx.currentContext());
          return null;
        }).await();
        return device.until(() -> true).onSuccess(v -> waits.set(Vertx.currentContext()));
      }
    }, new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD)));
    assertTrue(polls.get().isEventLoopContext(), "the loop");
    assertSame(own.get(), waits.get());
  }

  @Test
  void failedRequestAffectsNoOther() throws Exception {
    Side[] sides = connected();
    RdmaDevice device = sides[0].device;
    IllegalStateException thrown = new IllegalStateException("on purpose");
    assertSame(thrown, cause(device.run(() -> {
      throw thrown;
    })));
    assertSame(thrown, cause(device.until(() -> {
      throw thrown;
    })));
    Promise<Throwable> reported = Promise.promise();
    serverVertx.exceptionHandler(reported::tryComplete);
    device.completionHandler(batch -> {
      throw thrown;
    });
    await(sides[1].send((byte) 1));
    assertSame(thrown, await(reported.future()));
    // Only the unhandled completion is lost, and the queue is polled further.
    device.completionHandler(sides[0]::completed);
    await(device.run(() -> {
      sides[0].postReceive();
      return null;
    }));
    await(sides[1].send((byte) 2));
    await(device.until(() -> sides[0].received == 1));
  }

  @Test
  void aConditionMayWaitForOthersAndCloseTheDevice() throws Exception {
    Side side = open(server);
    Promise<Void> second = Promise.promise();
    AtomicBoolean waits = new AtomicBoolean();
    await(side.device.until(() -> {
      if (waits.compareAndSet(false, true)) {
        side.device.until(() -> true).onComplete(second);
        return false;
      }
      return true;
    }));
    await(second.future());
    Future<Void> never = side.device.until(() -> false);
    Promise<Void> closed = Promise.promise();
    assertEquals(Reason.CLOSED, reason(side.device.until(() -> {
      side.device.close().onComplete(closed);
      return true;
    })));
    assertEquals(Reason.CLOSED, reason(never));
    await(closed.future());
  }

  @Test
  void misuseAffectsNoOtherEndpoint() throws Exception {
    Promise<Void> own = Promise.promise();
    Promise<RdmaConnection> connection = Promise.promise();
    Promise<Side> side = Promise.promise();
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
    clientVertx.runOnContext(v -> {
      client.connect("echo").onComplete(connection);
      client.openDevice(fabric()).map(Side::new).onComplete(side);
    });
    Side acceptor = open(server);
    Listener listener = await(acceptor.listen());
    Side connector = await(side.future());
    await(connector.connect(listener));
    // A queue that opens now could get the number of the fd that is closed below, before the loop knows: Netty's assertions refuse that.
    await(connection.future());
    await(connector.device.run(() -> {
      connector.memory.close();
      assertTrue(connector.endpoint.post(new WorkRequest().send(connector.memory, 0, SIZE)) < 0, "memory that is closed");
      connector.endpoint.close();
      assertEquals(Status.NOT_CONNECTED, connector.endpoint.post(new WorkRequest().send(connector.memory, 0, 0)));
      connector.device.queue().close();
      connector.device.domain().close();
      return null;
    }));
    await(connection.future()).handler(message -> own.complete());
    await(connection.future()).write(Buffer.buffer("still here"));
    await(own.future());
    await(connector.device.close());
  }

  @Test
  void endOfADeviceIsReportedToPeersAndWaiters() throws Exception {
    Side[] sides = connected();
    Future<Void> never = sides[0].device.until(() -> false);
    Future<Void> closing = sides[0].device.close();
    assertEquals(Reason.CLOSED, reason(never));
    await(closing);
    await(sides[0].device.close());
    assertEquals(Reason.CLOSED, reason(sides[0].device.run(() -> 1)));
    assertEquals(Reason.CLOSED, reason(sides[0].device.until(() -> true)));
    await(sides[1].device.until(() -> sides[1].cause != null));
    assertTrue(await(sides[1].send((byte) 1)) < 0, "posted to nobody");
  }

  @Test
  void undeployingTheVerticleThatOpenedItClosesIt() throws Exception {
    AtomicReference<RdmaDevice> device = new AtomicReference<>();
    String id = await(serverVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        return server.openDevice(fabric()).onSuccess(device::set);
      }
    }));
    await(serverVertx.undeploy(id));
    assertEquals(Reason.CLOSED, reason(device.get().run(() -> 1)));
  }

  @Test
  void closingItsRdmaClosesIt() throws Exception {
    Side side = open(server);
    await(server.close());
    assertEquals(Reason.CLOSED, reason(side.device.run(() -> 1)));
    assertEquals(Reason.CLOSED, reason(server.openDevice(fabric())));
  }

  @Test
  void missingDeviceIsRefusedWithTheListOfDevices() throws Exception {
    Future<RdmaDevice> none = server.openDevice("nowhere");
    assertEquals(Reason.UNSUPPORTED, reason(none));
    assertTrue(none.cause().getMessage().contains("no fabric 'nowhere'"), none.cause().getMessage());
  }

  @Test
  void whereEverythingIsEncryptedThereIsNoRawMode() throws Exception {
    Vertx vertx = vertx();
    try {
      assertEquals(Reason.ACCESS_DENIED, reason(Rdma.create(vertx, options().setRequireEncryption(true)).openDevice(fabric())));
    } finally {
      await(vertx.close());
    }
  }

  private static Throwable cause(Future<?> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }
}
