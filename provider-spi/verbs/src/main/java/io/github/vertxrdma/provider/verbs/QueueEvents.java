package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Handles all events of a completion queue's thread except completions. Reports the end of a connection after the completions that were
 * then in the queue. Confined to the thread, except {@link #tell}.
 */
final class QueueEvents {
  private final VerbsDomain domain;
  private final WakeSet wakes = new WakeSet();
  final long channel;
  private final int channelNumber;
  private final int cmNumber;
  private final int asyncNumber;
  final CmChannel cm;
  private final long taken = Memory.allocate(2 * Long.BYTES);
  private final Queue<Runnable> messages = new ConcurrentLinkedQueue<>();
  private final Deadlines deadlines = new Deadlines(System::nanoTime);
  private int connecting;
  private final ArrayDeque<Ending> endings = new ArrayDeque<>();
  /** True from the request of a completion channel event until the event is read. */
  private boolean armed;
  private boolean slept;

  private record Ending(VerbsEndpoint endpoint, long round) {
  }

  QueueEvents(VerbsDomain domain) {
    this.domain = domain;
    channel = Calls.pointer(domain.verbs.createCompChannel, domain.context);
    if (channel == 0) {
      int errno = Errno.last();
      wakes.close();
      Memory.free(taken);
      throw new ProviderException(ProviderException.Reason.LIMIT, errno,
        "cannot create a completion channel on " + domain.device().name()
          + ": " + Errno.describe(errno) + (errno == Errno.EMFILE ? ". Raise 'ulimit -n'" : ""));
    }
    CmChannel made = null;
    try {
      int fd = Memory.getInt(channel + CHANNEL_FD);
      FileDescriptor.nonBlocking(fd);
      channelNumber = wakes.add(fd);
      made = domain.cm() == null ? null : CmChannel.open(domain);
      cmNumber = made == null ? -1 : wakes.add(made.fd());
      asyncNumber = wakes.add(domain.async.fd);
    } catch (ProviderException e) {
      free(made);
      throw e;
    }
    cm = made;
  }

  int fd() {
    return wakes.fd();
  }

  /** Runs a task on the queue's thread, during the next poll. Thread-safe. */
  void tell(Runnable message) {
    messages.add(message);
    wakes.wake();
  }

  void start(EndpointDeadline deadline) {
    start(deadline, deadline.kind.nanos);
  }

  void start(EndpointDeadline deadline, long nanos) {
    if (!deadline.isSet()) {
      deadlines.set(deadline, nanos, TimeUnit.NANOSECONDS);
      connecting += deadline.kind == EndpointDeadline.Kind.CONNECT ? 1 : 0;
      wakeInTime();
    }
  }

  void stop(EndpointDeadline deadline) {
    if (deadline.isSet()) {
      deadline.cancel();
      stopped(deadline);
      wakeInTime();
    }
  }

  void stopped(EndpointDeadline deadline) {
    connecting -= deadline.kind == EndpointDeadline.Kind.CONNECT ? 1 : 0;
  }

  private void wakeInTime() {
    wakes.wakeIn(deadlines.size() == 0 ? 0 : Math.max(1, deadlines.nanosToNext()));
  }

  void ending(VerbsEndpoint endpoint, long round) {
    endings.add(new Ending(endpoint, round));
  }

  void forget(VerbsEndpoint endpoint) {
    endings.removeIf(ending -> ending.endpoint == endpoint);
    endpoint.deadlines.values().forEach(this::stop);
  }

  /** Returns whether the next poll must call {@link #turn}, which other polls call rarely. */
  boolean urgent() {
    return slept || connecting > 0 || !endings.isEmpty() || !messages.isEmpty();
  }

  /** Reads and reports all events. {@code reportedRound} is the last reported round of {@link VerbsCompletionQueue#round}. */
  void turn(long reportedRound) {
    slept = false;
    while (!endings.isEmpty() && endings.peek().round <= reportedRound) {
      endings.poll().endpoint.drained();
    }
    if (wakes.look()) {
      takeWakes();
    }
    for (Runnable message; (message = messages.poll()) != null;) {
      message.run();
    }
    if (deadlines.size() > 0) {
      deadlines.run();
      wakeInTime();
    }
  }

  private void takeWakes() {
    wakes.drain();
    if (wakes.isReady(channelNumber)) {
      takeChannel();
      armed = false;
    }
    if (cm != null && wakes.isReady(cmNumber)) {
      cm.turn();
    }
    if (wakes.isReady(asyncNumber)) {
      domain.async.turn();
    }
  }

  private void takeChannel() {
    while (Calls.number(domain.verbs.getCqEvent, channel, taken, taken + Long.BYTES) == 0) {
      Calls.pointer(domain.verbs.ackCqEvents, Memory.getLong(taken), 1);
    }
  }

  boolean isReporting() {
    return !endings.isEmpty() || !messages.isEmpty();
  }

  /** Removes old events of the completion channel before the thread sleeps. Returns false if a poll has something to report. */
  boolean arm() {
    if (isReporting()) {
      return false;
    }
    if (armed) {
      takeChannel();
    }
    armed = true;
    slept = true;
    return true;
  }

  boolean pending() {
    return wakes.look();
  }

  void close() {
    takeChannel();
    free(cm);
  }

  private void free(CmChannel manager) {
    if (manager != null) {
      manager.close();
    }
    wakes.close();
    Calls.number(domain.verbs.destroyCompChannel, channel);
    Memory.free(taken);
  }
}
