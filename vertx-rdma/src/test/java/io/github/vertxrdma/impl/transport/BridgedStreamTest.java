package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.vertx.core.Promise;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BridgedStreamTest {
  private static final int MESSAGE = 64 << 10;
  private static final int MESSAGES = 200;

  @Test
  void writeFailsWhenTheLoopOfTheStreamHasEnded() throws Exception {
    EventLoop there = new DefaultEventLoop();
    assertTrue(there.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(20, TimeUnit.SECONDS));
    ByteStream unreached = (ByteStream) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {ByteStream.class},
      (proxy, method, arguments) -> fail(method + " of a stream whose loop has ended"));
    ByteBuf bytes = Unpooled.buffer().writeInt(1);
    Promise<Void> done = Promise.promise();
    new BridgedStream(unreached, there, new DefaultEventLoop()).write(bytes, done);
    assertEquals(0, bytes.refCnt());
    assertInstanceOf(ClosedChannelException.class, done.future().cause());
  }

  private static final class Flood {
    private final EventLoop there;
    private final AtomicBoolean receiving = new AtomicBoolean(true);
    private final AtomicInteger sent = new AtomicInteger();
    private ByteStream.Receiver receiver;

    Flood(EventLoop there) {
      this.there = there;
    }

    ByteStream stream() {
      return (ByteStream) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {ByteStream.class},
        (proxy, method, arguments) -> {
          assertTrue(there.inEventLoop());
          switch (method.getName()) {
            case "start" -> receiver = (ByteStream.Receiver) arguments[0];
            case "receiving" -> receiving.set((Boolean) arguments[0]);
            default -> fail(method.getName());
          }
          there.execute(this::send);
          return null;
        });
    }

    private void send() {
      while (receiving.get() && sent.get() < MESSAGES) {
        receiver.received(Unpooled.wrappedBuffer(new byte[MESSAGE]).setInt(0, sent.getAndIncrement()));
      }
    }
  }

  @Test
  void aPeerIsHeldBackWhileTheLoopOfTheChannelIsBusy() throws Exception {
    EventLoop there = new DefaultEventLoop();
    EventLoop here = new DefaultEventLoop();
    CountDownLatch free = new CountDownLatch(1);
    try {
      here.execute(() -> assertDoesNotThrow(() -> assertTrue(free.await(20, TimeUnit.SECONDS))));
      Flood flood = new Flood(there);
      Queue<Integer> received = new ConcurrentLinkedQueue<>();
      new BridgedStream(flood.stream(), there, here).start(new ByteStream.Receiver() {
        @Override
        public void received(ByteBuf bytes) {
          received.add(bytes.getInt(0));
          bytes.release();
        }

        @Override
        public void control(byte kind, long offset) {
        }

        @Override
        public void closed(Throwable cause) {
        }
      });
      until("the peer is held back, or has sent all", () -> !flood.receiving.get() || flood.sent.get() == MESSAGES);
      assertTrue(flood.sent.get() <= (4 << 20) / MESSAGE + 1, () -> flood.sent + " messages wait");
      free.countDown();
      until("all is received", () -> received.size() == MESSAGES);
      assertEquals(IntStream.range(0, MESSAGES).boxed().toList(), List.copyOf(received));
    } finally {
      free.countDown();
      for (EventLoop loop : List.of(there, here)) {
        assertTrue(loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(20, TimeUnit.SECONDS));
      }
    }
  }
}
