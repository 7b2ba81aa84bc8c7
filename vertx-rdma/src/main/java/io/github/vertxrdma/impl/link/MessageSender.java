package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.LoopMemory;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.impl.device.SendSlot;
import io.github.vertxrdma.impl.device.SlotPool;
import io.github.vertxrdma.provider.Capabilities.SendCompletion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import java.util.ArrayDeque;

/**
 * Sends the messages of a link in order, then the END frame. Several waiting small messages share a frame. A large message is sent in
 * segments, or {@link RendezvousSender} announces it and the peer reads it remotely.
 */
final class MessageSender {
  /**
   * Number of frames in flight at which a link sends no more segments while half of the loop's slots are in use. Otherwise a stopped peer
   * could occupy all slots.
   */
  private static final int SEGMENTS_IN_FLIGHT = 32;
  private static final int SLOTS_LEFT = 64;

  private enum End { NONE, DUE, SENT, ACKNOWLEDGED }

  private final FrameStream stream;
  private final FrameWriter out;
  private final Credits credits;
  private final String peer;
  private boolean inSegments;
  /** True if a write completes when its frame is in shared memory or acknowledged by the peer's adapter, otherwise when it is posted. */
  private boolean completesBySend;
  private boolean inSharedMemory;
  private final ArrayDeque<OutboundMessage> waiting = new ArrayDeque<>(1);
  /** Messages whose writes complete next. A completion handler may write a message, which completes after the current ones. */
  private final ArrayDeque<OutboundMessage> completing = new ArrayDeque<>(1);
  private boolean isCompleting;
  private RendezvousSender rendezvous;
  private long postedBytes;
  private long pendingBytes;
  private End end = End.NONE;
  private Completable<Void> ending;
  private SendSlot begun;
  private int begunBytes;

  /** @param inSegments true to send large messages in segments, false to let the peer read them */
  MessageSender(FrameStream stream, String peer, boolean inSegments) {
    this.stream = stream;
    this.out = stream.out;
    this.credits = stream.credits;
    this.inSegments = inSegments;
    this.peer = peer;
  }

  void completion(SendCompletion event) {
    completesBySend = event != SendCompletion.LOCAL;
    inSharedMemory = event == SendCompletion.SHARED_MEMORY;
    inSegments |= inSharedMemory;
  }

  /**
   * @param message copied
   * @param release true to release the message if true is returned
   * @param done may be null
   * @return false if the caller must call {@link #send}
   */
  boolean sendNow(ByteBuf message, boolean release, Completable<Void> done) {
    int size = message.readableBytes();
    SendSlot slot = slotNow(size);
    if (slot == null) {
      return false;
    }
    slot.write(out.payloadAt(), message, size);
    if (release) {
      message.release();
    }
    postNow(slot, size, done);
    return true;
  }

  boolean begin(int bytes) {
    begun = slotNow(bytes);
    begunBytes = 0;
    return begun != null;
  }

  void append(ByteBuf bytes) {
    int size = bytes.readableBytes();
    begun.write(out.payloadAt() + begunBytes, bytes, size);
    begunBytes += size;
  }

  void finish(Completable<Void> done) {
    SendSlot slot = begun;
    begun = null;
    postNow(slot, begunBytes, done);
  }

  private void postNow(SendSlot slot, int size, Completable<Void> done) {
    if (completesBySend) {
      slot.written = done;
    }
    postedBytes += size;
    stream.counters.bytesSent += size;
    stream.counters.messagesSent++;
    out.post(slot, Frame.DATA, 0, size, 0, 0);
    if (out.isStalled()) {
      stream.loop.turn.waiting(stream);
    }
    if (!completesBySend) {
      complete(done);
    }
  }

  private SendSlot slotNow(int size) {
    if (size > out.room() || !credits.canSendData() || !waiting.isEmpty() || !out.isIdle() || out.awaitsRoom()) {
      return null;
    }
    return out.take(size);
  }

