package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.devices.fault.FaultyDevice;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages stay in order if the queue is full while a completion handler sends another message. */
@Timeout(60)
class LinkOrderTest {

  static Stream<Arguments> sizes() {
    return Stream.of(arguments(5_000, false), arguments(100, false), arguments(100_000, true));
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void fullQueueDuringHandlerKeepsTheOrder(int size, boolean inSegments) throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("order",
      inSegments ? InMemoryFabric.CAPABILITIES.toBuilder().waiting(Waiting.NONE).build() : InMemoryFabric.CAPABILITIES,
      InMemoryFabric.LIMITS);
    FaultyDevice device = FaultyDevice.over(fabric.device(), 1);
    try (LinkPair pair = new LinkPair(fabric, device, LoopOptions.DEFAULT)) {
      Link link = pair.client.link;
      pair.server.receiving(false);
      int credits = pair.client.on(l -> l.loop().statistics().connections().getFirst().dataCredits());
      pair.sendAll(pair.client, Collections.nCopies(credits, new byte[1]));
      pair.server.awaitMessages(credits);
      pair.client.on(l -> {
        link.send(message(size, 1), (v, failure) -> {
          device.faults().refusePosts(1);
          link.send(message(size, 3), null);
        });
        link.send(message(size, 2), null);
        return null;
      });
      pair.server.receiving(true);
      List<ByteBuf> got = pair.server.awaitMessages(credits + 3);
      for (int n = 1; n <= 3; n++) {
        assertEquals(message(size, n), got.get(credits + n - 1), "message " + n);
      }
      assertEquals(Map.of("post refused", 1L), device.faults().injected());
    }
  }

  private static ByteBuf message(int size, int content) {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) content);
    return Unpooled.wrappedBuffer(bytes);
  }
}
