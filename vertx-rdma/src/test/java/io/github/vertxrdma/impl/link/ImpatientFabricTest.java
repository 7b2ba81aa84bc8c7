package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A fabric that gives up its first connect early, as iWARP in the kernel does after 10 s. */
@Timeout(60)
class ImpatientFabricTest {
  private static final byte[] NONE = {};

  private final VirtualTime time = new VirtualTime();
  private final InMemoryFabric fabric = InMemoryFabric.create("impatient", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private int connects;

  @ParameterizedTest
  @CsvSource({"10, 60000, 2", "10, 10000, 1", "0, 60000, 1"})
  void itIsAskedAgainInTheTimeThatIsLeft(int seconds, int timeout, int expected) {
    Future<Link> link;
    try (Domain domain = fabric.device().open(); Domain impatient = new Impatient(seconds)) {
      DeviceLoop server = open(domain);
      DeviceLoop client = open(impatient);
      LinkListener listener = LinkListener.listen(server, null, 0, at -> identity("server"), incoming -> incoming.accept(NONE)).result();
      link = LinkConnector.connect(client, listener.localAddress(), identity("client"), "service", NONE, timeout,
        made -> made);
      time.pass(TimeUnit.SECONDS.toNanos(70));
      listener.close();
      server.close(new IllegalStateException("the test is over"));
      client.close(new IllegalStateException("the test is over"));
      time.pass(TimeUnit.SECONDS.toNanos(5));
    }
    assertEquals(expected == 2, link.succeeded(), () -> String.valueOf(link.cause()));
    assertTrue(link.isComplete());
    assertEquals(expected, connects);
    assertEquals(Map.of(), fabric.open());
  }

  private DeviceLoop open(Domain domain) {
    Future<DeviceLoop> opening = DeviceLoop.open(new SimulatedLoop(time, 1), domain, LoopOptions.DEFAULT);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    return opening.result();
  }

  private static LinkIdentity identity(String name) {
    return new LinkIdentity(() -> NodeEntry.local(name, 1), new PlainHandshake(new byte[] {1, 2, 3}), LinkWatcher.NONE);
  }

  private static final class Behind extends ForwardingDevice {
    Behind(InMemoryFabric fabric) {
      super(fabric.device(), "impatient");
    }
  }

  private final class Impatient extends ForwardingDomain {
    private final int seconds;

    Impatient(int seconds) {
      super(new Behind(fabric), fabric.device().open());
      this.seconds = seconds;
    }

    @Override
    protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
      return new ForwardingEndpoint(this, queue, options, handler) {
        @Override
        public void connect(EndpointAddress remote, byte[] privateData) {
          if (++connects > 1) {
            super.connect(remote, privateData);
          } else {
            time.after(TimeUnit.SECONDS.toNanos(seconds), () -> onDisconnected(
              new ProviderException(ProviderException.Reason.TIMEOUT, "the peer did not answer")));
          }
        }
      };
    }
  }
}
