package io.github.vertxrdma.impl.api;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RdmaDevice;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.forward.ForwardingQueue;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Another thread frees a closed device. A task of the loop that has begun must be able to use and close endpoints meanwhile. */
@Timeout(60)
class RdmaDeviceCloseTest {
  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final InMemoryFabric fabric = InMemoryFabric.create("closing", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final AtomicInteger closedQueues = new AtomicInteger();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void deviceClosedByHandlerLetsTheHandlerContinue() throws Exception {
    ContextInternal context = vertx.createEventLoopContext();
    RdmaDevice device = await(RdmaDeviceImpl.open(context, watched(), new ClosingScope()));
    assertEquals(0, await(device.run(() -> {
      device.close();
      CountDownLatch behind = new CountDownLatch(1);
      context.executeBlockingInternal(() -> {
        behind.countDown();
        return null;
      });
      behind.await();
      return closedQueues.get();
    })));
    await(device.close());
    assertEquals(1, closedQueues.get());
    assertEquals(Map.of(), fabric.open());
  }

  private Device watched() {
    return new ForwardingDevice(fabric.device(), "watched") {
      @Override
      public Domain open() {
        return new ForwardingDomain(this, raw().open()) {
          @Override
          protected ForwardingQueue newQueue(CompletionQueue behind) {
            return new ForwardingQueue(behind) {
              @Override
              public void close() {
                closedQueues.incrementAndGet();
                super.close();
              }
            };
          }
        };
      }
    };
  }
}
