package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Limits the memory of received messages above {@link #SMALL} for all connections of this process. A message is admitted as a whole before
 * its first byte is fetched. A peer that sends its bytes may send those of one window before. An admitted message is received to its end,
 * even if the reader has paused. If less than 1 MiB arrives in 10 s while others wait for it, its connection fails.
 *
 * <p>Admitted messages, and received ones that wait for their reader, have at most {@code most} bytes each, or one message more. A source
 * with several messages gets at most what it leaves to others. Thread-safe.
 */
final class LargeMessages {
  /** Maximum bytes of a message without admission. Connections limit the bytes of their own small messages. */
  static final int SMALL = 2 << 20;
  static final LargeMessages PROCESS = new LargeMessages(Runtime.getRuntime().maxMemory() / 4);
  static final int STALL_MILLIS = 10_000;
  /** Bytes that are progress. With fewer, a peer could keep the memory of many messages. */
  static final int STEP = 1 << 20;
  private static final int CHECK_MILLIS = 1_000;
  private static final Logger LOG = LoggerFactory.getLogger(LargeMessages.class);
  private static final Refusals UNREAD = new Refusals(LOG, System::nanoTime);

  private final long most;
  private final Map<Object, Source> sources = new HashMap<>();
  private long admitted;
  private long claims;

  LargeMessages(long most) {
    this.most = most;
  }

  /** Receiver of a message. Called on its event loop while the message has neither been delivered nor dropped. */
  interface Owner {
    void admitted();

    /** Called when an admitted message has stalled while others wait. */
    void stalled();
  }

  private static final class Source {
    final Set<Claim> waiting = new LinkedHashSet<>();
    final Set<Claim> receiving = new LinkedHashSet<>();
    /** Readers with unread messages. Weak, since a reader may never read the messages of a closed connection. */
    final Set<Backpressure> readers = Collections.newSetFromMap(new WeakHashMap<>());
    long bytes;

    long unread() {
      return readers.stream().mapToLong(Backpressure::bytes).sum();
    }

    Claim next() {
      return waiting.iterator().next();
    }
  }

  /** Memory of one message. */
  final class Claim {
    private final Source source;
    private final int size;
    private final Scheduler loop;
    private final Owner owner;
    private final long number = claims++;
    private volatile boolean isAdmitted;
    private volatile boolean closed;
    private volatile long progressNanos;
    /** Bytes since the last progress. Confined to the loop. */
    private int arrived;
    private boolean warned;

    private Claim(Source source, int size, Scheduler loop, Owner owner) {
      this.source = source;
      this.size = size;
      this.loop = loop;
      this.owner = owner;
      this.progressNanos = loop.nanoTime();
    }

    boolean isAdmitted() {
      return isAdmitted;
    }

    /** Called when bytes of the message have arrived. */
    void arrived(int bytes) {
      arrived += bytes;
      if (arrived >= STEP) {
        arrived = 0;
        progressNanos = loop.nanoTime();
      }
    }

    private boolean isLate() {
      return loop.nanoTime() - progressNanos > TimeUnit.MILLISECONDS.toNanos(STALL_MILLIS);
    }

    private boolean notify(Runnable event) {
      return LoopCall.execute(loop, () -> {
        if (!closed) {
          event.run();
        }
      });
    }

    /** Ends a message that is still late after the loop, which may have been blocked, has read what had arrived. */
    private void endIfLate() {
      loop.schedule(() -> {
        if (!closed && isLate()) {
          owner.stalled();
        }
      }, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void checkLater() {
      loop.schedule(() -> {
        if (!isAdmitted && !closed) {
          check(this);
          checkLater();
        }
      }, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Ends the claim when the message is delivered or dropped. */
    void close() {
      synchronized (LargeMessages.this) {
        if (!closed) {
          drop();
          admit(null);
        }
      }
    }

    private void drop() {
      closed = true;
      source.waiting.remove(this);
      if (source.receiving.remove(this)) {
        source.bytes -= size;
        admitted -= size;
      }
    }
  }

  synchronized Claim claim(Object source, int size, Scheduler loop, Owner owner) {
    Claim made = new Claim(sources.computeIfAbsent(source, key -> new Source()), size, loop, owner);
    made.source.waiting.add(made);
    admit(made);
    if (!made.isAdmitted) {
      made.checkLater();
    }
    return made;
  }

  /** Counts the bytes of a reader, as long as it has any, as unread. */
  synchronized void unread(Object source, Backpressure reader) {
    sources.computeIfAbsent(source, key -> new Source()).readers.add(reader);
  }

  /** Called when a reader has taken a message. */
  synchronized void taken() {
    admit(null);
  }

  /** @param asking needs no call of its owner if it is admitted */
  private void admit(Claim asking) {
    sources.values().removeIf(each -> {
      each.readers.removeIf(reader -> reader.bytes() == 0);
      return each.waiting.isEmpty() && each.receiving.isEmpty() && each.readers.isEmpty();
    });
    Source first;
    // Others may not overtake a message that does not fit yet, so that it need not wait forever.
    while ((first = first()) != null && fits(first, first.next().size)) {
      Claim next = first.next();
      first.waiting.remove(next);
      first.receiving.add(next);
      first.bytes += next.size;
      admitted += next.size;
      next.progressNanos = next.loop.nanoTime();
      next.isAdmitted = true;
      if (next != asking && !next.notify(next.owner::admitted)) {
        next.drop();
      }
    }
  }

  private Source first() {
    long unread = unread();
    return sources.values().stream().filter(each -> !each.waiting.isEmpty() && mayReceive(each, unread))
      .min(Comparator.comparingLong((Source each) -> each.bytes).thenComparingLong(each -> each.next().number)).orElse(null);
  }

  private long unread() {
    return sources.values().stream().mapToLong(Source::unread).sum();
  }

  private boolean mayReceive(Source source, long unread) {
    return source.unread() == 0 ? unread < most : source.unread() <= most - unread;
  }

  private boolean fits(Source source, int size) {
    long left = most - admitted;
    return admitted == 0 || size <= left && (source.bytes == 0 || source.bytes + size <= left);
  }

  private synchronized void check(Claim waiting) {
    admit(null);
    if (first() != null) {
      sources.values().stream().flatMap(each -> each.receiving.stream()).filter(Claim::isLate).toList().forEach(each -> {
        if (!each.notify(each::endIfLate)) {
          each.drop();
        }
      });
    }
    long unread = unread();
    if (!waiting.isAdmitted && !waiting.warned && waiting.isLate() && !mayReceive(waiting.source, unread)) {
      waiting.warned = true;
      UNREAD.log("Messages of more than " + SMALL + " bytes wait until the application has consumed others of " + unread + " bytes. "
        + "Resume paused readers, or use a larger heap (-Xmx)");
    }
  }
}
