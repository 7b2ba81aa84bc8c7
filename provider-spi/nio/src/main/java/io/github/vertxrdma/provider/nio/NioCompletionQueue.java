package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.Completions;
import io.github.vertxrdma.provider.software.ConnectionEvents;
import io.github.vertxrdma.provider.software.Deadlines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The sockets of one thread: a poll asks the selector, lets the ready ones read and write, and drains what came of it. */
final class NioCompletionQueue implements CompletionQueue {
  private static final int STAGING = 64 * 1024;

  private final NioDomain domain;
  private final int capacity;
  private final Selector selector;
  private final Sleeper sleeper;
  private final Completions completions = new Completions();
  private final ConnectionEvents events = new ConnectionEvents(completions);
  private final RegionViews views;
  private final Deadlines deadlines = new Deadlines();
  private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING);
  private final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();
  private final ArrayDeque<ByteBuffer> outputs = new ArrayDeque<>();
  private final List<AutoCloseable> children = new ArrayList<>();
  private final ArrayList<SelectionKey> ready = new ArrayList<>();
  private final Consumer<SelectionKey> onReady = ready::add;
  private final Consumer<SelectionKey> ignore = key -> { };
  private ArrayDeque<Connection> runnable = new ArrayDeque<>();
  private ArrayDeque<Connection> running = new ArrayDeque<>();
  private final ArrayDeque<Connection> awaitingRoom = new ArrayDeque<>();
  private final List<LingeringSocket> lingering = new ArrayList<>();
  private volatile boolean closed;

  NioCompletionQueue(NioDomain domain, int capacity) {
    this.domain = domain;
    this.capacity = capacity;
    views = new RegionViews(domain.regions());
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw Sockets.failure("make a completion queue", e);
    }
    sleeper = new Sleeper(selector);
  }

  NioDomain domain() {
    return domain;
  }

  Completions completions() {
    return completions;
  }

  RegionViews views() {
    return views;
  }

  /** Runs something in so many milliseconds, unless it is cancelled. */
  Deadlines.Deadline deadline(long millis, Runnable late) {
    sleeper.disarm();
    return deadlines.in(millis, late);
  }

  /** Changes what is waited for. */
  void interest(SelectionKey key, int add, int remove) {
    int before = key.interestOps();
    int after = (before | add) & ~remove;
    if (after != before) {
      sleeper.disarm();
      key.interestOps(after);
    }
  }

  ByteBuffer staging() {
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
    deregister();
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
    views.trim();
    // While the sleeper sleeps no socket is ready, and taking the selector from it would cost a switch of threads.
    if (!sleeper.undisturbed()) {
      select();
    }
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

  private void select() {
    try {
      selector.selectNow(onReady);
    } catch (IOException e) {
      throw new ProviderException(Reason.OTHER, "nio: the selector failed: " + e.getMessage(), e);
    }
    for (int i = 0; i < ready.size(); i++) {
      SelectionKey key = ready.get(i);
      if (key.isValid()) {
        ((Selectable) key.attachment()).ready(key);
      }
    }
    ready.clear();
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

  SelectionKey register(SelectableChannel channel, int operations, Selectable attachment) throws IOException {
    sleeper.disarm();
    SelectionKey old = channel.keyFor(selector);
    if (old != null && !old.isValid()) {
      deregister();
    }
    return channel.register(selector, operations, attachment);
  }

  /** Waits for the peer's end of a connection that is over here, so that its last frames are not lost. */
  void linger(SocketChannel channel, SelectionKey key) {
    lingering.add(new LingeringSocket(this, channel, key));
  }

  void lingered(LingeringSocket socket) {
    lingering.remove(socket);
  }

  /** Sockets that were closed give their file descriptors back at the next selection. */
  private void deregister() {
    if (!closed && selector.isOpen()) {
      sleeper.disarm();
      try {
        selector.selectNow(ignore);
      } catch (IOException e) {
        // The next poll says so.
      }
    }
  }

  ByteBuffer borrow() {
    ByteBuffer buffer = buffers.poll();
    return buffer == null ? ByteBuffer.allocateDirect(STAGING) : buffer;
  }

  void giveBack(ByteBuffer buffer) {
    buffers.push(buffer.clear());
  }

  ByteBuffer borrowOutput() {
    ByteBuffer buffer = outputs.poll();
    return buffer == null ? Transmitter.newBuffer() : buffer;
  }

  void giveBackOutput(ByteBuffer buffer) {
    outputs.push(buffer.clear());
  }

  @Override
  public Waiting waiting() {
    return Waiting.WAKEUP;
  }

  @Override
  public int fd() {
    return -1;
  }

  @Override
  public boolean arm() {
    if (closed) {
      return true;
    }
    if (completions.size() > 0 || !events.isEmpty() || !runnable.isEmpty()) {
      return false;
    }
    if (sleeper.undisturbed()) {
      return true;
    }
    try {
      if (selector.selectNow(ignore) > 0) {
        return false;
      }
    } catch (IOException e) {
      return false;
    }
    sleeper.arm(deadlines.next());
    return true;
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    sleeper.handler(handler);
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
    sleeper.close();
    List.copyOf(lingering).forEach(LingeringSocket::close);
    try {
      selector.close();
    } catch (IOException e) {
      // It is of no use any more.
    }
    domain.forget(this);
  }
}
