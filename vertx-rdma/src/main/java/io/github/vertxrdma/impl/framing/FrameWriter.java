package io.github.vertxrdma.impl.framing;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopMemory;
import io.github.vertxrdma.impl.device.SendSlot;
import io.github.vertxrdma.impl.memory.InFlight;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.impl.wire.Frame;
import io.github.vertxrdma.impl.wire.Greeting;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.github.vertxrdma.provider.Capabilities.SendCompletion;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.vertx.core.Completable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Outgoing frames of a stream: numbers them, spends credits, gives the peer's back, posts them. Frames that cannot be posted (no credit, no
 * slot, queue full) wait here: answers go first, then other control frames, each kind in order; messages wait with their sender and go
 * last. Confined to the loop.
 */
public final class FrameWriter {
  /** Completions are asked for at least this often among inline sends, or twice for a send queue: only they free its places. */
  private static final int SIGNAL_EVERY = 16;
  /** Waiting answers beyond which the peer gets no credits for more, besides four times what it was granted: it never has so many. */
  private static final int CONGESTED = 64;

  /** Step that is due directly before a frame is posted, such as the post of the write that it announces. */
  @FunctionalInterface
  public interface Before {
    /**
     * Posts a write with {@link PostFlags#MORE}, or just notes that the frame goes.
     *
     * @return a {@link Status}; the frame goes if it is OK
     */
    int post();

    /** The frame will not go. */
    default void fail(Throwable cause) {
    }
  }

  private record Control(int type, int flags, long a, long b, byte[] payload, Before before) {
  }

  private final FrameStream stream;
  private final DeviceLoop loop;
  private final LoopMemory memory;
  private final Credits credits;
  private final int prefix;
  /** Answers to the peer's questions and writes: who asks for more than he takes is given no more credits. */
  private final LazyQueue<Control> answers = new LazyQueue<>();
  private final LazyQueue<Control> waiting = new LazyQueue<>();
  private final InFlight inFlight = new InFlight();
  private Endpoint endpoint;
  /** Flags of a post that tells when its frame was sent, at the latest by a completion. */
  private final int signalled;
  private int inlineRoom;
  /** Whether the fabric has offered memory of its own for frames. */
  private boolean claims;
  private int peerBuffer = Greeting.LEAST_BUFFER;
  private int sequence;
  private int signalEvery;
  private int unsignalled;
  private boolean congested;
  private boolean closeAcknowledged;
  /** Slot of the acknowledgement of the peer's close while it is under way. */
  private SendSlot acknowledgement;
  /** Writes of frames that were posted, and whose sends failed. */
  private final LazyQueue<Completable<Void>> unproven = new LazyQueue<>();
  /** A frame that found the queue full. Nothing else is posted before it. */
  private SendSlot stalled;
  private int stalledLength;
  private int stalledFlags;
  private int stalledType;

  FrameWriter(FrameStream stream, DeviceLoop loop, Credits credits) {
    this.stream = stream;
    this.loop = loop;
    this.memory = loop.memory;
    this.credits = credits;
    this.prefix = loop.prefix;
    this.signalled = loop.capabilities.sendCompletion() == SendCompletion.SHARED_MEMORY ? PostFlags.SIGNALED | PostFlags.UNLESS_DONE
      : PostFlags.SIGNALED;
  }

  void endpoint(Endpoint made) {
    endpoint = made;
    inlineRoom = Frame.room(made.inlineSize(), prefix);
    signalEvery = Math.min(SIGNAL_EVERY, Math.max(1, made.sendDepth() / 2));
  }

  /** Sets the size of the peer's receives, once it has told it. */
  void peerBuffer(int size) {
    peerBuffer = Math.min(size, loop.options.bufferSize());
  }

  /** Bytes of payload that one frame can carry. */
  public int room() {
    return Frame.room(peerBuffer, prefix);
  }

  /** Offset of the payload in a slot. */
  public int payloadAt() {
    return prefix + Frame.SIZE;
  }

  /** Tells whether no frame waits. */
  public boolean isIdle() {
    return waiting.isEmpty() && answers.isEmpty() && stalled == null;
  }

  /** Control frames that wait. */
  public int waiting() {
    return answers.size() + waiting.size();
  }

  /** Tells whether control frames wait for nothing but credits of the peer. */
  public boolean lacksCredits() {
    return stalled == null && waiting() > 0 && !credits.canSendControl(Frame.PING);
  }

