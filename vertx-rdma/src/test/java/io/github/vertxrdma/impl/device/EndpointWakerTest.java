package io.github.vertxrdma.impl.device;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.netty.channel.epoll.Epoll;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.transport.Transport;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Wake-up addresses that a loop remembers of its peers. */
@Timeout(60)
class EndpointWakerTest {
  /** An endpoint that is nothing but where its peer is. */
  private static final class Peer extends LoopEndpoint {
    private final EndpointAddress address;

    Peer(EndpointAddress address) {
      this.address = address;
    }

    @Override
    public Endpoint endpoint() {
      return (Endpoint) Proxy.newProxyInstance(Endpoint.class.getClassLoader(), new Class<?>[] {Endpoint.class}, (proxy, method, arguments) -> address);
    }

    @Override
    protected Cost received(MemorySegment memory, long at, int length) {
      return Cost.NOTHING;
    }

    @Override
    protected void granted(Grant more) {
    }

    @Override
    protected void reposted(Cost cost) {
    }

    @Override
    protected void deliver(Cost cost) {
    }

    @Override
    protected void sent(SendSlot slot, int status, String error) {
    }

    @Override
    protected void turnEnd() {
    }

    @Override
    public boolean isOver() {
      return false;
    }

    @Override
    public void fail(Throwable cause) {
    }

    @Override
    protected void failed(int status, String what, String error) {
    }

    @Override
    protected boolean releaseIfDone() {
      return true;
    }

    @Override
    protected void queueClosed() {
    }

    @Override
    protected void measureRoundTrip() {
    }

    @Override
    protected boolean awaitsPeer() {
      return false;
    }

    @Override
    protected void sleepsWaiting() {
    }

    @Override
    protected long pendingBytes() {
      return 0;
    }

    @Override
    protected ConnectionStatistics statistics() {
      return null;
    }
  }

  /** Peers that were accepted come from another address each time, and would push out those that are connected to again. */
  @Test
  void whoWasConnectedToIsKnownAlone() throws Exception {
    assumeTrue(Epoll.isAvailable(), "Netty's native library for Linux is not here");
    Vertx vertx = Vertx.builder().withTransport(Transport.EPOLL).build();
    InMemoryFabric fabric = InMemoryFabric.create("waker", InMemoryFabric.CAPABILITIES.toBuilder().waiting(Waiting.NONE).build(),
      InMemoryFabric.LIMITS);
    try (Domain domain = fabric.device().open()) {
      ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
      DeviceLoop loop = await(DeviceLoop.open(new EventLoopHost(context), domain, LoopOptions.DEFAULT));
      byte[] told = loop.wakeAddress();
      assertTrue(told.length > 0, "peers need not wake it");
      EndpointAddress acceptor = EndpointAddress.of("acceptor");
      EndpointAddress connector = EndpointAddress.of("connector");
      Promise<Void> done = Promise.promise();
      context.runOnContext(v -> {
        try {
          EndpointWaker connected = new EndpointWaker(new Peer(acceptor), loop);
          connected.call();
          connected.opened(told);
          connected.close();
          assertArrayEquals(told, loop.wakers.known(acceptor));
          EndpointWaker accepted = new EndpointWaker(new Peer(connector), loop);
          accepted.opened(told);
          accepted.close();
          assertNull(loop.wakers.known(connector));
          loop.close(new IllegalStateException("the test is over")).onComplete(done);
        } catch (Exception | AssertionError e) {
          done.fail(e);
        }
      });
      await(done.future());
    } finally {
      await(vertx.close());
    }
  }
}
