package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Two device loops on two event loops, a listener on one, and a link between them. */
public final class LinkPair implements AutoCloseable {
  private static final PlainHandshake HANDSHAKE = new PlainHandshake(new byte[] {1, 2, 3});

  final InMemoryFabric fabric;
  final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  final Domain domain;
  public final DeviceLoop clientLoop;
  public final DeviceLoop serverLoop;
  final Side client;
  final Side server;
  volatile LongSupplier serverClock = System::nanoTime;
  private final LinkListener listener;
  private final CompletableFuture<Side> accepted = new CompletableFuture<>();
  volatile Side latest;

  public LinkPair(LoopOptions options) throws Exception {
    this(InMemoryFabric.create("links", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS), null, options);
  }

  /**
   * @param fabric checked to be empty at the end; null if the device has none
   * @param device null for the fabric's
   */
  public LinkPair(InMemoryFabric fabric, Device device, LoopOptions options) throws Exception {
    this.fabric = fabric;
    this.domain = (device == null ? fabric.device() : device).open();
    clientLoop = open(new EventLoopHost(vertx.createEventLoopContext()), options);
    serverLoop = open(new ClockedHost(new EventLoopHost(vertx.createEventLoopContext()), () -> serverClock.getAsLong()), options);
    LinkIdentity identity = new LinkIdentity(() -> NodeEntry.local("server", 2), HANDSHAKE, LinkWatcher.NONE);
    listener = on(serverLoop, () -> LinkListener.listen(serverLoop, null, 0, at -> identity, link -> {
      latest = new Side(link.accept(new byte[0]));
      accepted.complete(latest);
    })).get(20, TimeUnit.SECONDS);
    client = connect().get(20, TimeUnit.SECONDS);
    server = accepted.get(20, TimeUnit.SECONDS);
  }

  private DeviceLoop open(LoopHost host, LoopOptions options) throws Exception {
    return DeviceLoop.open(host, domain, options).toCompletionStage().toCompletableFuture()
      .get(20, TimeUnit.SECONDS);
  }

  private static <T> CompletableFuture<T> on(DeviceLoop loop, java.util.function.Supplier<Future<T>> call) {
    CompletableFuture<T> result = new CompletableFuture<>();
    loop.eventLoop().execute(() -> {
      try {
        call.get().onComplete(done -> {
          if (done.succeeded()) {
            result.complete(done.result());
          } else {
            result.completeExceptionally(done.cause());
          }
        });
      } catch (Throwable t) {
        result.completeExceptionally(t);
      }
    });
    return result;
  }

  public CompletableFuture<Side> connect() {
    return connect(Side::new);
  }

  CompletableFuture<Side> connect(Function<Link, Side> opener) {
    LinkIdentity identity = new LinkIdentity(() -> NodeEntry.local("client", 1), HANDSHAKE, LinkWatcher.NONE);
    return on(clientLoop,
      () -> LinkConnector.connect(clientLoop, listener.localAddress(), identity, "service", new byte[0], 20_000, opener));
  }

  void sendAll(Side side, List<byte[]> messages) {
    side.link.loop().eventLoop().execute(() -> messages.forEach(m -> side.link.send(Unpooled.wrappedBuffer(m), null)));
  }

  void await(BooleanSupplier condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it did not happen in 20 s; " + client.on(link -> link.loop().statistics()) + " "
          + server.messages() + " messages, " + server.on(link -> link.loop().statistics()));
      }
      Thread.onSpinWait();
      Thread.yield();
    }
  }

  @Override
  public void close() throws Exception {
    CompletableFuture<Void> stopped = on(serverLoop, () -> {
      listener.close();
      return Future.succeededFuture();
    });
    stopped.get(20, TimeUnit.SECONDS);
    for (DeviceLoop loop : List.of(clientLoop, serverLoop)) {
      on(loop, () -> loop.close(new IllegalStateException("the test is over"))).get(20, TimeUnit.SECONDS);
    }
    domain.close();
    vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    if (fabric != null && (fabric.registeredBytes() != 0 || fabric.openEndpoints() != 0)) {
      throw new AssertionError(fabric.registeredBytes() + " bytes are still registered, " + fabric.openEndpoints() + " endpoints open");
    }
  }

  public static final class Side implements MessageHandler {
    final Link link;
    private final List<ByteBuf> messages = new ArrayList<>();
    private final CompletableFuture<Throwable> closed = new CompletableFuture<>();

    Side(Link link) {
      this.link = link;
      link.handler(this);
    }

    @Override
    public synchronized void message(ByteBuf message) {
      messages.add(message);
      notifyAll();
    }

    @Override
    public void closed(Throwable cause) {
      closed.complete(cause);
    }

    synchronized int messages() {
      return messages.size();
    }

    synchronized List<ByteBuf> awaitMessages(int count) throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (messages.size() < count) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          throw new AssertionError("only " + messages.size() + " of " + count + " messages came");
        }
        wait(left);
      }
      return List.copyOf(messages);
    }

    Throwable awaitClosed() throws Exception {
      return closed.get(30, TimeUnit.SECONDS);
    }

    /** Runs an action on the link's loop when the link has closed, after the task that closes its endpoint. */
    <T> CompletableFuture<T> afterClose(Function<Link, T> action) {
      return closed.thenApplyAsync(cause -> action.apply(link), link.loop().eventLoop());
    }

    <T> T on(Function<Link, T> question) {
      try {
        return link.loop().eventLoop().submit(() -> question.apply(link)).get(20, TimeUnit.SECONDS);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    long pendingBytes() throws Exception {
      CompletableFuture<Long> bytes = new CompletableFuture<>();
      link.loop().eventLoop().execute(() -> bytes.complete(link.pendingBytes()));
      return bytes.get(20, TimeUnit.SECONDS);
    }

    void receiving(boolean on) throws Exception {
      link.loop().eventLoop().submit(() -> link.pause(!on)).get(20, TimeUnit.SECONDS);
    }

    void peerDead(String why) {
      link.loop().eventLoop().execute(() -> link.peerDead(why, true));
    }

    CompletableFuture<Void> send(byte[] message) {
      return call(done -> link.send(Unpooled.wrappedBuffer(message), done));
    }

    CompletableFuture<Void> close() {
      return call(link::close);
    }

    CompletableFuture<Void> shutdown(long millis) {
      return call(done -> link.shutdown(millis, done));
    }

    private CompletableFuture<Void> call(java.util.function.Consumer<io.vertx.core.Completable<Void>> operation) {
      CompletableFuture<Void> result = new CompletableFuture<>();
      link.loop().eventLoop().execute(() -> operation.accept((v, failure) -> {
        if (failure == null) {
          result.complete(null);
        } else {
          result.completeExceptionally(failure);
        }
      }));
      return result;
    }
  }
}