  void send(ByteBuf message, Completable<Void> done) {
    boolean first = waiting.isEmpty();
    pendingBytes += message.readableBytes();
    waiting.add(new OutboundMessage(message, done));
    if (first) {
      stream.flush();
      flush();
    }
  }

  void flush() {
    OutboundMessage next;
    // A completion handler may send more messages, which calls this method.
    while (stream.canPost() && !out.isStalled() && !out.awaitsRoom() && (next = waiting.peek()) != null && credits.canSendData()) {
      if (!post(next)) {
        break;
      }
    }
    if (!waiting.isEmpty() && stream.canPost()) {
      stream.loop.turn.waiting(stream);
    }
  }

  private boolean post(OutboundMessage next) {
    int room = out.room();
    if (next.size <= room) {
      return waiting.size() > 1 && next.size <= room / 4 ? postCoalesced(room) : postPart(next, room, 0);
    }
    if (!inSharedMemory && next.body instanceof RegisteredBuffer buffer && rendezvous().holds(buffer)) {
      return rendezvous.postInPlace(next, buffer);
    }
    if (inSegments) {
      return mayPostSegment() && postPart(next, room, Frame.SEGMENT);
    }
    return rendezvous().postCopy(next);
  }

  private boolean mayPostSegment() {
    SlotPool<SendSlot> slots = stream.loop.memory.sendSlots;
    return (out.inFlight() < SEGMENTS_IN_FLIGHT || slots.inUse() < LoopMemory.SEND_MAX / 2)
      && (slots.available() >= SLOTS_LEFT || slots.canGrow(SLOTS_LEFT));
  }

  /**
   * Posts a message, or its next segment.
   *
   * @param flags {@link Frame#SEGMENT}, or 0 for a message that fits one frame
   * @return false if no slot is free, so that the message has to wait
   */
  private boolean postPart(OutboundMessage next, int room, int flags) {
    int offset = flags == Frame.SEGMENT ? next.offset() : 0;
    int length = Math.min(next.size - offset, room);
    SendSlot slot = out.take(length);
    if (slot == null) {
      return false;
    }
    slot.write(out.payloadAt(), next.body, length);
    next.body.skipBytes(length);
    long a = flags == Frame.SEGMENT ? Frame.piece(next.size, offset) : 0;
    if (countPosted(next, length)) {
      postLast(slot, next, flags, length, a);
    } else {
      out.post(slot, Frame.DATA, flags, length, a, 0);
    }
    if (flags == Frame.SEGMENT && offset == 0) {
      // Wakes a sleeping peer now, while this side copies the other segments.
      stream.waker.wake();
    }
    return true;
  }

  private boolean postCoalesced(int room) {
    SendSlot slot = out.take((int) Math.min(room, pendingBytes + (long) waiting.size() * Frame.LENGTH));
    if (slot == null) {
      return false;
    }
    int payload = out.payloadAt();
    int length = 0;
    OutboundMessage first = null;
    OutboundMessage last = null;
    OutboundMessage next;
    while ((next = waiting.peek()) != null && next.size <= room - length - Frame.LENGTH) {
      Frame.putLength(slot.segment, slot.at + payload + length, next.size);
      length += Frame.LENGTH;
      slot.write(payload + length, next.body, next.size);
      next.body.skipBytes(next.size);
      length += next.size;
      countPosted(next, next.size);
      if (first == null) {
        first = next;
      } else {
        last.behind = next;
      }
      last = next;
    }
    postLast(slot, first, Frame.COALESCED, length, 0);
    return true;
  }

  private RendezvousSender rendezvous() {
    if (rendezvous == null) {
      rendezvous = new RendezvousSender(this, stream, stream.loop.memory.peer(peer));
    }
    return rendezvous;
  }

