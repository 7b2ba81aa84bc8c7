package io.github.vertxrdma.impl.message;

import io.github.vertxrdma.impl.device.PeerMemory;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.device.SendSlot;
import io.github.vertxrdma.impl.framing.Credits;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.framing.FrameWriter;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.github.vertxrdma.impl.wire.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Completable;
import io.vertx.core.Future;

/**
 * Sends the messages of a link in order. A message that fits the peer's receives goes eagerly, by {@link EagerSender}. A larger one goes by
 * {@link RendezvousSender}, or eagerly in segments. Messages that find no credit, slot or room wait here. Confined to the loop.
 */
public final class MessageSender {
  private final FrameStream stream;
  private final FrameWriter out;
  private final Credits credits;
  private final EagerSender eager;
  private final String peer;
  private boolean inSegments;
  private WriteCompletion completion = WriteCompletion.POSTED;
  private final LazyQueue<OutboundMessage> waiting = new LazyQueue<>();
  /** Messages whose writes are to be completed after those that are being completed, each with those behind it. */
  private final LazyQueue<OutboundMessage> completing = new LazyQueue<>();
  private boolean isCompleting;
  /** Null before the first message that may lie in memory which the peer reads. */
  private RendezvousSender rendezvous;
  /** Bytes posted of the first message that waits, and all others that are gone: tells whether anything moves. */
  private long postedBytes;
  private long pendingBytes;
  /** Frame of the message that was begun, and its bytes so far. */
  private SendSlot begun;
  private int begunBytes;

  /**
   * @param peer id of the peer's node
   * @param inSegments true if large messages go in segments, unless they lie in registered memory
   */
  public MessageSender(FrameStream stream, String peer, boolean inSegments) {
    this.stream = stream;
    this.out = stream.out;
    this.credits = stream.credits;
    this.inSegments = inSegments;
    this.peer = peer;
    this.eager = new EagerSender(this, stream);
  }

  /** Sets the event that completes writes. Called before the first message. */
  public void completion(WriteCompletion event) {
    completion = event;
    inSegments |= event == WriteCompletion.IN_SHARED_MEMORY;
  }

  // ---- sending

  /**
   * Posts a message without an entry in the queue, if nothing hinders it, as for most small ones. Its write completes when it is posted.
   *
   * @param message read at its indices, which stay as they are; its owner's again on return
   * @return false if it has to go through {@link #send}, also when the post ended the link
   */
  public boolean sendNow(ByteBuf message) {
    int size = message.readableBytes();
    SendSlot slot = slotNow(size);
    if (slot == null) {
      return false;
    }
    slot.write(out.payloadAt(), message, size);
    postNow(slot, size);
    return stream.canPost();
  }

  /**
   * Posts a message without an entry in the queue, if nothing hinders it.
   *
   * @param message released here if the method returns true
   * @param done see {@link WriteCompletion}; may be null
   * @return false if it has to go through {@link #send}
   */
  public boolean sendNow(ByteBuf message, Completable<Void> done) {
    int size = message.readableBytes();
    SendSlot slot = slotNow(size);
    if (slot == null) {
      return false;
    }
    slot.write(out.payloadAt(), message, size);
    message.release();
    postNow(slot, size, done);
    return true;
  }

  /**
   * Begins a message that {@link #append} makes and {@link #finish} posts, if nothing hinders its post.
   *
   * @param bytes most bytes of the message
   */
  public boolean begin(int bytes) {
    begun = slotNow(bytes);
    begunBytes = 0;
    return begun != null;
  }

  /** Copies a buffer to the message that was begun. */
  public void append(ByteBuf bytes) {
    int size = bytes.readableBytes();
    begun.write(out.payloadAt() + begunBytes, bytes, size);
    begunBytes += size;
  }

  /** Posts the message that was begun. @param done see {@link WriteCompletion}; may be null */
  public void finish(Completable<Void> done) {
    SendSlot slot = begun;
    begun = null;
    postNow(slot, begunBytes, done);
  }

  private void postNow(SendSlot slot, int size, Completable<Void> done) {
    if (completion.isBySend()) {
      slot.written = done;
      postNow(slot, size);
    } else {
      postNow(slot, size);
      complete(done);
    }
  }

  /** Returns a slot for a message if nothing hinders its post; null if it has to wait. */
  private SendSlot slotNow(int size) {
    if (size > out.room() || !credits.canSendData() || !waiting.isEmpty() || !out.isIdle() || out.awaitsRoom()) {
      return null;
    }
    return out.take(size);
  }

  private void postNow(SendSlot slot, int size) {
    postedBytes += size;
    stream.counters.bytesSent += size;
    stream.counters.messagesSent++;
    out.post(slot, Frame.DATA, 0, size, 0, 0);
    if (out.isStalled()) {
      stream.loop.turn.waiting(stream);
    }
  }

  /**
   * Sends a message, now or later.
   *
   * @param message released here, also when it fails
   * @param done see {@link WriteCompletion}; may be null
   */
  public void send(ByteBuf message, Completable<Void> done) {
    boolean first = waiting.isEmpty();
    pendingBytes += message.readableBytes();
    waiting.add(new OutboundMessage(message, done));
    // A message behind others waits for the same as they do, and the end of a turn follows that.
    if (first) {
      stream.flush();
      flush();
    }
  }

  /** Posts messages as credits, slots and the queue allow. */
  public void flush() {
    OutboundMessage next;
    // Whoever is told that a message is sent may send more, which comes back here and may find the queue full.
    while (stream.canPost() && !out.isStalled() && !out.awaitsRoom() && (next = waiting.peek()) != null && credits.canSendData()) {
      if (!post(next)) {
        break;
      }
    }
    if (!waiting.isEmpty() && stream.canPost()) {
      stream.loop.turn.waiting(stream);
    }
  }

