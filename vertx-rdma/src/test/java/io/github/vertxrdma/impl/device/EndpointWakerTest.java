package io.github.vertxrdma.impl.device;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.poll.EventLoopHost;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Wake-up addresses that a loop keeps for its peers. */
@Timeout(60)
@Tag("polling")
class EndpointWakerTest {
  /** An endpoint that has only a remote address. */
  private static final class Peer extends LoopEndpoint {
    private final EndpointAddress address;

    Peer(DeviceLoop loop, EndpointAddress address) {
      super(loop);
      this.address = address;
    }

    @Override
    public Endpoint endpoint() {
      return (Endpoint) Proxy.newProxyInstance(Endpoint.class.getClassLoader(), new Class<?>[] {Endpoint.class},
        (proxy, method, arguments) -> address);
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
    public boolean isClosed() {
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
    protected long pendingBytes() {
      return 0;
    }

    @Override
    protected ConnectionStatistics statistics() {
      return null;
    }
  }

  /** Accepted peers have another address each time. Nothing connects to these addresses. */
  @Test
  void acceptedPeersDoNotEvictTheAddressOfAPeerThatWasConnectedTo() throws Exception {
    assumeTrue(Epoll.isAvailable(), "Netty's native library for Linux is not here");
    Vertx vertx = Vertx.builder().withTransport(Transport.EPOLL).build();
    InMemoryFabric fabric = InMemoryFabric.create("waker", InMemoryFabric.CAPABILITIES.toBuilder().waiting(Waiting.NONE).build(),
      InMemoryFabric.LIMITS);
    try (Domain domain = fabric.device().open()) {
      ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
      DeviceLoop loop = await(DeviceLoop.open(new EventLoopHost(context), domain, LoopOptions.DEFAULT));
      byte[] wakeAddress = loop.wakeAddress();
      assertTrue(wakeAddress.length > 0, "peers need not wake the loop");
      EndpointAddress acceptor = EndpointAddress.of("acceptor");
      Promise<Void> done = Promise.promise();
      context.runOnContext(v -> {
        try {
          EndpointWaker connected = new Peer(loop, acceptor).waker;
          connected.wakeUntilOpen();
          connected.opened(wakeAddress);
          connected.close();
          for (int i = 0; i <= PeerWakers.MAX_ADDRESSES; i++) {
            EndpointWaker accepted = new Peer(loop, EndpointAddress.of("connector " + i)).waker;
            accepted.opened(wakeAddress);
            accepted.close();
          }
          assertArrayEquals(wakeAddress, loop.wakers.addressOf(acceptor));
          loop.close(new IllegalStateException("the test has ended")).onComplete(done);
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
