package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * What a completion queue's thread hears beside completions. Confined to that thread but for {@link #tell}.
 *
 * <p>The end of a connection is told after the completions that were in the queue when it was learnt: one drain to its end lies
 * between, and the poller has had that batch in hand.
 */
final class QueueEvents {
  /** A connection that flushes work is given this long to say why. */
  private static final long EXPLAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final VerbsDomain domain;
  private final WakeSet wakes = new WakeSet();
  private final long channel;
  private final int channelNumber;
  private final int cmNumber;
  private final int asyncNumber;
  private final CmChannel cm;
  private final long taken = Memory.allocate(2 * Long.BYTES);
  private final Queue<Runnable> messages = new ConcurrentLinkedQueue<>();
  private final List<VerbsEndpoint> connecting = new ArrayList<>();
  private final ArrayDeque<Ending> endings = new ArrayDeque<>();
  private final List<Unexplained> unexplained = new ArrayList<>();
  /** Whether an event was asked of the completion channel and not taken yet. */
  private boolean armed;
  /** Whether the owner may have slept since the last turn. */
  private boolean slept;

  private record Ending(VerbsEndpoint endpoint, long drains) {
  }

  private record Unexplained(VerbsEndpoint endpoint, long until) {
  }

  QueueEvents(VerbsDomain domain, VerbsCompletionQueue queue) {
    this.domain = domain;
    channel = Calls.pointer(domain.verbs().createCompChannel, domain.context());
    if (channel == 0) {
      int errno = Errno.last();
      wakes.close();
      Memory.free(taken);
      throw new ProviderException(ProviderException.Reason.LIMIT, errno, "a completion channel could not be made on " + domain.device().name()
        + ": " + Errno.describe(errno) + (errno == Errno.EMFILE ? " — raise 'ulimit -n'" : ""));
    }
    int fd = Memory.getInt(channel + CHANNEL_FD);
    FileDescriptor.nonBlocking(fd);
    channelNumber = wakes.add(fd);
    cm = domain.cm() == null ? null : CmChannel.open(domain);
    cmNumber = cm == null ? -1 : wakes.add(cm.fd());
    asyncNumber = wakes.add(domain.async().fd());
  }

  long channel() {
    return channel;
  }

  int fd() {
    return wakes.fd();
  }

  /** The connection manager's events; null where there is no connection manager. */
  CmChannel cm() {
    return cm;
  }

  /** Runs something on the queue's thread, from within a poll. From any thread. */
  void tell(Runnable message) {
    messages.add(message);
    wakes.wake();
  }

  void connecting(VerbsEndpoint endpoint) {
    connecting.add(endpoint);
    setTimer();
  }

  void notConnecting(VerbsEndpoint endpoint) {
    connecting.remove(endpoint);
    setTimer();
  }

  void ending(VerbsEndpoint endpoint, long drains) {
    endings.add(new Ending(endpoint, drains));
  }

  void flushedEarly(VerbsEndpoint endpoint) {
    for (Unexplained known : unexplained) {
      if (known.endpoint == endpoint) {
        return;
      }
    }
    unexplained.add(new Unexplained(endpoint, System.nanoTime() + EXPLAIN_NANOS));
    setTimer();
  }

  void forget(VerbsEndpoint endpoint) {
    endings.removeIf(ending -> ending.endpoint == endpoint);
    unexplained.removeIf(known -> known.endpoint == endpoint);
  }

  private void setTimer() {
    long now = System.nanoTime();
    long first = Long.MAX_VALUE;
    for (VerbsEndpoint endpoint : connecting) {
      first = Math.min(first, endpoint.deadline() - now);
    }
    for (Unexplained known : unexplained) {
      first = Math.min(first, known.until - now);
    }
    wakes.wakeIn(first == Long.MAX_VALUE ? 0 : Math.max(1, first));
  }

  /** Whether the next poll must look here, whatever it drains. */
  boolean urgent() {
    return slept || !connecting.isEmpty() || !endings.isEmpty() || !unexplained.isEmpty() || !messages.isEmpty();
  }

  /** Takes and tells what there is. @param drains how often the queue was drained to its end */
  void turn(long drains) {
    slept = false;
    while (!endings.isEmpty() && endings.peek().drains < drains) {
      endings.poll().endpoint.tellEnd();
    }
    if (wakes.look()) {
      takeWakes();
    }
    for (Runnable message; (message = messages.poll()) != null; ) {
      message.run();
    }
    if (!connecting.isEmpty() || !unexplained.isEmpty()) {
      checkDeadlines();
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
      domain.async().turn();
    }
  }

  private void takeChannel() {
    while (Calls.number(domain.verbs().getCqEvent, channel, taken, taken + Long.BYTES) == 0) {
      Calls.pointer(domain.verbs().ackCqEvents, Memory.getLong(taken), 1);
    }
  }

  private void checkDeadlines() {
    long now = System.nanoTime();
    for (VerbsEndpoint endpoint : List.copyOf(connecting)) {
      if (endpoint.deadline() - now <= 0) {
        endpoint.timedOut();
      }
    }
    for (Unexplained known : List.copyOf(unexplained)) {
      if (known.until - now <= 0) {
        unexplained.remove(known);
        known.endpoint.flushedForNoReason();
      }
    }
  }

  /** Takes old events of the completion channel. @return false if there is something to poll for */
  boolean arm() {
    if (!endings.isEmpty() || !messages.isEmpty()) {
      return false;
    }
    if (armed) {
      takeChannel();
    }
    armed = true;
    slept = true;
    return true;
  }

  /** Whether an fd is readable. */
  boolean pending() {
    return wakes.look();
  }

  void closeListeners() {
    if (cm != null) {
      cm.closeListeners();
    }
  }

  void close() {
    takeChannel();
    if (cm != null) {
      cm.close();
    }
    wakes.close();
    Calls.number(domain.verbs().destroyCompChannel, channel);
    Memory.free(taken);
  }
}
