package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.*;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.vertx.core.Promise;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BridgedStreamTest {

  @Test
  void aWriterIsToldThatTheLoopOfTheStreamHasEnded() throws Exception {
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
}
