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

/** Sends the layer's own messages from a small slab of its own, again and again while the fabric is busy, until their time is up. */
final class ControlSender {
  /** Places in the slab, and the sends of a raw endpoint that are kept for it. */
  static final int SLOTS = 16;
  /** The pause after a refused try, which doubles: a peer that is gone answers AGAIN for ever. */
  private static final long FIRST_PAUSE_NANOS = 200_000;
  private static final long LAST_PAUSE_NANOS = 50_000_000;

  /** A message on its way. */
  static final class Outgoing {
    final Peer peer;
    final byte[] bytes;
    /** Whose handshake it is; null for messages nobody waits for. */
    final RdmConnection owner;
    private final long deadline;
    private long nextTry;
    private long pause = FIRST_PAUSE_NANOS;
    private int slot = -1;

    private Outgoing(Peer peer, byte[] bytes, RdmConnection owner, long deadline, long now) {
      this.peer = peer;
      this.bytes = bytes;
      this.owner = owner;
      this.deadline = deadline;
      nextTry = now;
    }
  }

  private final SharedEndpoint shared;
  private final Arena arena = Arena.ofShared();
  private final MemoryRegion slab;
  private final int[] free = new int[SLOTS];
  private int freeCount = SLOTS;
  private final WorkRequest request = new WorkRequest();
  private final List<Outgoing> waiting = new ArrayList<>();

  ControlSender(SharedEndpoint shared, RdmDomain domain) {
    this.shared = shared;
    slab = domain.register(arena.allocate((long) SLOTS * ControlMessage.MAX_SIZE, 64), EnumSet.noneOf(Access.class));
    for (int i = 0; i < SLOTS; i++) {
      free[i] = i;
    }
  }

  /** Sends, now or as soon as the fabric takes it. @param millis how long to try */
  void send(Peer peer, ControlMessage message, RdmConnection owner, long millis) {
    long now = System.nanoTime();
    peer.retain();
    if (owner != null) {
      owner.controlsInFlight++;
    }
    Outgoing outgoing = new Outgoing(peer, message.encode(), owner, now + millis * 1_000_000, now);
    if (!trySend(outgoing, now)) {
      waiting.add(outgoing);
    }
  }

  /** Messages whose end is not known. */
  int pending() {
    return waiting.size() + SLOTS - freeCount;
  }

  /** Messages that are not with the fabric yet. */
  int waiting() {
    return waiting.size();
  }

  /** Tries those again whose pause is over. */
  void poll() {
    if (waiting.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    for (int i = 0; i < waiting.size();) {
      Outgoing outgoing = waiting.get(i);
      if (outgoing.nextTry - now > 0) {
        i++;
      } else if (outgoing.deadline - now < 0) {
        waiting.remove(i);
        end(outgoing);
      } else if (trySend(outgoing, now)) {
        waiting.remove(i);
      } else {
        i++;
      }
    }
  }

  private boolean trySend(Outgoing outgoing, long now) {
    if (freeCount == 0 || shared.sends().free() == 0) {
      return false;
    }
    int slot = free[freeCount - 1];
    long offset = (long) slot * ControlMessage.MAX_SIZE;
    MemorySegment.copy(MemorySegment.ofArray(outgoing.bytes), 0, slab.segment(), offset, outgoing.bytes.length);
    int status = shared.raw().post(outgoing.peer.handle(),
      request.send(slab, offset, outgoing.bytes.length).id(shared.sends().next()).flags(PostFlags.SIGNALED));
    if (status == Status.OK) {
      freeCount--;
      outgoing.slot = slot;
      shared.sends().take(outgoing);
      return true;
    }
    outgoing.nextTry = now + outgoing.pause;
    outgoing.pause = Math.min(LAST_PAUSE_NANOS, outgoing.pause * 2);
    return false;
  }

  /** The fabric has given one back. */
  void completed(Outgoing outgoing, CompletionBatch batch, int i) {
    free[freeCount++] = outgoing.slot;
    int status = batch.status(i);
    RdmConnection owner = outgoing.owner;
    end(outgoing);
    if (status != Status.OK && owner != null) {
      owner.controlFailed(status, batch.error(i));
    }
  }

  private void end(Outgoing outgoing) {
    if (outgoing.owner != null) {
      outgoing.owner.controlsInFlight--;
    }
    shared.release(outgoing.peer);
  }

  /** After the raw endpoint was closed. */
  void close() {
    slab.close();
    arena.close();
  }
}
