package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A handler of a link's end closes the loop: the endpoint closes before the queue, which another thread closes. */
@Timeout(60)
class LoopClosedByAnEndTest {
  private final InMemoryFabric fabric = InMemoryFabric.create("end", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final VirtualTime time = new VirtualTime();
  private final List<String> closed = new ArrayList<>();
  private final LinkIdentity identity = new LinkIdentity(() -> NodeEntry.local("node", 1), new PlainHandshake(new byte[] {1, 2, 3}),
    LinkWatcher.NONE);

  @Test
  void closesTheEndpointFirst() {
    Domain domain = new Watched().open();
    DeviceLoop server = open(domain, 1);
    DeviceLoop client = open(domain, 2);
    LinkListener listener = LinkListener.listen(server, null, 0, at -> identity, greeted -> new LinkPair.Side(greeted.accept(new byte[0])))
      .result();
    Future<Link> connecting = LinkConnector.connect(client, listener.localAddress(), identity, "service", new byte[0], 20_000,
      link -> link);
    pass();
    Promise<Void> over = Promise.promise();
    connecting.result().close((v, failure) -> client.close(new RdmaException(Reason.CLOSED, "closed")).onComplete(over));
    pass();
    assertTrue(over.future().succeeded());
    assertEquals(List.of("endpoint", "queue"),
      closed.stream().filter(each -> each.endsWith("2")).map(each -> each.substring(0, each.length() - 2)).toList());
    listener.close();
    server.close(new RdmaException(Reason.CLOSED, "closed"));
    pass();
    domain.close();
    assertEquals(Map.of(), fabric.open());
  }

  private void pass() {
    time.pass(TimeUnit.SECONDS.toNanos(15));
  }

  private DeviceLoop open(Domain domain, long seed) {
    Future<DeviceLoop> opening = DeviceLoop.open(new SimulatedLoop(time, seed) {
      /** Runs the work before the loop's next task, as another thread may. */
      @Override
      public <T> Future<T> blocking(Callable<T> work) {
        try {
          return Future.succeededFuture(work.call());
        } catch (Exception e) {
          return Future.failedFuture(e);
        }
      }
    }, domain, LoopOptions.DEFAULT);
    pass();
    return opening.result();
  }

  private final class Watched extends ForwardingDevice {
    Watched() {
      super(fabric.device(), "watched");
    }

    @Override
    public Domain open() {
      return new ForwardingDomain(this, raw().open()) {
        private int queues;

        @Override
        protected ForwardingQueue newQueue(CompletionQueue behind) {
          return new Queue(behind, ++queues);
        }

        @Override
        protected ForwardingEndpoint newEndpoint(ForwardingQueue queue, EndpointOptions options, EndpointHandler handler) {
          return new ForwardingEndpoint(this, queue, options, handler) {
            @Override
            public void close() {
              closed.add("endpoint " + ((Queue) queue).number);
              super.close();
            }
          };
        }
      };
    }
  }

  private final class Queue extends ForwardingQueue {
    private final int number;

    Queue(CompletionQueue behind, int number) {
      super(behind);
      this.number = number;
    }

    @Override
    public void close() {
      closed.add("queue " + number);
      super.close();
    }
  }
}
