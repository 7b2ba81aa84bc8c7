package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Device loops on an in-memory fabric, and links between them, in one thread and virtual time. */
public final class LinkWorld implements AutoCloseable {
  public static final byte[] NONE = {};
  public static final byte[] WORD = {1, 2, 3};
  private static final IllegalStateException END = new IllegalStateException("the test is over");

  public final VirtualTime time = new VirtualTime();
  public final InMemoryFabric fabric = InMemoryFabric.create("links", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final Set<Domain> domains = new LinkedHashSet<>();
  private final List<DeviceLoop> loops = new ArrayList<>();
  private final List<LinkListener> listeners = new ArrayList<>();

  /** Releases received messages. */
  public static final class Discard implements MessageHandler {
    @Override
    public void message(ByteBuf message) {
      message.release();
    }

    @Override
    public void closed(Throwable cause) {
    }
  }

  public static LinkIdentity identity(String name, Handshake handshake, LinkWatcher watcher) {
    return new LinkIdentity(() -> NodeEntry.local(name, 1), handshake, watcher);
  }

  public static LinkIdentity identity(String name) {
    return identity(name, new PlainHandshake(WORD), LinkWatcher.NONE);
  }

  public DeviceLoop open() {
    return open(fabric.device().open());
  }

  public DeviceLoop open(Domain domain) {
    return open(new SimulatedLoop(time, 1 + loops.size()), domain);
  }

  public DeviceLoop open(SimulatedLoop host, Domain domain) {
    DeviceLoop loop = now(DeviceLoop.open(host, domain, LoopOptions.DEFAULT));
    domains.add(domain);
    loops.add(loop);
    return loop;
  }

  public LinkListener listen(DeviceLoop loop, LinkIdentity identity, LinkListener.Acceptor acceptor) {
    return listen(loop, identity, 0, acceptor);
  }

  public LinkListener listen(DeviceLoop loop, LinkIdentity identity, int timeoutMillis, LinkListener.Acceptor acceptor) {
    LinkListener listener = LinkListener.listen(loop, null, timeoutMillis, at -> identity, acceptor).result();
    listeners.add(listener);
    return listener;
  }

  public static <T> Future<T> connect(DeviceLoop loop, LinkListener to, LinkIdentity identity, int timeoutMillis,
    Function<Link, T> opener) {
    return LinkConnector.connect(loop, to.localAddress(), identity, "service", NONE, timeoutMillis, opener);
  }

  public void pass(long seconds) {
    time.pass(TimeUnit.SECONDS.toNanos(seconds));
  }

  /** Returns the result of a future after ten seconds. */
  public <T> T now(Future<T> future) {
    pass(10);
    assertTrue(future.succeeded(), () -> "not done: " + future.cause());
    return future.result();
  }

  /** Closes everything, and asserts that nothing is left open. */
  @Override
  public void close() {
    listeners.forEach(LinkListener::close);
    loops.forEach(loop -> loop.close(END));
    pass(15);
    domains.forEach(Domain::close);
    assertEquals(Map.of(), fabric.open());
  }
}
