package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.peers.ControlHost;
import io.github.vertxrdma.impl.peers.ControlPipe;
import io.github.vertxrdma.simulator.world.Trace;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A model of TCP between the hosts of a simulated world. Bytes are delayed, arrive in order and in pieces of any size, wait while the
 * reader is stopped, and are lost with their connection. Hosts are cut off from each other. Connections are reset at one end or at both, or
 * fall silent. Kernels accept and acknowledge for stopped processes, and end connections that carry nothing.
 */
final class TcpModel {
  /** Bytes that a kernel buffers, and waiting bytes beyond them at which a writer has to stop or may go on. */
  private static final int KERNEL = 4 << 10;
  static final int HIGH = 8 << 10;
  private static final int LOW = 4 << 10;
  private static final int FIRST_PORT = 7000;
  /** Nanoseconds for which a kernel retransmits. A real one does so for 15 minutes, which is longer than a simulation. */
  private static final long RETRANSMISSION = TimeUnit.SECONDS.toNanos(70);
  private static final byte[] END = {};

  private final Consumer<End> accepted;
  private final VirtualTime time;
  private final SplittableRandom random;
  private final Trace trace;
  private final int delay;
  private long keepAlive = TimeUnit.SECONDS.toNanos(30);
  private final Map<Long, Door> doors = new HashMap<>();
  private final Map<Long, Long> cuts = new HashMap<>();
  private final Set<Integer> dark = new HashSet<>();
  private final Set<SimulatedHost> killed = new HashSet<>();
  private final Set<End> open = new LinkedHashSet<>();
  private int ends;

  private record Door(SimulatedHost host, Handler<ControlPipe> handler) {
  }

  TcpModel(VirtualTime time, long seed, Trace trace, Consumer<End> accepted) {
    this.time = time;
    this.random = new SplittableRandom(seed);
    this.trace = trace;
    this.accepted = accepted;
    this.delay = 1 + random.nextInt(random.nextBoolean() ? 200_000 : 5_000_000);
  }

  /**
   * Sets the time without an acknowledgement after which kernels end connections: three quarters of the time after which a node counts as
   * dead.
   */
  void deadMillis(long millis) {
    keepAlive = TimeUnit.MILLISECONDS.toNanos(millis) * 3 / 4;
  }

  private long delay() {
    return 1 + random.nextInt(random.nextInt(30) == 0 ? 10 * delay : delay);
  }

  private static long at(int host, int port) {
    return (long) host << 16 | port;
  }

  private static long pair(int a, int b) {
    return (long) Math.min(a, b) << 32 | Math.max(a, b);
  }

  void cut(int a, int b, long nanos) {
    trace.note("cut", a, b, nanos);
    cuts.merge(pair(a, b), time.now() + nanos, Math::max);
  }

  private long cutUntil(int a, int b) {
    return cuts.getOrDefault(pair(a, b), 0L);
  }

  /**
   * Ends a process and its sockets.
   *
   * @param power whether the kernel of the host ends too, which then reports nothing until {@link #light}
   */
  void kill(SimulatedHost host, boolean power) {
    trace.note("kill", host.number, power ? 1 : 0, 0);
    killed.add(host);
    doors.values().removeIf(door -> door.host == host);
    for (End end : List.copyOf(open)) {
      if (end.host == host) {
        end.gone = power;
        if (power) {
          end.wire.clear();
        } else {
          end.send(END);
        }
        end.over();
      }
    }
    if (power) {
      dark.add(host.number);
    }
  }

  void light(int host) {
    dark.remove(host);
  }

  List<End> open() {
    return List.copyOf(open);
  }

  int doors() {
    return doors.size();
  }

  void calm() {
    cuts.clear();
    dark.clear();
  }

  void end() {
    open.forEach(end -> end.keepAliveTimer.run());
  }

  Future<ControlHost.Listening> listen(SimulatedHost host, int port, Handler<ControlPipe> handler) {
    int free = port;
    if (port == 0) {
      free = FIRST_PORT;
      while (doors.containsKey(at(host.number, free))) {
        free++;
      }
    }
    int chosen = free;
    Door door = new Door(host, handler);
    if (doors.putIfAbsent(at(host.number, chosen), door) != null) {
      return Future.failedFuture(new BindException("in use"));
    }
    return Future.succeededFuture(new ControlHost.Listening(chosen, () -> {
      doors.remove(at(host.number, chosen), door);
      return Future.succeededFuture();
    }));
  }

  Future<End> connect(SimulatedHost from, int to, int port, long timeoutMillis) {
    Promise<End> promise = Promise.promise();
    long limit = time.now() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    time.after(delay(), () -> reach(from, to, port, limit, promise));
    return promise.future();
  }

  private void reach(SimulatedHost from, int to, int port, long limit, Promise<End> promise) {
    Door door = doors.get(at(to, port));
    long cutUntil = cutUntil(from.number, to);
    if (killed.contains(from)) {
      return;
    }
    if (dark.contains(to) || cutUntil >= limit) {
      time.after(limit - time.now(), () -> from.execute(() -> promise.tryFail(new ConnectTimeoutException("timed out"))));
    } else if (cutUntil > time.now()) {
      time.after(cutUntil - time.now(), () -> reach(from, to, port, limit, promise));
    } else if (door == null) {
      time.after(delay(), () -> from.execute(() -> promise.fail(new ConnectException("refused"))));
    } else {
      End here = new End(from);
      End there = new End(door.host);
      here.peer = there;
      there.peer = here;
      there.acceptor = true;
      there.arrive(() -> {
        there.accepted = true;
        accepted.accept(there);
        door.handler.handle(there);
      });
      here.arrive(() -> promise.complete(here));
    }
  }

