package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.poll.LoopHost;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vertx.core.Completable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * A simulated TCP connection as two streams. Bytes are delayed, ordered, and cut anywhere. The sender's kernel takes them up to a limit.
 * The kernel of a process that ends delivers what it took, and resets the connection if bytes were not read.
 */
public final class SimulatedTcp {
  private static final int KERNEL = 20 << 10;
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
    this.client = new End(client);
    this.server = new End(server);
    this.client.peer = this.server;
    this.server.peer = this.client;
  }

  ByteStream client() {
    return client;
  }

  ByteStream server() {
    return server;
  }

  /** Returns the number of bytes whose writes have completed at the client, and that the server has not read. */
  public long unread() {
    return client.completed - server.received;
  }

  public void kill(boolean ofClient) {
    (ofClient ? client : server).die();
  }

  private static final class Unsent {
    final byte[] bytes;
    final Completable<Void> done;
    int taken;

    Unsent(byte[] bytes, Completable<Void> done) {
      this.bytes = bytes;
      this.done = done;
    }
  }

  private final class End implements ByteStream {
    private final LoopHost loop;
    private End peer;
    private Receiver receiver;
    private final ArrayDeque<Unsent> unsent = new ArrayDeque<>();
    private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
    private int held;
    private long completed;
    private long received;
    private long arrival;
    private boolean reading;
    private boolean ended;
    private boolean closed;
    private boolean reset;

    End(LoopHost loop) {
      this.loop = loop;
    }

    @Override
    public void start(Receiver to) {
      receiver = to;
      reading = true;
      loop.execute(this::deliver);
    }

    @Override
    public void write(ByteBuf bytes, Completable<Void> done) {
      byte[] copy = ByteBufUtil.getBytes(bytes);
      bytes.release();
      if (ended || closed) {
        done.fail(new IOException("Broken pipe"));
      } else {
        unsent.add(new Unsent(copy, done));
        take();
      }
    }

    private void take() {
      while (!closed && !unsent.isEmpty()) {
        Unsent next = unsent.peek();
        int room = Math.min(KERNEL - held, next.bytes.length - next.taken);
        if (room <= 0 && next.taken < next.bytes.length) {
          return;
        }
        int cut = room == 0 || random.nextInt(3) > 0 ? room : 1 + random.nextInt(room);
        if (next.bytes == END) {
          send(END);
        } else if (cut > 0) {
          held += cut;
          send(Arrays.copyOfRange(next.bytes, next.taken, next.taken + cut));
          next.taken += cut;
        }
        if (next.taken == next.bytes.length) {
          unsent.poll();
          completed += next.bytes.length;
          next.done.succeed();
        }
      }
    }

    private void send(byte[] what) {
      arrival = Math.max(arrival, loop.nanoTime() + 1 + random.nextInt(longest));
      timers.after(arrival - loop.nanoTime(), () -> {
        if (!reset || what == RESET) {
          peer.arrive(what);
        }
      });
    }

    private void arrive(byte[] what) {
      if (!closed) {
        arrived.add(what);
        loop.execute(this::deliver);
      } else if (what != END && what != RESET) {
        send(RESET);
      }
    }

    private void deliver() {
      while (reading && !closed && !arrived.isEmpty()) {
        byte[] next = arrived.poll();
        if (next == RESET) {
          over(new IOException("Connection reset by peer"));
        } else if (next == END) {
          receiver.ended();
        } else {
          received += next.length;
          timers.after(1 + random.nextInt(longest), () -> peer.read(next.length));
          receiver.received(Unpooled.wrappedBuffer(next));
        }
      }
    }

    private void read(int bytes) {
      held -= bytes;
      loop.execute(this::take);
    }

    private void over(Throwable cause) {
      closed = true;
      unsent.forEach(each -> each.done.fail(new IOException("closed")));
      unsent.clear();
      if (receiver != null) {
        receiver.closed(cause);
      }
    }

    private void die() {
      if (!closed) {
        closed = true;
        unsent.clear();
        leave();
      }
    }

    private void leave() {
      boolean unread = arrived.stream().anyMatch(each -> each.length > 0);
      if (unread || reset) {
        send(RESET);
      } else if (!ended) {
        send(END);
      }
    }

    @Override
    public void end() {
      if (!ended && !closed) {
        ended = true;
        unsent.add(new Unsent(END, (v, cause) -> {
        }));
        take();
      }
    }

    @Override
    public void closing() {
      reading = true;
      loop.execute(this::deliver);
    }

    @Override
    public void close() {
      if (!closed) {
        Completable<Void> last = (v, cause) -> {
          if (!closed) {
            leave();
            over(null);
          }
        };
        unsent.add(new Unsent(new byte[0], last));
        take();
      }
    }

    @Override
    public void abort(String why) {
      if (!closed) {
        reset = true;
        leave();
        over(null);
      }
    }

    @Override
    public int maxWrite() {
      return 1 << 20;
    }

    @Override
    public void receiving(boolean on) {
      reading = on;
      if (on) {
        loop.execute(this::deliver);
      }
    }

    @Override
    public SocketAddress localAddress() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    }

    @Override
    public SocketAddress remoteAddress() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);
    }
  }
}