  /** @return false if it has to wait */
  private boolean post(OutboundMessage next) {
    int room = out.room();
    if (next.size <= room) {
      return waiting.size() > 1 && next.size <= room / 4 ? eager.coalesced(waiting, room) : eager.whole(next);
    }
    if (completion != WriteCompletion.IN_SHARED_MEMORY && next.body instanceof RegisteredBuffer buffer && rendezvous().holds(buffer)) {
      return rendezvous.inPlace(next, buffer);
    }
    return inSegments ? eager.segment(next, room) : rendezvous().copied(next);
  }

  private RendezvousSender rendezvous() {
    if (rendezvous == null) {
      rendezvous = new RendezvousSender(this, stream, stream.loop.memory.peer(peer));
    }
    return rendezvous;
  }

  /**
   * Counts bytes of the first message as posted. Before its last piece is posted a message leaves the queue: a post that fails ends the
   * link, which fails all that is queued.
   *
   * @return true if it was the last of it
   */
  boolean handedOver(OutboundMessage message, int bytes) {
    pendingBytes -= bytes;
    postedBytes += bytes;
    stream.counters.bytesSent += bytes;
    if (message.body.isReadable()) {
      return false;
    }
    waiting.poll();
    return true;
  }

  /** Posts the last frame of a message that was released, and of those {@link OutboundMessage#behind} it. */
  void postLast(SendSlot slot, OutboundMessage message, int flags, int length, long a) {
    if (completion.isBySend()) {
      slot.written = message;
    }
    out.post(slot, Frame.DATA, flags, length, a, 0);
    if (!completion.isBySend()) {
      complete(message);
    }
  }

  /** Releases the body of a message of which nothing is left to be copied. */
  void release(OutboundMessage message) {
    message.posted = true;
    message.body.release();
    stream.counters.messagesSent++;
  }

  /** Tells whether writes complete when the peer has read the last piece of their message, and not when that is posted. */
  boolean completesWhenRead() {
    return completion.isBySend();
  }

  /** Completes the writes of a message, and of those {@link OutboundMessage#behind} it. */
  void complete(OutboundMessage first) {
    OutboundMessage next = first;
    if (isCompleting || !completing.isEmpty()) {
      completing.add(first);
      if (isCompleting) {
        // A handler has written more, which must not complete before the others.
        return;
      }
      next = completing.poll();
    }
    isCompleting = true;
    try {
      for (; next != null; next = completing.poll()) {
        completeAll(next);
      }
    } finally {
      isCompleting = false;
    }
  }

  private void completeAll(OutboundMessage first) {
    OutboundMessage message = first;
    try {
      for (; message != null; message = message.behind) {
        complete(message.done);
      }
    } finally {
      if (message != null && message.behind != null) {
        // A handler has thrown: the others are completed with the next.
        completing.add(message.behind);
      }
    }
  }

  /** Completes a write whose frames are posted. @param done may be null */
  private void complete(Completable<Void> done) {
    if (done == null) {
      return;
    }
    if (!stream.canPost()) {
      done.fail(Reasons.ofWhatWasUnderWay(stream.closeCause()));
    } else {
      done.succeed();
    }
  }

  /** See {@link PeerMemory#allocate}; a link that is over has none, since nobody would give it back. */
  public Future<ByteBuf> allocate(int size) {
    return stream.isOver() ? Future.succeededFuture(Unpooled.buffer(size, size)) : rendezvous().allocate(size);
  }

  // ---- facts

  /** Bytes of messages written and not posted. */
  public long pendingBytes() {
    return pendingBytes;
  }

  /** Pieces of messages that the peer has not read. */
  public int unread() {
    return rendezvous == null ? 0 : rendezvous.unread();
  }

  /** Messages written since the first one, those included that wait. */
  public long written() {
    return posted() + waiting.size();
  }

  /** Messages handed to the fabric, of those that were {@link #written}. */
  public long posted() {
    return stream.counters.messagesSent;
  }

  /** Pieces of messages that the peer was or is to read, counted from the first. */
  public long pieces() {
    return rendezvous == null ? 0 : rendezvous.pieces();
  }

  /** Tells whether the peer has read so many {@link #pieces}, from the first on. */
  public boolean isRead(long pieces) {
    return rendezvous == null || rendezvous.isRead(pieces);
  }

  /** Tells whether every message was handed to the fabric. */
  public boolean isPosted() {
    return waiting.isEmpty() && !out.isStalled();
  }

  /** Returns the number of messages that were not handed to the fabric, and of pieces that the peer has not read. */
  public int unfinished() {
    return waiting.size() + unread();
  }

  /** Tells whether every message was handed to the fabric and, where the peer has to read it, was read. */
  public boolean isTaken() {
    return isPosted() && unread() == 0;
  }

  /** Number that changes whenever the peer takes something. */
  public long progress() {
    return postedBytes + pieces() - unread();
  }

  // ---- frames

  /** See {@link RendezvousSender#acknowledged}. */
  public void acknowledged(long name) {
    rendezvous().acknowledged(name);
  }

  // ---- the end

  /** Fails messages that wait, and those that the peer has not read: the link is over. */
  public void fail() {
    if (rendezvous != null) {
      rendezvous.failUnread();
    }
    OutboundMessage next;
    while ((next = waiting.poll()) != null) {
      pendingBytes -= next.body.readableBytes();
      next.body.release();
      if (next.done != null) {
        next.done.fail(stream.closeCause());
      }
    }
  }

  /** See {@link RendezvousSender#close}. */
  public void close() {
    if (rendezvous != null) {
      rendezvous.close();
    }
  }
}
