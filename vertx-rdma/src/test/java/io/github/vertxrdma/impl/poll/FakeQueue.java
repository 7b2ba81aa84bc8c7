package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** A completion queue that any thread can fill. Its fd is a pipe that is written once per arming, which lasts until the queue is polled. */
final class FakeQueue implements CompletionQueue {
  private final Waiting waiting;
  private final ConcurrentLinkedQueue<Long> entries = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();
  private final ByteBuffer one = ByteBuffer.allocateDirect(1);
  private final FileDescriptor[] pipe;
  private volatile Runnable wakeup = () -> {
  };
  private Thread poller;
  volatile boolean endless;
  volatile Error failing;
  final AtomicInteger failures = new AtomicInteger();
  final AtomicReference<Runnable> onArm = new AtomicReference<>();
  final AtomicLong polls = new AtomicLong();
  /** Endpoint of each completion. */
  volatile Endpoint endpoint;
  volatile DirectWatch watch;
  /** Fds that were reported readable at polls. */
  final Set<Integer> told = ConcurrentHashMap.newKeySet();
  volatile int beside = -1;

  FakeQueue(Waiting waiting) {
    this.waiting = waiting;
    try {
      pipe = waiting == Waiting.FD ? FileDescriptor.pipe() : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void offer(long id) {
    entries.add(id);
    if (armed.compareAndSet(true, false)) {
      signal();
    }
  }

  boolean hasEntries() {
    return !entries.isEmpty();
  }

  boolean isArmed() {
    return armed.get();
  }

  private void signal() {
    switch (waiting) {
      case FD -> {
        try {
          pipe[1].write(ByteBuffer.allocateDirect(1), 0, 1);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      case WAKEUP -> wakeup.run();
      case NONE -> {
      }
    }
  }

  @Override
  public int capacity() {
    return 1024;
  }

  @Override
  public int poll(CompletionBatch batch) {
    if (poller == null) {
      poller = Thread.currentThread();
    } else if (poller != Thread.currentThread()) {
      throw new AssertionError("polled by " + Thread.currentThread() + " and " + poller);
    }
    polls.lazySet(polls.getPlain() + 1);
    if (failing != null) {
      throw failing;
    }
    if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IllegalStateException("a poll that fails");
    }
    armed.set(false);
    for (int fd : new int[] {fd(), beside}) {
      if (watch != null && watch.woke(fd)) {
        told.add(fd);
      }
    }
    batch.clear();
    while (!batch.isFull()) {
      Long id = endless ? Long.valueOf(0) : entries.poll();
      if (id == null) {
        break;
      }
      batch.add(id, Operation.SEND, endpoint, 0);
    }
    return batch.size();
  }

  @Override
  public Waiting waiting() {
    return waiting;
  }

  @Override
  public int fd() {
    return pipe == null ? -1 : pipe[0].intValue();
  }

  @Override
  public void offer(DirectWatch by) {
    watch = by;
  }

  @Override
  public boolean arm() {
    if (waiting == Waiting.FD) {
      try {
        pipe[0].read(one, 0, 1);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    Runnable once = onArm.getAndSet(null);
    if (once != null) {
      once.run();
    }
    if (endless || !entries.isEmpty()) {
      return false;
    }
    armed.set(true);
    if (!entries.isEmpty() && armed.compareAndSet(true, false)) {
      return false;
    }
    return true;
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    wakeup = handler;
  }

  @Override
  public void close() {
    if (pipe != null) {
      try {
        pipe[0].close();
        pipe[1].close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
