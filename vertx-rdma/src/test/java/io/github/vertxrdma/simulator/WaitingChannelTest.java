package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.api.ClosingScope;
import io.github.vertxrdma.impl.api.RdmaConnectionImpl;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.impl.transport.SimulatedChannels;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class WaitingChannelTest {
  private static final VertxInternal VERTX = (VertxInternal) Vertx.vertx();
  private static final FabricChoice CHOICE = new FabricChoice("memory", "simulated", "simulated", EndpointType.MSG, List.of(), List.of());
  private static final byte[] NONE = {};
  private static final int MIB = 1 << 20;

  private final VirtualTime time = new VirtualTime();
  private final SimulatedLoop host = new SimulatedLoop(time, 1);
  private final SimulatedLoop otherHost = new SimulatedLoop(time, 2);
  private final ContextInternal context = SimulatedEventLoop.context(VERTX, host);
  private final ContextInternal otherContext = SimulatedEventLoop.context(VERTX, otherHost);
  private Domain domain;
  private DeviceLoop loop;
  private DeviceLoop other;
  private LinkListener listener;
  private RdmaConnection writer;
  private Link taken;
  private DuplexChannel channel;
  private int reads;
  private long read;

  @BeforeEach
  void connect() {
    domain = InMemoryFabric.create("waiting", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device().open();
    loop = now(DeviceLoop.open(host, domain, LoopOptions.DEFAULT));
    other = now(DeviceLoop.open(otherHost, domain, LoopOptions.DEFAULT));
    listener = LinkListener.listen(other, null, 0, at -> identity(), incoming -> {
      taken = incoming.accept(NONE);
      channel = SimulatedChannels.accepted(taken, otherContext.nettyEventLoop());
    }).result();
    writer = now(LinkConnector.connect(loop, listener.localAddress(), identity(), "any", NONE, 1_000,
      link -> new RdmaConnectionImpl(context, link, CHOICE, null, new ClosingScope(), 1_000)));
    channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext handler, Object message) {
        reads++;
        read += ((ByteBuf) message).readableBytes();
        ((ByteBuf) message).release();
      }
    });
  }

  private static LinkIdentity identity() {
    return new LinkIdentity(() -> NodeEntry.local("node", 1), new PlainHandshake(Node.WORD), LinkWatcher.NONE);
  }

  private <T> T now(Future<T> future) {
    pass();
    assertTrue(future.succeeded(), () -> "not done: " + future.cause());
    return future.result();
  }

  private void pass() {
    time.pass(TimeUnit.SECONDS.toNanos(10));
  }

  private void register() {
    otherHost.execute(() -> channel.unsafe().register(otherContext.nettyEventLoop(), channel.newPromise()));
    pass();
  }

  private void end() {
    listener.close();
    now(loop.close(new IllegalStateException("the test is over")));
    now(other.close(new IllegalStateException("the test is over")));
    domain.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {10_000, 2 * MIB})
  void bytesThatWaitAreBounded(int size) {
    int count = 24 * MIB / size;
    for (int i = 0; i < count; i++) {
      writer.write(Buffer.buffer(new byte[size]));
    }
    pass();
    long waiting = taken.statistics().traffic().bytesReceived();
    assertTrue(waiting > 0 && waiting <= 6 * MIB, waiting + " bytes wait");
    register();
    assertEquals((long) count * size, read);
    end();
  }

  @Test
  void messagesWithoutBytesAreNotRead() {
    for (int i = 0; i < 100; i++) {
      writer.write(Buffer.buffer());
    }
    writer.write(Buffer.buffer(new byte[1]));
    register();
    assertEquals(1, read);
    assertEquals(1, reads);
    end();
  }
}
