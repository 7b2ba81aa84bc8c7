package io.github.vertxrdma.impl.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.link.LinkPair;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Credits that peers are granted of a shared queue never exceed the receives it holds. */
class SharedReceivesTest {
  private static final int RECEIVES = 256;

  private static int left(DeviceLoop loop) throws Exception {
    return loop.eventLoop().submit(() -> loop.budget.shared().left()).get(20, TimeUnit.SECONDS);
  }

  @Test
  @Timeout(60)
  void refusedLinksLeaveTheGrantsAsTheyWere() throws Exception {
    Limits l = InMemoryFabric.LIMITS;
    InMemoryFabric fabric = InMemoryFabric.create("few", InMemoryFabric.CAPABILITIES, new Limits(l.maxMessageSize(), l.maxTransferSize(),
      l.inlineSize(), l.sendDepth(), RECEIVES, l.scatterGather(), l.readsInFlight(), l.privateData(), l.maxRegionSize(), l.maxRegions(),
      l.completionQueueDepth(), l.keySize()));
    try (LinkPair pair = new LinkPair(fabric, fabric.rdmDevice(), LoopOptions.DEFAULT)) {
      int links = 1;
      int refused = 0;
      int full = 0;
      while (refused < 3) {
        try {
          pair.connect().get(20, TimeUnit.SECONDS);
          links++;
          assertEquals(0, refused, "a link was made after another had been refused");
        } catch (ExecutionException e) {
          if (refused++ == 0) {
            full = left(pair.clientLoop);
          }
          assertEquals(full, left(pair.clientLoop));
        }
        assertTrue(left(pair.clientLoop) >= 0 && left(pair.serverLoop) >= 0, links + " links");
      }
      assertTrue(links > 5, links + " links");
    }
  }
}
