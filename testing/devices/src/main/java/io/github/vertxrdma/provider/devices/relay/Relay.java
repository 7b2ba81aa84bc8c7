package io.github.vertxrdma.provider.devices.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A TCP relay between clients and a server on this host. It simulates a slow, one-way or interrupted network. */
public final class Relay implements AutoCloseable {
  private static final int CHUNK = 16_384;
  private static final long NEVER = Long.MAX_VALUE;

  public enum Way {
    TO_SERVER, TO_CLIENT
  }

  private final ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
  private final int target;
  private final List<Socket> sockets = new ArrayList<>();
  /** Client sockets of connections that {@link #halfOpen} has reset at the server. */
  private final List<Socket> halfOpen = new ArrayList<>();
  /** Exceptions of tasks are ignored: one of their sockets was closed. */
  private final ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().name("relay").factory());
  private final Map<Way, Boolean> held = new EnumMap<>(Map.of(Way.TO_SERVER, false, Way.TO_CLIENT, false));
  private volatile long delayNanos;
  private volatile int bytesPerMilli = Integer.MAX_VALUE;
  private long leftToServer = NEVER;
  private long passed;
  private boolean closed;

  /** @param target port of the real server */
  public Relay(int target) throws IOException {
    this.target = target;
    threads.submit(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  public synchronized long passed() {
    return passed;
  }

  public void delay(long millis) {
    delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /**
   * Limits the rate in each direction.
   *
   * @param bytes bytes per millisecond
   */
  public void rate(int bytes) {
    bytesPerMilli = bytes;
  }

  /** Stops the transfer of data and end of data in a direction. Connections stay open. */
  public synchronized void hold(Way way) {
    held.put(way, true);
  }

  /** Resets the connection that reaches a number of further bytes to the server. */
  public synchronized void resetAfter(long bytes) {
    leftToServer = bytes;
  }

  /** Ends all faults. Connections that were reset stay closed. */
  public synchronized void calm() {
    delay(0);
    rate(Integer.MAX_VALUE);
    held.replaceAll((way, now) -> false);
    leftToServer = NEVER;
    notifyAll();
  }

  public synchronized void end() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  public synchronized void reset() throws IOException {
    for (Socket socket : sockets) {
      reset(socket);
    }
  }

  /** Resets all connections at the server. A client notices when it sends, or after {@link #resetHalfOpen}. */
  public synchronized void halfOpen() throws IOException {
    for (Socket socket : sockets) {
      if (socket.getPort() == target) {
        reset(socket);
      } else {
        halfOpen.add(socket);
      }
    }
  }

  /** Resets the clients after {@link #halfOpen}, because clients that only receive would wait forever. */
  public synchronized void resetHalfOpen() throws IOException {
    for (Socket client : halfOpen) {
      reset(client);
    }
    halfOpen.clear();
  }

  private static void reset(Socket socket) throws IOException {
    if (!socket.isClosed()) {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  private Void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      Socket server = new Socket();
      synchronized (this) {
        if (closed) {
          client.close();
          return null;
        }
        sockets.add(client);
        sockets.add(server);
      }
      try {
        server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
      } catch (IOException e) {
        reset(client);
        forget(client, server);
        continue;
      }
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      AtomicInteger ways = new AtomicInteger(2);
      threads.submit(() -> pass(client, server, Way.TO_SERVER, ways));
      threads.submit(() -> pass(server, client, Way.TO_CLIENT, ways));
    }
  }

  /** Passes data in one direction. Closes both sockets when both directions have ended. */
  private Void pass(Socket from, Socket to, Way way, AtomicInteger ways) throws IOException {
    try {
      pass(from, to, way);
      return null;
    } catch (IOException e) {
      if (!from.isClosed() && !to.isClosed()) {
        // Resets both ends, because one end has reset the connection.
        reset(from);
        reset(to);
      }
      throw e;
    } finally {
      if (ways.decrementAndGet() == 0) {
        from.close();
        to.close();
        forget(from, to);
      }
    }
  }

  private synchronized void forget(Socket... ended) {
    sockets.removeAll(List.of(ended));
    halfOpen.removeAll(List.of(ended));
  }

  private void pass(Socket from, Socket to, Way way) throws IOException {
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    byte[] bytes = new byte[CHUNK];
    for (int length; (length = in.read(bytes)) >= 0;) {
      LockSupport.parkNanos(delayNanos + TimeUnit.MILLISECONDS.toNanos(length / bytesPerMilli));
      int part = admit(way, length);
      boolean passes = part == length && !to.isClosed();
      if (!to.isClosed()) {
        out.write(bytes, 0, part);
      }
      if (!passes) {
        reset(from);
        reset(to);
        return;
      }
    }
    admit(way, 0);
    to.shutdownOutput();
  }

  /** Waits while the direction is held. @return number of bytes that may pass */
  private synchronized int admit(Way way, int length) throws IOException {
    while (held.get(way) && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    int part = length;
    if (way == Way.TO_SERVER && leftToServer != NEVER) {
      part = (int) Math.min(length, leftToServer);
      leftToServer -= part;
    }
    passed += part;
    return part;
  }

  @Override
  public void close() throws Exception {
    synchronized (this) {
      closed = true;
      calm();
      listener.close();
      end();
    }
    threads.shutdown();
    threads.awaitTermination(20, TimeUnit.SECONDS);
  }
}
