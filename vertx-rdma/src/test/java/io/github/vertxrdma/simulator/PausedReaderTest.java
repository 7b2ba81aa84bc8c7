package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.api.ClosingScope;
import io.github.vertxrdma.impl.api.RdmaConnectionImpl;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class PausedReaderTest {
  private static final VertxInternal VERTX = (VertxInternal) Vertx.vertx();
  private static final FabricChoice CHOICE = new FabricChoice("memory", "simulated", "simulated", EndpointType.MSG, List.of(), List.of());
  private static final byte[] NONE = {};
  private static final int MIB = 1 << 20;
  private static final int MOST_WAITING = 4 * MIB;

  private final VirtualTime time = new VirtualTime();
  private final InMemoryFabric fabric = InMemoryFabric.create("paused", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final List<Integer> read = new ArrayList<>();
  private RdmaConnection reader;
  private Link taken;

  @ParameterizedTest
  @CsvSource({"2, false", "2, true", "16, false", "16, true"})
  void bytesThatWaitAreBounded(int mebibytes, boolean elsewhere) {
    int count = 12;
    Domain domain = fabric.device().open();
    SimulatedLoop host = new SimulatedLoop(time, 1);
    ContextInternal context = SimulatedEventLoop.context(VERTX, host);
    SimulatedLoop otherHost = new SimulatedLoop(time, 2);
    ContextInternal otherContext = SimulatedEventLoop.context(VERTX, otherHost);
    ContextInternal readers = elsewhere ? SimulatedEventLoop.context(VERTX, new SimulatedLoop(time, 3)) : otherContext;
    DeviceLoop loop = now(DeviceLoop.open(host, domain, LoopOptions.DEFAULT));
    DeviceLoop other = now(DeviceLoop.open(otherHost, domain, LoopOptions.DEFAULT));
    LinkListener listener = LinkListener.listen(other, null, 0, at -> identity(), incoming -> {
      taken = incoming.accept(NONE);
      reader = connection(readers, taken);
      reader.pause();
      reader.handler(message -> read.add(message.length() == mebibytes * MIB ? message.getInt(0) : -1));
    }).result();
    RdmaConnection writer = now(LinkConnector.connect(loop, listener.localAddress(), identity(), "any", NONE, 1_000,
      link -> connection(context, link)));
    for (int i = 0; i < count; i++) {
      writer.write(Buffer.buffer(new byte[mebibytes * MIB]).setInt(0, i));
    }
    time.pass(TimeUnit.SECONDS.toNanos(5));
    long waiting = taken.statistics().traffic().bytesReceived();
    assertTrue(waiting > 0 && waiting <= MOST_WAITING + mebibytes * MIB, waiting + " bytes wait");
    reader.fetch(1);
    time.pass(TimeUnit.SECONDS.toNanos(5));
    assertEquals(List.of(0), read);
    reader.resume();
    time.pass(TimeUnit.SECONDS.toNanos(5));
    assertEquals(count, read.size());
    for (int i = 0; i < count; i++) {
      assertEquals(i, read.get(i));
    }
    listener.close();
    now(loop.close(new IllegalStateException("the test is over")));
    now(other.close(new IllegalStateException("the test is over")));
    domain.close();
  }

  private RdmaConnection connection(ContextInternal context, Link link) {
    return new RdmaConnectionImpl(context, link, CHOICE, null, new ClosingScope(), 1_000);
  }

  private static LinkIdentity identity() {
    return new LinkIdentity(() -> NodeEntry.local("node", 1), new PlainHandshake(Node.WORD), LinkWatcher.NONE);
  }

  private <T> T now(Future<T> future) {
    time.pass(TimeUnit.SECONDS.toNanos(10));
    assertTrue(future.succeeded(), () -> "not done: " + future.cause());
    return future.result();
  }
}