  /** Tells whether the queue was full, and a frame waits that must go first. */
  public boolean isStalled() {
    return stalled != null;
  }

  /** Tells whether the acknowledgement of the peer's close has arrived, as far as the fabric tells. */
  public boolean hasDeliveredAcknowledgement() {
    return closeAcknowledged && acknowledgement == null;
  }

  /** Frames posted whose completion has not come. */
  public int underWay() {
    return inFlight.size();
  }

  // ---- control frames

  /** Sends a control frame, now or when there are credits. @param payload null for none; not copied */
  public void control(int type, int flags, long a, long b, byte[] payload) {
    control(type, flags, a, b, payload, null);
  }

  /** Sends a control frame without a payload. */
  public void control(int type) {
    control(type, 0, 0, 0, null, null);
  }

  /** Sends a frame with a step before it, such as the write that it announces. */
  public void control(int type, int flags, long a, long b, byte[] payload, Before before) {
    boolean answer = type == Frame.PONG || type == RegionFrames.REPLY || type == RegionFrames.NOTIFIED;
    (answer ? answers : waiting).add(new Control(type, flags, a, b, payload, before));
    if (!congested && answers.size() > CONGESTED + 4 * credits.windowControl()) {
      credits.congested(congested = true);
    }
    stream.flush();
  }

  /** Posts control frames as credits, slots and the queue allow. @return whether messages may follow */
  public boolean flush() {
    if (stalled != null) {
      repostStalled();
    }
    if (!flush(answers) || !flush(waiting)) {
      return false;
    }
    if (congested && answers.size() <= CONGESTED / 2) {
      credits.congested(congested = false);
    }
    return stalled == null && stream.canPost();
  }

  /** @return false if there is no slot now, or the queue is full */
  private boolean flush(LazyQueue<Control> frames) {
    Control frame;
    while (stalled == null && stream.canPost() && (frame = frames.peek()) != null && credits.canSendControl(frame.type)) {
      int payload = frame.payload == null ? 0 : frame.payload.length;
      // A claim ends with the next post, so with that of a step before the frame.
      SendSlot slot = frame.before == null ? take(payload) : memory.takeSend(stream);
      if (slot == null) {
        return false;
      }
      // Taken before its step: whoever hears that it cannot be may send more, which comes back here.
      frames.poll();
      if (frame.before != null) {
        int status = frame.before.post();
        if (status == Status.AGAIN) {
          frames.addFirst(frame);
          release(slot);
          loop.turn.again(stream);
          return false;
        }
        if (status != Status.OK) {
          release(slot);
          continue;
        }
      }
      post(slot, frame);
    }
    return true;
  }

  private void post(SendSlot slot, Control frame) {
    int length = frame.payload == null ? 0 : frame.payload.length;
    if (length > 0) {
      MemorySegment.copy(frame.payload, 0, slot.segment, ValueLayout.JAVA_BYTE, slot.at + payloadAt(), length);
    }
    post(slot, frame.type, frame.flags, length, frame.a, frame.b);
  }

  private void repostStalled() {
    SendSlot slot = stalled;
    stalled = null;
    post(slot, stalledType, stalledLength, stalledFlags);
  }

  /** Sends owed credits in a frame of their own, if nothing else carries them. */
  public void flushCredits() {
    if (credits.canSendControl(Frame.CREDIT) && stalled == null && stream.canPost()) {
      SendSlot slot = take(0);
      if (slot != null) {
        credits.givenAlone();
        post(slot, Frame.CREDIT, 0, 0, 0, 0);
        return;
      }
    }
    loop.turn.waiting(stream);
  }

  // ---- posting

  /**
   * Returns a slot for a frame, in the fabric's own memory if that is offered and has room. Nothing may be posted before the frame is.
   *
   * @param payload bytes that follow its header at most
   * @return null if there is none now
   */
  public SendSlot take(int payload) {
    long at = endpoint.claim(payloadAt() + payload);
    if (at < 0) {
      return memory.takeSend(stream);
    }
    claims = true;
    return loop.claimed.claimed(endpoint.claimed(), at);
  }

  /**
   * Returns whether a frame that found no room in the fabric's own memory is under way. Frames behind it should wait for its completion:
   * their bytes would be copied once more on their way.
   */
  public boolean awaitsRoom() {
    return claims && inFlight.size() > 0;
  }

  /** Gives a slot back that is not posted. */
  public void release(SendSlot slot) {
    if (!slot.isClaimed()) {
      memory.sendSlots.release(slot);
    }
  }

