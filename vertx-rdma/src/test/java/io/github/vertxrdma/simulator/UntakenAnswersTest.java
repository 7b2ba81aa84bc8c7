package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.calls.SimulatedBus;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class UntakenAnswersTest {
  private static final VertxInternal VERTX = (VertxInternal) Vertx.vertx();
  private static final byte[] NONE = {};
  private static final int REQUESTS = 1_500;
  private static final int ANSWER = 64 << 10;

  private final VirtualTime time = new VirtualTime();
  private final InMemoryFabric fabric = InMemoryFabric.create("answers", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private Link serving;

  private static final class Asker implements MessageHandler {
    private final Link link;
    private int answers;

    Asker(Link link) {
      this.link = link;
      link.handler(this);
    }

    @Override
    public void message(ByteBuf message) {
      answers++;
      message.release();
    }

    @Override
    public void closed(Throwable cause) {
      // The test has ended.
    }
  }

  /** @param elsewhere whether the service runs on another loop than its connection */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answersThatWaitAreBounded(boolean elsewhere) {
    Domain domain = fabric.device().open();
    SimulatedLoop host = new SimulatedLoop(time, 1);
    SimulatedLoop home = elsewhere ? new SimulatedLoop(time, 3) : host;
    SimulatedEventLoop.context(VERTX, host);
    if (elsewhere) {
      SimulatedEventLoop.context(VERTX, home);
    }
    DeviceLoop loop = now(DeviceLoop.open(host, domain, LoopOptions.DEFAULT));
    DeviceLoop other = now(DeviceLoop.open(new SimulatedLoop(time, 2), domain, LoopOptions.DEFAULT));
    LinkListener listener = LinkListener.listen(loop, null, 0, at -> identity(), incoming -> {
      serving = incoming.accept(NONE);
      SimulatedBus.serve(serving, home, ANSWER);
    }).result();
    Asker asker = now(LinkConnector.connect(other, listener.localAddress(), identity(), "answers", NONE, 1_000, Asker::new));
    asker.link.pause(true);
    for (int i = 0; i < REQUESTS; i++) {
      asker.link.send(SimulatedBus.request(), null);
      time.pass(TimeUnit.MILLISECONDS.toNanos(5));
    }
    time.pass(TimeUnit.SECONDS.toNanos(5));
    long waiting = serving.pendingBytes();
    assertTrue(waiting > 0 && waiting < REQUESTS * ANSWER / 3, waiting + " bytes wait");
    asker.link.pause(false);
    time.pass(TimeUnit.SECONDS.toNanos(10));
    assertEquals(REQUESTS, asker.answers);
    listener.close();
    now(loop.close(new IllegalStateException("the test is over")));
    now(other.close(new IllegalStateException("the test is over")));
    domain.close();
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