  final class End implements ControlPipe {
    final SimulatedHost host;
    final int number = ends++;
    final long since = time.now();
    boolean acceptor;
    private boolean accepted;
    End peer;
    private Handler<Buffer> handler = data -> {};
    private Handler<Throwable> closeHandler = cause -> {};
    private final ArrayDeque<byte[]> wire = new ArrayDeque<>();
    private final ArrayDeque<Runnable> inbound = new ArrayDeque<>();
    private final List<Promise<Void>> writes = new ArrayList<>();
    private long arrival;
    private int waiting;
    private boolean full;
    private boolean closed;
    private boolean silent;
    /** Whether its kernel has forgotten the connection, and answers with a reset. */
    private boolean gone;
    private long acknowledged = time.now();
    /** Time since which bytes are lost, so that the kernel retransmits them and sends no keep-alives. 0 for never. */
    private long unacknowledged;
    private Runnable keepAliveTimer;

    End(SimulatedHost host) {
      this.host = host;
      open.add(this);
      keepAliveTimer = time.after(keepAlive / 4, this::keepAlive);
    }

    private void keepAlive() {
      if (closed || gone) {
        return;
      }
      if (!silent && !dark.contains(host.number) && !dark.contains(peer.host.number)
        && cutUntil(host.number, peer.host.number) <= time.now()) {
        if (peer.gone) {
          reset(false);
          return;
        }
        acknowledged = time.now();
      } else if (unacknowledged != 0 ? time.now() - unacknowledged >= RETRANSMISSION : time.now() - acknowledged >= keepAlive) {
        reset(false);
        return;
      }
      keepAliveTimer = time.after(keepAlive / 4, this::keepAlive);
    }

    @Override
    public void handler(Handler<Buffer> value) {
      handler = value;
    }

    @Override
    public void closeHandler(Handler<Throwable> value) {
      closeHandler = value;
    }

    @Override
    public SocketAddress remoteAddress() {
      return new InetSocketAddress(peer.host.address(), peer.number & 0xffff);
    }

    @Override
    public boolean writeQueueFull() {
      return full;
    }

    /** Returns whether the process, and not only its kernel, has accepted the connection. */
    boolean isAccepted() {
      return accepted;
    }

    int unread() {
      return waiting;
    }

    int waiting() {
      return Math.max(0, waiting - KERNEL);
    }

    @Override
    public Future<Void> write(Buffer data) {
      if (closed) {
        return Future.failedFuture(new IOException("closed"));
      }
      byte[] bytes = host.tamper.apply(data.getBytes());
      waiting += bytes.length;
      full |= waiting() > HIGH;
      for (int at = 0; at < bytes.length;) {
        int end = random.nextInt(3) > 0 ? bytes.length : at + 1 + random.nextInt(bytes.length - at);
        send(Arrays.copyOfRange(bytes, at, end));
        at = end;
      }
      if (waiting() == 0) {
        return Future.succeededFuture();
      }
      Promise<Void> written = Promise.promise();
      writes.add(written);
      return written.future();
    }

    private void send(byte[] bytes) {
      wire.add(bytes);
      arrival = Math.max(arrival, time.now() + delay());
      time.after(arrival - time.now(), this::carried);
    }

    private void carried() {
      long cutUntil = cutUntil(host.number, peer.host.number);
      if (wire.isEmpty()) {
        return;
      }
      if (cutUntil > time.now()) {
        time.after(cutUntil - time.now(), this::carried);
        return;
      }
      byte[] bytes = wire.poll();
      if (silent || gone || dark.contains(host.number) || dark.contains(peer.host.number)) {
        unacknowledged = unacknowledged == 0 ? time.now() : unacknowledged;
        return;
      }
      if (peer.gone) {
        time.after(delay(), () -> reset(false));
      } else {
        trace.note("carried", peer.host.number, peer.number, bytes.length);
        peer.arrive(() -> peer.take(bytes));
      }
    }

    private void arrive(Runnable what) {
      inbound.add(what);
      host.execute(() -> {
        Runnable next = inbound.poll();
        if (next != null) {
          next.run();
        }
      });
    }

    private void take(byte[] bytes) {
      if (bytes == END) {
        ended(null);
        return;
      }
      peer.taken(bytes.length);
      if (!closed) {
        handler.handle(Buffer.buffer(bytes));
      }
    }

    private void taken(int bytes) {
      waiting -= bytes;
      full &= waiting() > LOW;
      if (waiting() == 0) {
        List<Promise<Void>> done = List.copyOf(writes);
        writes.clear();
        done.forEach(Promise::tryComplete);
      }
    }

    /**
     * Resets the connection as a device on the way or the kernel of the peer does. @param both whether the peer is reset too, before it
     * sends
     */
    void reset(boolean both) {
      if (gone) {
        return;
      }
      gone = true;
      wire.clear();
      arrive(() -> ended(new IOException("Connection reset by peer")));
      if (both) {
        time.after(delay(), () -> peer.reset(false));
      }
    }

    void silence() {
      silent = true;
      peer.silent = true;
    }

    private void ended(IOException cause) {
      if (!closed) {
        over();
        closeHandler.handle(cause);
      }
    }

    private void over() {
      closed = true;
      open.remove(this);
      keepAliveTimer.run();
      trace.note("over", host.number, number, 0);
      List<Promise<Void>> lost = List.copyOf(writes);
      writes.clear();
      lost.forEach(each -> each.tryFail(new IOException("closed")));
    }

    @Override
    public void close() {
      if (!closed) {
        over();
        send(END);
        host.execute(() -> closeHandler.handle(null));
      }
    }
  }
}
