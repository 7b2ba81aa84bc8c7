package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.Completions;
import io.github.vertxrdma.provider.software.ConnectionEvents;
import io.github.vertxrdma.provider.software.Deadlines;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The sockets of one thread: a poll asks the selector, lets the ready ones read and write, and drains what came of it. */
final class NioCompletionQueue implements CompletionQueue {
  private static final int STAGING = 64 * 1024;

  private final NioDomain domain;
  private final int capacity;
  private final SocketSet sockets;
  private final Completions completions = new Completions();
  private final ConnectionEvents events = new ConnectionEvents(completions);
  private final Deadlines deadlines = new Deadlines();
  private final SocketBuffer staging = new SocketBuffer(STAGING);
  private final ArrayDeque<SocketBuffer> buffers = new ArrayDeque<>();
  private final ArrayDeque<SocketBuffer> outputs = new ArrayDeque<>();
  private final List<AutoCloseable> children = new ArrayList<>();
  private ArrayDeque<Connection> runnable = new ArrayDeque<>();
  private ArrayDeque<Connection> running = new ArrayDeque<>();
  private final ArrayDeque<Connection> awaitingRoom = new ArrayDeque<>();
  private final List<LingeringSocket> lingering = new ArrayList<>();
  private volatile boolean closed;

  NioCompletionQueue(NioDomain domain, int capacity, SocketSet sockets) {
    this.domain = domain;
    this.capacity = capacity;
    this.sockets = sockets;
  }

  NioDomain domain() {
    return domain;
  }

  Completions completions() {
    return completions;
  }

  SocketSet sockets() {
    return sockets;
  }

  /** Runs something in so many milliseconds, unless it is cancelled. */
  Deadlines.Deadline deadline(long millis, Runnable late) {
    sockets.disturb();
    return deadlines.in(millis, late);
  }

  /** For one read at a time: what it holds is used up, or kept elsewhere, before the next. */
  SocketBuffer staging() {
    return staging;
  }

  boolean closed() {
    return closed;
  }

  <T extends AutoCloseable> T add(T child) {
    children.add(child);
    return child;
  }

  void remove(AutoCloseable child) {
    children.remove(child);
    sockets.sweep();
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public int poll(CompletionBatch batch) {
    batch.clear();
    if (closed) {
      return 0;
    }
    long returned = completions.head();
    events.tell(returned);
    completions.drain(batch);
    if (!batch.isFull() && !closed) {
      completions.open(batch);
      try {
        progress();
      } finally {
        completions.open(null);
      }
      events.tell(returned);
      completions.drain(batch);
    }
    while (!awaitingRoom.isEmpty() && completions.size() < capacity) {
      run(awaitingRoom.poll());
    }
    return batch.size();
  }

  private void progress() {
    sockets.poll();
    if (!runnable.isEmpty()) {
      ArrayDeque<Connection> now = runnable;
      runnable = running;
      running = now;
      while (!now.isEmpty()) {
        now.poll().run();
      }
    }
    deadlines.run();
  }

  /** Lets the connection go on in the next poll. */
  void run(Connection connection) {
    if (connection.markRunnable()) {
      runnable.add(connection);
    }
  }

  /** Tells of a connection event in the next poll. */
  void arrived(Runnable event) {
    events.arrived(event);
  }

  /** Tells of an endpoint's end after the completions before it. */
  void departed(Runnable event) {
    events.departed(event);
  }

  /** Whether a remote write may add a completion; otherwise the connection goes on when there is room. */
  boolean roomForRemoteWrite(Connection connection) {
    if (completions.size() < capacity) {
      return true;
    }
    if (!awaitingRoom.contains(connection)) {
      awaitingRoom.add(connection);
    }
    return false;
  }

  /** Waits for the peer's end of a connection that is over here, so that its last frames are not lost. */
  void linger(TcpSocket socket) {
    lingering.add(new LingeringSocket(this, socket));
  }

  void lingered(LingeringSocket socket) {
    lingering.remove(socket);
  }

  SocketBuffer borrow() {
    SocketBuffer buffer = buffers.poll();
    return buffer == null ? new SocketBuffer(STAGING) : buffer;
  }

  void giveBack(SocketBuffer buffer) {
    buffer.bytes.clear();
    buffers.push(buffer);
  }

  SocketBuffer borrowOutput() {
    SocketBuffer buffer = outputs.poll();
    return buffer == null ? Transmitter.newBuffer() : buffer;
  }

  void giveBackOutput(SocketBuffer buffer) {
    buffer.bytes.clear();
    outputs.push(buffer);
  }

  @Override
  public Waiting waiting() {
    return sockets.waiting();
  }

  @Override
  public int fd() {
    return closed ? -1 : sockets.fd();
  }

  @Override
  public boolean arm() {
    if (closed) {
      return true;
    }
    if (completions.size() > 0 || !events.isEmpty() || !runnable.isEmpty()) {
      return false;
    }
    return sockets.arm(deadlines.next());
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    sockets.wakeupHandler(handler);
  }

  @Override
  public int unannounced() {
    return 0;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    for (AutoCloseable child : List.copyOf(children.reversed())) {
      try {
        child.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    closed = true;
    List.copyOf(lingering).forEach(LingeringSocket::close);
    sockets.close();
    domain.forget(this);
  }
}
