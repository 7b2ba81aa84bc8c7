package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Waiting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Completion queue whose poll moves the data of its connections. */
public abstract class SoftwareQueue implements CompletionQueue {
  private final SoftwareDomain<?, ?> domain;
  private final int capacity;
  private final WaitSet sockets;
  private final Completions completions = new Completions();
  private final ConnectionEvents events = new ConnectionEvents(completions);
  private final Deadlines deadlines;
  private final List<AutoCloseable> children = new ArrayList<>();
  private final ArrayDeque<SoftwareEndpoint> runnable = new ArrayDeque<>();
  /** Entries that {@link SendQueue send queues} reuse. */
  final ArrayDeque<PostedOperation> unusedOperations = new ArrayDeque<>();
  private volatile boolean closed;

  protected SoftwareQueue(SoftwareDomain<?, ?> domain, int capacity, WaitSet sockets) {
    this(domain, capacity, sockets, System::nanoTime);
  }

  protected SoftwareQueue(SoftwareDomain<?, ?> domain, int capacity, WaitSet sockets, LongSupplier clock) {
    this.domain = domain;
    deadlines = new Deadlines(clock);
    this.capacity = capacity;
    this.sockets = sockets;
  }

  final SoftwareDomain<?, ?> owner() {
    return domain;
  }

  public final Completions completions() {
    return completions;
  }

  public final boolean isClosed() {
    return closed;
  }

  public final <T extends AutoCloseable> T add(T child) {
    children.add(child);
    return child;
  }

  public void remove(AutoCloseable child) {
    children.remove(child);
  }

  public final Deadline deadline(long millis, Runnable late) {
    sockets.disturb();
    return deadlines.set(late, millis, TimeUnit.MILLISECONDS);
  }

  /** Returns the milliseconds to the next deadline, at least 1; 0 if there is none. */
  protected final long due() {
    return deadlines.size() == 0 ? 0 : Math.max(1, Math.ceilDiv(deadlines.nanosToNext(), 1_000_000));
  }

  final void requested(Runnable event) {
    events.arrived(event);
  }

  public final void connected(SoftwareEndpoint endpoint, EndpointHandler handler, byte[] privateData) {
    events.arrived(() -> {
      if (endpoint.state() != EndpointState.CLOSED) {
        handler.connected(endpoint, privateData);
      }
    });
  }

  /** Lets a poll call the handler after earlier completions. */
  public final void disconnected(SoftwareEndpoint endpoint, EndpointHandler handler, ProviderException cause) {
    events.departed(() -> {
      if (endpoint.state() != EndpointState.CLOSED) {
        handler.disconnected(endpoint, cause);
      }
    });
  }

  public final boolean hasRoomForRemoteWrite() {
    return completions.size() < capacity;
  }

  protected final boolean hasWork() {
    return completions.size() > 0 || !events.isEmpty() || !runnable.isEmpty();
  }

  /** Lets the next poll run the endpoint. {@link #progress} must then call {@link #runEndpoints}. */
  public final void runLater(SoftwareEndpoint endpoint) {
    if (!endpoint.runnable) {
      endpoint.runnable = true;
      runnable.add(endpoint);
    }
  }

  protected final void runEndpoints() {
    for (int n = runnable.size(); n > 0; n--) {
      runnable.poll().runNow();
    }
  }

  @Override
  public final int capacity() {
    return capacity;
  }

  @Override
  public final int poll(CompletionBatch batch) {
    batch.clear();
    if (closed) {
      return 0;
    }
    pollBegins();
    long returned = completions.head();
    events.deliver(returned);
    completions.drain(batch);
    if (!batch.isFull() && !closed) {
      completions.open(batch);
      try {
        progress(batch);
        deadlines.run();
      } finally {
        completions.open(null);
      }
      events.deliver(returned);
      completions.drain(batch);
    }
    pollEnds();
    return batch.size();
  }

  protected void pollBegins() {
  }

  protected abstract void progress(CompletionBatch batch);

  protected void pollEnds() {
  }

  @Override
  public final Waiting waiting() {
    return sockets.waiting();
  }

  @Override
  public final int fd() {
    return closed ? -1 : sockets.fd();
  }

  @Override
  public final void offer(DirectWatch watch) {
    sockets.offer(watch);
  }

  @Override
  public boolean arm() {
    return closed || !hasWork() && sockets.arm(due());
  }

  @Override
  public final void wakeupHandler(Runnable handler) {
    sockets.wakeupHandler(handler);
  }

  @Override
  public final void close() {
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
    childrenClosed();
    closed = true;
    released();
    sockets.close();
    domain.forget(this);
  }

  protected void childrenClosed() {
  }

  protected void released() {
  }
}
