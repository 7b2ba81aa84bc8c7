package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.impl.support.Await.await;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWorld;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

final class TestNode implements AutoCloseable {
  private static final long TIMEOUT_MILLIS = 20_000;

  volatile long timeoutMillis = TIMEOUT_MILLIS;
  final String name;
  final VertxInternal vertx;
  final RegionRegistry registry;
  final List<Domain> domains = new ArrayList<>();
  final List<DeviceLoop> loops = new ArrayList<>();
  private final List<LinkListener> listeners = new ArrayList<>();
  private final BlockingQueue<End> accepted = new LinkedBlockingQueue<>();

  static final class End implements MessageHandler {
    final Link link;
    final RegionPeer peer;
    final CompletableFuture<Throwable> closed = new CompletableFuture<>();

    End(Link link, RegionRegistry registry, long timeoutMillis) {
      this.link = link;
      this.peer = new RegionPeer(link, registry, timeoutMillis);
      link.handler(this);
    }

    @Override
    public void message(ByteBuf message) {
      message.release();
    }

    @Override
    public void closed(Throwable cause) {
      closed.complete(cause);
    }

    void die(String why) {
      link.loop().eventLoop().execute(() -> link.peerDead(why, true));
    }

    RemoteRegion open(OwnedRegion region) throws Exception {
      return await(tryOpen(region.id()));
    }

    Future<RemoteRegion> tryOpen(long regionId) {
      return peer.open(Caller.of(link.loop().context()), regionId, null, 0);
    }
  }

  TestNode(VertxInternal vertx, String name, RegionRegistry.Listener listener, Device... devices) throws Exception {
    this(vertx, name, listener, LoopOptions.DEFAULT, devices);
  }

  TestNode(VertxInternal vertx, String name, RegionRegistry.Listener listener, LoopOptions options, Device... devices) throws Exception {
    this.vertx = vertx;
    this.name = name;
    this.registry = new RegionRegistry(() -> new EventLoopHost(vertx.createEventLoopContext()), listener);
    for (Device device : devices) {
      Domain domain = device.open();
      domains.add(domain);
      ContextInternal context = vertx.createEventLoopContext();
      DeviceLoop loop = await(DeviceLoop.open(new EventLoopHost(context), domain, options));
      loops.add(loop);
      listeners.add(await(on(loop, () -> LinkListener.listen(loop, null, 0, at -> LinkWorld.identity(name), this::accept))));
    }
  }

  private void accept(IncomingLink link) {
    accepted.add(new End(link.accept(new byte[0]), registry, timeoutMillis));
  }

  End[] connect(TestNode to, int device) throws Exception {
    DeviceLoop loop = loops.get(device);
    End near = await(
      on(loop, () -> LinkConnector.connect(loop, to.listeners.get(device).localAddress(), LinkWorld.identity(name), "regions",
        new byte[0], (int) TIMEOUT_MILLIS, link -> new End(link, registry, timeoutMillis))));
    return new End[] {near, to.accepted.poll(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)};
  }

  OwnedRegion share(String region, long size, RegionAccess... access) throws Exception {
    return share(new RegionOptions().setName(region).setSize(size).setAccess(access));
  }

  OwnedRegion share(RegionOptions options) throws Exception {
    return await(registry.share(Caller.of(vertx.getOrCreateContext()), options, null, domains));
  }

  static <T> Future<T> on(DeviceLoop loop, Supplier<Future<T>> call) {
    Promise<T> promise = Promise.promise();
    loop.eventLoop().execute(() -> call.get().onComplete(promise));
    return promise.future();
  }

  @Override
  public void close() throws Exception {
    await(registry.closeAll());
    for (int i = 0; i < loops.size(); i++) {
      LinkListener listener = listeners.get(i);
      DeviceLoop loop = loops.get(i);
      await(on(loop, () -> {
        listener.close();
        return loop.close(new IllegalStateException("the test is over"));
      }));
      domains.get(i).close();
    }
  }
}
