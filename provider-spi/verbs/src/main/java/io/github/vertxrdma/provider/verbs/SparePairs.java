package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Queue pairs for the next endpoints of a completion queue, created on another thread because that takes milliseconds. Confined to the
 * queue's thread, except the tasks of {@link #preparation}.
 */
final class SparePairs {
  /** Maximum number of prepared queue pairs. */
  private static final int MOST = 64;

  private final VerbsDomain domain;
  private final VerbsCompletionQueue queue;
  private final ConcurrentLinkedDeque<Ready> spares = new ConcurrentLinkedDeque<>();
  /** Lock held while a queue pair is created, so that the completion queue is not closed meanwhile. */
  private final Object creating = new Object();
  private boolean closed;

  /**
   * Size of a queue pair.
   *
   * @param sends including the empty writes of an {@link ExchangedConnection}
   */
  record Wanted(int sends, int receives, int elements, int inlineSize, boolean exchanged) {
    static Wanted of(VerbsDomain domain, EndpointOptions options, boolean exchanged) {
      int own = exchanged ? ExchangedConnection.OWN_REQUESTS : 0;
      return new Wanted(Math.clamp(options.sendDepth(), 1, Math.max(1, domain.limits().sendDepth() - own)) + own,
        Math.clamp(options.receiveDepth(), 1, domain.limits().receiveDepth()),
        Math.clamp(options.scatterGather(), 1, domain.limits().scatterGather()), Math.max(domain.quirks.sends().alwaysInline(),
          Math.clamp(options.inlineSize(), 0, domain.limits().inlineSize())),
        exchanged);
    }

    int usersSends() {
      return sends - (exchanged ? ExchangedConnection.OWN_REQUESTS : 0);
    }
  }

  /** Queue pair in state INIT. {@code changes} is the number of port changes before its creation. */
  record Ready(QueuePair pair, VerbsQueue.Room room, Wanted wanted, PartitionKey partition, LocalPort port, int changes) {
  }

  SparePairs(VerbsCompletionQueue queue, VerbsDomain domain) {
    this.queue = queue;
    this.domain = domain;
  }

  /** Returns a task that creates a queue pair, or null if there are enough. If the task fails, the endpoint creates its own queue pair. */
  Callable<?> preparation(Wanted wanted) {
    if (spares.size() >= MOST) {
      return null;
    }
    VerbsQueue.Room room = queue.reserve(wanted.sends() + wanted.receives());
    return () -> {
      synchronized (creating) {
        if (!closed) {
          try {
            spares.add(create(wanted, room));
          } catch (RuntimeException | Error e) {
            queue.events.tell(room::release);
            if (!(e instanceof ProviderException)) {
              throw e;
            }
          }
        }
      }
      return null;
    };
  }

  Ready take(Wanted wanted) {
    for (Ready spare : spares) {
      if (spare.wanted.equals(wanted) && spares.remove(spare)) {
        if (spare.changes == domain.async.portChanges && !spare.room.queue().lost) {
          return spare;
        }
        discard(spare);
      }
    }
    VerbsQueue.Room room = queue.reserve(wanted.sends() + wanted.receives());
    try {
      return createOrMakeRoom(wanted, room);
    } catch (ProviderException e) {
      room.release();
      throw e;
    }
  }

  /** Creates a queue pair. If the device has no room, destroys spare queue pairs, waits for those of closed endpoints, and tries again. */
  private Ready createOrMakeRoom(Wanted wanted, VerbsQueue.Room room) {
    try {
      return create(wanted, room);
    } catch (ProviderException e) {
      if (e.reason() != ProviderException.Reason.LIMIT || !(clear() || domain.control.busy())) {
        throw e;
      }
      domain.control.await();
      return create(wanted, room);
    }
  }

  private Ready create(Wanted wanted, VerbsQueue.Room room) {
    int changes = domain.async.portChanges;
    LocalPort port = wanted.exchanged ? LocalPort.read(domain) : null;
    PartitionKey partition = PartitionKey.find(domain);
    QueuePair pair = new QueuePair(domain, new QueuePair.Shape(queue.threadDomain.protectionDomain(), room.queue().pointer,
      wanted.sends, wanted.receives, wanted.elements, wanted.inlineSize));
    try {
      pair.initialize(domain.device().port.number(), partition.index());
    } catch (ProviderException e) {
      pair.close();
      throw e;
    }
    return new Ready(pair, room, wanted, partition, port, changes);
  }

  private void discard(Ready spare) {
    domain.control.later(spare.pair::close);
    spare.room.release();
  }

  boolean clear() {
    boolean any = false;
    for (Ready spare; (spare = spares.poll()) != null; any = true) {
      discard(spare);
    }
    return any;
  }

  void close() {
    synchronized (creating) {
      closed = true;
    }
    clear();
  }
}
