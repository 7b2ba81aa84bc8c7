package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * Sends {@link ControlMessage}s from slots of registered memory. While the fabric is busy, a message waits until its deadline. A posted
 * message is late if the fabric has not completed it after a second, as for a dead peer. Late messages do not count for {@link #SLOTS}.
 * Their peers get few further messages, after growing pauses.
 */
final class ControlSender {
  /** Maximum number of posted messages that are not late. */
  static final int SLOTS = 16;
  /** Maximum number of posted messages to peers that are not {@link Peer#known}: at their addresses there may be no process. */
  static final int UNPROVEN_SLOTS = SLOTS * 3 / 4;
  /** Maximum number of posted messages to one peer; 1 while the peer has late messages. */
  static final int PEER_SLOTS = 2;
  static final int PEER_LATE = 4;
  /**
   * Maximum number of waiting messages; half of it for peers that are not {@link Peer#known}. Further messages are dropped. Handshakes
   * repeat them.
   */
  static final int MOST_WAITING = 4096;
  static final int PEER_WAITING = 256;
  /** Time limit in milliseconds of messages that belong to no handshake. */
  static final long SINGLE_MESSAGE_MILLIS = 1000;
  /** Time in which the fabric completes a message to a living peer. */
  private static final long LATE_NANOS = 1_000_000_000;

  static final class Outgoing {
    private final Peer peer;
    private final byte[] bytes;
    /** Handshake to which the message belongs, or null. */
    private final RdmHandshake owner;
    private final long deadline;
    private long posted;
    private int slot;
    private boolean unproven;
    private boolean late;

    private Outgoing(Peer peer, byte[] bytes, RdmHandshake owner, long deadline) {
      this.peer = peer;
      this.bytes = bytes;
      this.owner = owner;
      this.deadline = deadline;
    }
  }

  private final SharedEndpoint shared;
  private final ConnectedQueue queue;
  private final ConnectedDomain domain;
  private final Quarantine quarantine;
  private final Arena arena = Arena.ofShared();
  private final MemoryRegion slab;
  private final int[] free;
  private int freeCount;
  private int unproven;
  private final int mostLate;
  private int late;
  private int lateUnproven;
  private final WorkRequest request = new WorkRequest();
  final List<Outgoing> waiting = new ArrayList<>();
  /** Posted messages that are not late, the oldest first. */
  private final List<Outgoing> underWay = new ArrayList<>(SLOTS);

  ControlSender(SharedEndpoint shared, ConnectedQueue queue) {
    this.shared = shared;
    this.queue = queue;
    this.domain = queue.domain;
    this.quarantine = queue.quarantine;
    mostLate = shared.sends.capacity / 4;
    free = new int[SLOTS + mostLate];
    while (freeCount < free.length) {
      free[freeCount] = freeCount++;
    }
    try {
      slab = domain.raw.register(arena.allocate((long) free.length * ControlMessage.MAX_SIZE, 64), EnumSet.noneOf(Access.class));
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  void send(Peer peer, ControlMessage message, RdmHandshake owner, long millis) {
    long now = domain.now();
    Outgoing outgoing = new Outgoing(peer, message.encode(), owner, now + millis * 1_000_000);
    boolean sent = trySend(outgoing, now);
    boolean lost = !sent && !mayWait(peer);
    if (lost || !sent && peer.late > 0) {
      queue.deferred++;
    }
    if (lost) {
      return;
    }
    peer.retain();
    if (owner != null) {
      owner.inFlight++;
    }
    if (!sent) {
      waiting.add(outgoing);
      peer.waiting++;
    }
  }

  private boolean mayWait(Peer peer) {
    return peer.waiting < PEER_WAITING && waiting.size() < (peer.known ? MOST_WAITING : MOST_WAITING / 2);
  }

  int pending() {
    if (isChoked()) {
      return 0;
    }
    long now = domain.now();
    return (int) (underWay.stream().filter(outgoing -> !isOverdue(outgoing, now)).count()
      + waiting.stream().filter(outgoing -> outgoing.peer.late == 0).count());
  }

  boolean isChoked() {
    return underWay.size() == SLOTS && isOverdue(underWay.getLast(), domain.now());
  }

  void poll() {
    if (waiting.isEmpty() && underWay.isEmpty()) {
      return;
    }
    long now = domain.now();
    underWay.removeIf(outgoing -> isOverdue(outgoing, now) && makeLate(outgoing, now));
    waiting.removeIf(outgoing -> {
      boolean expired = outgoing.deadline - now < 0;
      if (!expired && !trySend(outgoing, now)) {
        return false;
      }
      outgoing.peer.waiting--;
      if (expired) {
        end(outgoing);
      }
      return true;
    });
  }

  private boolean mayPost(Peer peer, long now) {
    return underWay.size() < SLOTS && shared.sends.freeCount > 0 && (peer.known || unproven < UNPROVEN_SLOTS)
      && (peer.late == 0 ? peer.underWay < PEER_SLOTS : peer.underWay == 0 && peer.late < PEER_LATE && late < mostLate)
      && !peer.isPausing(now);
  }

  private boolean trySend(Outgoing outgoing, long now) {
    Peer peer = outgoing.peer;
    if (!mayPost(peer, now)) {
      return false;
    }
    int slot = free[freeCount - 1];
    long offset = (long) slot * ControlMessage.MAX_SIZE;
    MemorySegment.copy(MemorySegment.ofArray(outgoing.bytes), 0, slab.segment(), offset, outgoing.bytes.length);
    int status = shared.raw.post(peer.handle,
      request.send(slab, offset, outgoing.bytes.length).id(shared.sends.next()).flags(PostFlags.SIGNALED));
    if (status != Status.OK) {
      peer.refused(now);
      return false;
    }
    freeCount--;
    outgoing.slot = slot;
    outgoing.posted = now;
    outgoing.unproven = !peer.known;
    unproven += outgoing.unproven ? 1 : 0;
    peer.taken();
    underWay.add(outgoing);
    shared.sends.take(outgoing);
    return true;
  }

  private static boolean isOverdue(Outgoing outgoing, long now) {
    return now - outgoing.posted >= LATE_NANOS;
  }

  /** Marks an overdue message as late. @return false if too many are late, in total or to peers that are not {@link Peer#known} */
  private boolean makeLate(Outgoing outgoing, long now) {
    if (late == mostLate || outgoing.unproven && lateUnproven == mostLate / 2) {
      return false;
    }
    outgoing.late = true;
    count(outgoing, 1);
    unproven -= outgoing.unproven ? 1 : 0;
    outgoing.peer.late(now);
    quarantine.add(1, 0);
    return true;
  }

  private void count(Outgoing outgoing, int more) {
    late += more;
    lateUnproven += outgoing.unproven ? more : 0;
  }

  void completed(Outgoing outgoing, CompletionBatch batch, int i) {
    free[freeCount++] = outgoing.slot;
    if (outgoing.late) {
      count(outgoing, -1);
      quarantine.returned(false);
    } else {
      underWay.remove(outgoing);
      unproven -= outgoing.unproven ? 1 : 0;
    }
    outgoing.peer.returned(outgoing.late);
    end(outgoing);
    if (batch.status(i) != Status.OK && outgoing.owner != null) {
      outgoing.owner.failed(batch.status(i), batch.error(i));
    }
  }

  private void end(Outgoing outgoing) {
    if (outgoing.owner != null) {
      outgoing.owner.inFlight--;
    }
    shared.release(outgoing.peer);
  }

  /** Called after the {@link RdmEndpoint} was closed, which has ended all messages. */
  void close() {
    while (late > 0) {
      late--;
      quarantine.returned(false);
    }
    slab.close();
    arena.close();
  }
}
