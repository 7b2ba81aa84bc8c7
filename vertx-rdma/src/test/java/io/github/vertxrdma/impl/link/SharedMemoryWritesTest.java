package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.provider.contract.Devices;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedMemoryWritesTest {
  /** Bytes of the rings that a loop fills one after the other while its peer reads nothing. */
  private static final int RINGS = (16 + 64 + 256 + 1024) << 10;
  private static final int LINKS = 8;

  private final CountDownLatch resumed = new CountDownLatch(1);
  private LinkPair pair;

  @BeforeEach
  void start() throws Exception {
    pair = new LinkPair(null, Devices.require("shm"), LoopOptions.DEFAULT);
  }

  @AfterEach
  void stop() throws Exception {
    resumed.countDown();
    if (pair != null) {
      pair.close();
    }
  }

  private void stopServer() throws Exception {
    CountDownLatch stands = new CountDownLatch(1);
    pair.serverLoop.eventLoop().execute(() -> {
      stands.countDown();
      try {
        resumed.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
    stands.await();
  }

  private static byte[] bytes(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (size + i + (i >> 8));
    }
    return bytes;
  }

  @Test
  void writeCompletesBeforeItReturnsWhileTheRingHasRoom() throws Exception {
    stopServer();
    int[] sizes = {1, 100, 4000, 20_000, 60_000};
    List<Integer> completed = pair.client.on(link -> {
      link.completeWritesOnArrival();
      List<Integer> done = new ArrayList<>();
      for (int size : sizes) {
        ByteBuf message = Unpooled.wrappedBuffer(bytes(size));
        link.send(message, (v, cause) -> {
          assertEquals(0, message.refCnt());
          done.add(cause == null ? size : -size);
        });
        assertEquals(size, done.isEmpty() ? 0 : done.getLast());
      }
      return done;
    });
    assertEquals(sizes.length, completed.size());
    resumed.countDown();
    List<ByteBuf> got = pair.server.awaitMessages(sizes.length);
    for (int i = 0; i < sizes.length; i++) {
      assertArrayEquals(bytes(sizes[i]), ByteBufUtil.getBytes(got.get(i)));
    }
  }

  /** Posts that find the ring full are accepted and wait in the provider. */
  @Test
  void writeThatFindsTheRingFullCompletesWhenItsPeerHasRead() throws Exception {
    int size = 15_000;
    List<LinkPair.Side> clients = new ArrayList<>();
    List<LinkPair.Side> servers = new ArrayList<>();
    for (int i = 0; i < LINKS; i++) {
      clients.add(pair.connect().get(20, TimeUnit.SECONDS));
      LinkPair.Side before = servers.isEmpty() ? pair.server : servers.getLast();
      pair.await(() -> pair.latest != before);
      servers.add(pair.latest);
    }
    stopServer();
    AtomicInteger completed = new AtomicInteger();
    int perLink = 16;
    pair.client.on(any -> {
      for (LinkPair.Side client : clients) {
        client.link.completeWritesOnArrival();
        for (int i = 0; i < perLink; i++) {
          client.link.send(Unpooled.wrappedBuffer(bytes(size)), (v, cause) -> completed.addAndGet(cause == null ? 1 : 0));
        }
      }
      return null;
    });
    long posted = pair.client.on(any -> clients.stream().mapToLong(client -> (long) perLink * size - client.link.pendingBytes()).sum());
    assertTrue(posted > RINGS, posted + " bytes were posted");
    int early = completed.get();
    assertTrue((long) early * size <= RINGS, early + " writes completed");
    assertTrue((long) early * size > RINGS / 2, early + " writes completed");
    resumed.countDown();
    for (LinkPair.Side server : servers) {
      server.awaitMessages(perLink);
    }
    pair.await(() -> completed.get() == perLink * LINKS);
  }
}
