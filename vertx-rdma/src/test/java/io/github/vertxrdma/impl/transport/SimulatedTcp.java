package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.poll.LoopHost;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.random.RandomGenerator;

/**
 * A simulated TCP connection as two channels. Bytes are delayed, ordered, and cut anywhere. The sender's kernel takes them up to a limit.
 * The kernel of a process that ends delivers what it took, and resets the connection if bytes were not read.
 */
public final class SimulatedTcp {
  private static final int KERNEL = 20 << 10;
  private static final int MOST_READS = 16;
  private static final byte[] END = {};
  private static final byte[] RESET = {};

  @FunctionalInterface
  public interface Timers {
    void after(long nanos, Runnable task);
  }

  private final Timers timers;
  private final RandomGenerator random;
  private final int longest;
  private final End client;
  private final End server;

  /** @param longest delay in nanoseconds */
  public SimulatedTcp(Timers timers, RandomGenerator random, int longest, LoopHost client, LoopHost server) {
    this.timers = timers;
    this.random = random;
    this.longest = longest;
    this.client = new End(client, 1, 2);
    this.server = new End(server, 2, 1);
    this.client.peer = this.server;
    this.server.peer = this.client;
    this.server.active = true;
  }

  DuplexChannel client() {
    return client;
  }

  DuplexChannel server() {
    return server;
  }

  public void kill(boolean ofClient) {
    End dead = ofClient ? client : server;
    if (!dead.closed) {
      dead.leave();
    }
  }

  private final class End extends AbstractChannel implements DuplexChannel {
    private final LoopHost loop;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
    private final Config config = new Config(this);
    private End peer;
    private int held;
    private long arrival;
    private boolean active;
    private boolean readPending;
    private boolean deliveryDue;
    private boolean inputEnded;
    private boolean outputEnded;
    private boolean closed;

    End(LoopHost loop, int local, int remote) {
      super(null);
      this.loop = loop;
      this.local = new InetSocketAddress(InetAddress.getLoopbackAddress(), local);
      this.remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), remote);
    }

    private void send(byte[] what) {
      arrival = Math.max(arrival, loop.nanoTime() + 1 + random.nextInt(longest));
      timers.after(arrival - loop.nanoTime(), () -> peer.arrive(what));
    }

    private void arrive(byte[] what) {
      if (!closed) {
        if (what == RESET) {
          arrived.clear();
        }
        arrived.add(what);
        deliverLater();
      } else if (what != END && what != RESET) {
        send(RESET);
      }
    }

    private void deliverLater() {
      if (!deliveryDue && readPending && isRegistered()) {
        deliveryDue = true;
        loop.execute(this::deliver);
      }
    }

    private void deliver() {
      deliveryDue = false;
      if (!readPending || closed || arrived.isEmpty()) {
        return;
      }
      readPending = false;
      for (int reads = 0; reads < MOST_READS && !closed && !arrived.isEmpty() && arrived.peek().length > 0; reads++) {
        byte[] next = arrived.poll();
        timers.after(1 + random.nextInt(longest), () -> peer.read(next.length));
        pipeline().fireChannelRead(Unpooled.wrappedBuffer(next));
      }
      pipeline().fireChannelReadComplete();
      byte[] next = closed ? null : arrived.peek();
      if (next == END || next == RESET) {
        arrived.poll();
        if (next == RESET) {
          pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
        }
        end();
      }
    }

    private void end() {
      inputEnded = true;
      if (config.halfClosure && !closed) {
        pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
      } else {
        unsafe().close(voidPromise());
      }
    }

    private void read(int bytes) {
      held -= bytes;
      loop.execute(() -> {
        if (!closed) {
          ((TcpUnsafe) unsafe()).flushAgain();
        }
      });
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
      while (in.current() instanceof ByteBuf next) {
        int size = next.readableBytes();
        int room = Math.min(KERNEL - held, size);
        if (room <= 0 && size > 0) {
          return;
        }
        int cut = room == 0 || random.nextInt(3) > 0 ? room : 1 + random.nextInt(room);
        if (cut > 0) {
          byte[] bytes = new byte[cut];
          next.getBytes(next.readerIndex(), bytes);
          held += cut;
          send(bytes);
          next.skipBytes(cut);
        }
        if (!next.isReadable()) {
          in.remove();
        }
      }
    }

    private void leave() {
      closed = true;
      if (arrived.stream().anyMatch(each -> each.length > 0) || Integer.valueOf(0).equals(config.linger)) {
        send(RESET);
      } else if (!outputEnded) {
        send(END);
      }
    }

    @Override
    protected void doClose() {
      if (!closed) {
        leave();
      }
    }

    @Override
    protected void doBeginRead() {
      readPending = true;
      deliverLater();
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
      return new TcpUnsafe();
    }

    private final class TcpUnsafe extends AbstractUnsafe {
      @Override
      public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
        active = true;
        promise.trySuccess();
        pipeline().fireChannelActive();
      }

      void flushAgain() {
        super.flush0();
      }
    }

    @Override
    protected void doShutdownOutput() {
      outputEnded = true;
      send(END);
    }

    @Override
    protected boolean isCompatible(EventLoop of) {
      return true;
    }

    @Override
    protected SocketAddress localAddress0() {
      return local;
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return remote;
    }

    @Override
    protected void doBind(SocketAddress to) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void doDisconnect() {
      doClose();
    }

    @Override
    public Config config() {
      return config;
    }

    @Override
    public ChannelMetadata metadata() {
      return new ChannelMetadata(false, MOST_READS);
    }

    @Override
    public boolean isOpen() {
      return !closed;
    }

    @Override
    public boolean isActive() {
      return active && !closed;
    }

    @Override
    public boolean isInputShutdown() {
      return inputEnded || closed;
    }

    @Override
    public boolean isOutputShutdown() {
      return outputEnded || closed;
    }

    @Override
    public boolean isShutdown() {
      return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownOutput() {
      return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
      ((TcpUnsafe) unsafe()).shutdownOutput(promise);
      return promise;
    }

    @Override
    public ChannelFuture shutdownInput() {
      throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdown() {
      throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
      throw new UnsupportedOperationException();
    }
  }

  private static final class Config extends DefaultChannelConfig {
    private boolean halfClosure;
    private Object linger;

    private Config(End channel) {
      super(channel);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
      return option == ChannelOption.ALLOW_HALF_CLOSURE ? (T) Boolean.valueOf(halfClosure) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
      if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
        halfClosure = (Boolean) value;
      } else if (option == ChannelOption.SO_LINGER) {
        linger = value;
      } else {
        return super.setOption(option, value);
      }
      return true;
    }

    @Override
    protected void autoReadCleared() {
      ((End) channel).readPending = false;
    }
  }
}