  /**
   * Counts bytes of the first queued message as posted. Removes and releases the message before its last piece is posted: a failed post
   * fails all queued messages.
   *
   * @return true for the last piece
   */
  boolean countPosted(OutboundMessage message, int bytes) {
    pendingBytes -= bytes;
    postedBytes += bytes;
    stream.counters.bytesSent += bytes;
    if (message.body.isReadable()) {
      return false;
    }
    waiting.poll();
    message.posted = true;
    message.body.release();
    stream.counters.messagesSent++;
    return true;
  }

  private void postLast(SendSlot slot, OutboundMessage message, int flags, int length, long a) {
    if (completesBySend) {
      slot.written = message;
    }
    out.post(slot, Frame.DATA, flags, length, a, 0);
    if (!completesBySend) {
      complete(message);
    }
  }

  boolean completesWhenRead() {
    return completesBySend;
  }

  void complete(OutboundMessage first) {
    completing.add(first);
    if (isCompleting) {
      return;
    }
    isCompleting = true;
    try {
      OutboundMessage next;
      while ((next = completing.poll()) != null) {
        if (next.behind != null) {
          // Queued before the handler runs, which may throw an exception. The remaining writes then complete with the next message.
          completing.addFirst(next.behind);
        }
        complete(next.done);
      }
    } finally {
      isCompleting = false;
    }
  }

  private void complete(Completable<Void> done) {
    if (done == null) {
      return;
    }
    if (!stream.canPost()) {
      done.fail(Reasons.ofInFlight(stream.closeCause()));
    } else {
      done.succeed();
    }
  }

  /** Allocates on the heap if the link has closed, since it could not take back registered memory. */
  Future<ByteBuf> allocate(int size) {
    return stream.isClosed() ? Future.succeededFuture(Unpooled.buffer(size, size)) : rendezvous().allocate(size);
  }

  void end(Completable<Void> done) {
    end = End.DUE;
    ending = done;
    sendEnd();
  }

  void sendEnd() {
    if (end == End.DUE && isPosted()) {
      end = End.SENT;
      out.control(Frame.END);
    }
  }

  void endAcknowledged() {
    if (end != End.SENT) {
      stream.violation("the peer acknowledged the end of this side's messages, but this side has not sent END");
      return;
    }
    end = End.ACKNOWLEDGED;
    ending.succeed();
  }

  void failEnd() {
    if (end == End.DUE || end == End.SENT) {
      ending.fail(stream.closeCause());
    }
  }

  boolean isEnded() {
    return end != End.NONE;
  }

  boolean isEndDue() {
    return end == End.DUE;
  }

  boolean isEndAcknowledged() {
    return end == End.ACKNOWLEDGED;
  }

  long pendingBytes() {
    return pendingBytes;
  }

  int unread() {
    return rendezvous == null ? 0 : rendezvous.unread();
  }

  long written() {
    return posted() + waiting.size();
  }

  long posted() {
    return stream.counters.messagesSent;
  }

  long pieces() {
    return rendezvous == null ? 0 : rendezvous.pieces();
  }

  boolean isRead(long pieces) {
    return rendezvous == null || rendezvous.isRead(pieces);
  }

  boolean isPosted() {
    return waiting.isEmpty() && !out.isStalled();
  }

  int unfinished() {
    return waiting.size() + unread();
  }

  boolean isTaken() {
    return isPosted() && unread() == 0;
  }

  /** Returns a number that grows when bytes are posted or the peer has read a piece. */
  long progress() {
    return postedBytes + pieces() - unread();
  }

  void acknowledged(long name) {
    rendezvous().acknowledged(name);
  }

  void fail() {
    if (rendezvous != null) {
      rendezvous.failUnread();
    }
    OutboundMessage next;
    while ((next = waiting.poll()) != null) {
      int left = next.body.readableBytes();
      pendingBytes -= left;
      next.body.release();
      if (next.done != null) {
        next.done.fail(left == next.size ? Reasons.ofUnsent(stream.closeCause()) : stream.closeCause());
      }
    }
  }

  void close() {
    if (rendezvous != null) {
      rendezvous.close();
    }
  }
}
