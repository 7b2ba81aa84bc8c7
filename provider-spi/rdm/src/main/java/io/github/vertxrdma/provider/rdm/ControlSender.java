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
  /** Places that messages to strangers may have at a time: one to an address where nobody is may stay in its place for long. */
  static final int STRANGERS_SLOTS = SLOTS * 3 / 4;
  /** Messages that may wait for a place, half as many of them to strangers; further ones are lost, and those of handshakes come again. */
  static final int MOST_WAITING = 4096;
  /** Time for which a message is tried that nobody waits for. */
  static final long COURTESY_MILLIS = 1000;
  /** The pause after a refused try, which doubles: a peer that is gone answers AGAIN for ever. */
  private static final long FIRST_PAUSE_NANOS = 200_000;
  private static final long LAST_PAUSE_NANOS = 50_000_000;

  /** A message on its way. */
  static final class Outgoing {
    private final Peer peer;
    private final byte[] bytes;
    /** The handshake it belongs to; null for messages nobody waits for. */
    private final Handshake owner;
    private final long deadline;
    private long nextTry;
    private long pause = FIRST_PAUSE_NANOS;
    private int slot;
    private boolean stranger;

    private Outgoing(Peer peer, byte[] bytes, Handshake owner, long deadline, long now) {
      this.peer = peer;
      this.bytes = bytes;
      this.owner = owner;
      this.deadline = deadline;
      nextTry = now;
    }
  }

  private final SharedEndpoint shared;
  private final ConnectedDomain domain;
  private final Arena arena = Arena.ofShared();
  private final MemoryRegion slab;
  private final int[] free = new int[SLOTS];
  private int freeCount = SLOTS;
  private int strangers;
  private final WorkRequest request = new WorkRequest();
  /** Messages that are not with the fabric yet. */
  final List<Outgoing> waiting = new ArrayList<>();

  ControlSender(SharedEndpoint shared, ConnectedDomain domain) {
    this.shared = shared;
    this.domain = domain;
    slab = domain.raw.register(arena.allocate((long) SLOTS * ControlMessage.MAX_SIZE, 64), EnumSet.noneOf(Access.class));
    for (int i = 0; i < SLOTS; i++) {
      free[i] = i;
    }
  }

  /** Sends, now or as soon as the fabric takes it. @param millis how long to try */
  void send(Peer peer, ControlMessage message, Handshake owner, long millis) {
    long now = domain.now();
    Outgoing outgoing = new Outgoing(peer, message.encode(), owner, now + millis * 1_000_000, now);
    int most = peer.known ? MOST_WAITING : MOST_WAITING / 2;
    if (trySend(outgoing, now) || waiting.size() < most && waiting.add(outgoing)) {
      peer.retain();
      if (owner != null) {
        owner.inFlight++;
      }
    }
  }

  /** Messages whose end is not known. */
  int pending() {
    return waiting.size() + SLOTS - freeCount;
  }

  /** Tries those again whose pause is over. */
  void poll() {
    if (waiting.isEmpty()) {
      return;
    }
    long now = domain.now();
    waiting.removeIf(outgoing -> {
      if (outgoing.nextTry - now > 0) {
        return false;
      }
      boolean late = outgoing.deadline - now < 0;
      if (late) {
        end(outgoing);
      }
      return late || trySend(outgoing, now);
    });
  }

  private boolean trySend(Outgoing outgoing, long now) {
    boolean stranger = !outgoing.peer.known;
    if (freeCount == 0 || shared.sends.free() == 0 || stranger && strangers == STRANGERS_SLOTS) {
      return false;
    }
    int slot = free[freeCount - 1];
    long offset = (long) slot * ControlMessage.MAX_SIZE;
    MemorySegment.copy(MemorySegment.ofArray(outgoing.bytes), 0, slab.segment(), offset, outgoing.bytes.length);
    int status = shared.raw.post(outgoing.peer.handle,
      request.send(slab, offset, outgoing.bytes.length).id(shared.sends.next()).flags(PostFlags.SIGNALED));
    if (status == Status.OK) {
      freeCount--;
      outgoing.slot = slot;
      outgoing.stranger = stranger;
      strangers += stranger ? 1 : 0;
      shared.sends.take(outgoing);
      return true;
    }
    outgoing.nextTry = now + outgoing.pause;
    outgoing.pause = Math.min(LAST_PAUSE_NANOS, outgoing.pause * 2);
    return false;
  }

  /** The fabric has given one back. */
  void completed(Outgoing outgoing, CompletionBatch batch, int i) {
    free[freeCount++] = outgoing.slot;
    strangers -= outgoing.stranger ? 1 : 0;
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

  /** After the raw endpoint was closed. */
  void close() {
    slab.close();
    arena.close();
  }
}
