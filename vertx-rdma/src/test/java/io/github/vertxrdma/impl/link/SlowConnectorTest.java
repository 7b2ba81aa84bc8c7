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
import io.vertx.core.Future;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SlowConnectorTest {
  private static final byte[] NONE = {};
  private static final Handshake HANDSHAKE = new PlainHandshake(new byte[] {1, 2, 3});

  private final VirtualTime time = new VirtualTime();
  private final SimulatedLoop slow = new SimulatedLoop(time, 1);

  @Test
  void itHasTheTimeOfTheListener() {
    Future<Link> link = connect(60_000);
    assertTrue(link.succeeded(), () -> String.valueOf(link.cause()));
  }

  @Test
  void itHearsThatTheListenerKnowsMore() {
    Future<Link> link = connect(0);
    assertTrue(link.failed());
    String told = link.cause().getMessage();
    assertTrue(told.endsWith(": the peer disconnected before the handshake completed; its log may state the reason"), told);
  }

  private Future<Link> connect(int listenersMillis) {
    InMemoryFabric fabric = InMemoryFabric.create("slow", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    Future<Link> link;
    try (Domain domain = fabric.device().open()) {
      DeviceLoop server = open(new SimulatedLoop(time, 2), domain);
      DeviceLoop client = open(slow, domain);
      LinkListener listener = LinkListener.listen(server, null, listenersMillis, at -> identity("server", new Stopping()),
        incoming -> incoming.accept(NONE)).result();
      link = LinkConnector.connect(client, listener.localAddress(), identity("client", HANDSHAKE), "service", NONE, 60_000, made -> made);
      time.pass(TimeUnit.SECONDS.toNanos(31));
      listener.close();
      server.close(new IllegalStateException("the test is over"));
      client.close(new IllegalStateException("the test is over"));
      time.pass(TimeUnit.SECONDS.toNanos(5));
    }
    assertEquals(Map.of(), fabric.open());
    return link;
  }

  private DeviceLoop open(SimulatedLoop host, Domain domain) {
    Future<DeviceLoop> opening = DeviceLoop.open(host, domain, LoopOptions.DEFAULT);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    return opening.result();
  }

  private static LinkIdentity identity(String name, Handshake handshake) {
    return new LinkIdentity(() -> NodeEntry.local(name, 1), handshake, LinkWatcher.NONE);
  }

  private final class Stopping implements Handshake {
    @Override
    public Connecting connecting() {
      return HANDSHAKE.connecting();
    }

    @Override
    public Accepting accepting(byte[] request, byte[] channel) {
      slow.stop();
      time.after(TimeUnit.SECONDS.toNanos(30), slow::resume);
      return HANDSHAKE.accepting(request, channel);
    }
  }
}