  /**
   * Posts a frame whose payload is in its slot, and spends its credit. If the queue is full it waits as the stalled one; an error ends the
   * stream.
   */
  public void post(SendSlot slot, int type, int flags, int length, long a, long b) {
    credits.spend(Frame.isData(type));
    if (type != Frame.CREDIT && type != Frame.PONG) {
      stream.asks();
    }
    if (type == Frame.ATS) {
      // Before it is encoded: it takes these credits along.
      credits.rendezvousAcknowledged(length / Frame.NAME);
    }
    Frame.encode(slot.segment, slot.at + prefix, type, flags, credits.takeData(), credits.takeControl(), sequence++, length, a, b);
    // The receiver fetches the bytes that an RTS names; the frame is the header alone.
    int total = payloadAt() + (type == Frame.RTS ? 0 : length);
    if (slot.isClaimed()) {
      endpoint.sendClaimed(total);
      posted(slot, type, PostFlags.SIGNALED, true);
      return;
    }
    boolean inline = Frame.room(total, prefix) <= inlineRoom;
    int post = inline ? PostFlags.INLINE : signalled;
    // The side that acknowledges a close may end the endpoint once the acknowledgement has arrived.
    if (inline && (++unsignalled >= signalEvery || type == Frame.CLOSE_ACK || slot.written != null)) {
      post |= signalled;
    }
    post(slot, type, total, post);
  }

  private void post(SendSlot slot, int type, int total, int flags) {
    int status = endpoint.post(loop.work.send(slot.region, slot.offset, total).id(slot.id()).flags(flags));
    if (status == Status.OK || status == Status.DONE) {
      posted(slot, type, flags, status == Status.DONE);
    } else if (status == Status.AGAIN) {
      stalled = slot;
      stalledLength = total;
      stalledFlags = flags;
      stalledType = type;
      endpoint.flush();
      loop.turn.again(stream);
    } else {
      keepUnproven(slot);
      release(slot);
      stream.failed(status, "a send was refused", null);
    }
  }

  private void posted(SendSlot slot, int type, int flags, boolean done) {
    Completable<Void> written = null;
    if ((flags & PostFlags.SIGNALED) == 0) {
      release(slot);
    } else {
      unsignalled = 0;
      if (done) {
        written = slot.written;
        slot.written = null;
        release(slot);
      } else {
        inFlight.add(slot);
      }
    }
    if (type == Frame.CLOSE_ACK) {
      closeAcknowledged = true;
      acknowledgement = done ? null : slot;
    }
    stream.posted();
    if (written != null) {
      written.succeed();
    }
  }

  /** A signalled send completed. */
  void sent(SendSlot slot, int status, String error) {
    inFlight.remove(slot);
    if (slot == acknowledgement) {
      acknowledgement = null;
    }
    Completable<Void> written = null;
    if (status == Status.OK) {
      written = slot.written;
      slot.written = null;
    } else {
      keepUnproven(slot);
    }
    release(slot);
    if (written != null) {
      written.succeed();
    } else if (status != Status.OK && status != Status.FLUSHED) {
      stream.failed(status, "a send failed", error);
    }
  }

  /** Keeps the write of a frame that was not sent, until the stream ends with its cause. */
  private void keepUnproven(SendSlot slot) {
    if (slot.written != null) {
      unproven.add(slot.written);
      slot.written = null;
    }
  }

  // ---- the end

  /** Fails what waits. Slots in flight stay until {@link #destroyed}. */
  void fail() {
    answers.clear();
    Control frame;
    while ((frame = waiting.poll()) != null) {
      if (frame.before != null) {
        frame.before.fail(stream.overCause());
      }
    }
    if (stalled != null) {
      keepUnproven(stalled);
      release(stalled);
      stalled = null;
    }
  }

  /**
   * Completes the writes whose frames were posted, and of which it is not known whether the peer gets them.
   *
   * @param cause why the stream ended; null if the peer has acknowledged everything
   */
  public void completeUnproven(Throwable cause) {
    inFlight.forEach(slot -> keepUnproven((SendSlot) slot));
    Completable<Void> next;
    while ((next = unproven.poll()) != null) {
      next.complete(null, cause);
    }
  }

  void quarantined() {
    inFlight.forEach(slot -> memory.sendSlots.quarantine((SendSlot) slot));
  }

  void destroyed() {
    inFlight.drain(slot -> release((SendSlot) slot));
  }
}
