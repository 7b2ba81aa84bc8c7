package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.InFlight;
import io.github.vertxrdma.impl.device.LoopMemory;
import io.github.vertxrdma.impl.device.SendSlot;
import io.github.vertxrdma.provider.Capabilities.SendCompletion;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.vertx.core.Completable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;

/**
 * Posts outbound frames with sequence numbers and credits. Queues control frames that cannot be posted yet. Posts replies first, and
 * messages of {@link MessageSender} last.
 */
public final class FrameWriter {
  /** Number of inline sends of which one requests a completion, since only completions free entries of the send queue. */
  private static final int SIGNAL_EVERY = 16;
  /** Control credits are withheld above this number of waiting replies plus four times the granted control credits. */
  private static final int CONGESTED = 64;

  @FunctionalInterface
  public interface Before {
    /**
     * Called before the frame is posted. May post a request with {@link PostFlags#MORE}.
     *
     * @return a {@link Status}; the frame is posted only after OK
     */
    int post();

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
  /** Waiting replies. A peer that does not read replies gets no further credits, which bounds this queue. */
  private final ArrayDeque<Control> answers = new ArrayDeque<>(1);
  private final ArrayDeque<Control> waiting = new ArrayDeque<>(1);
  private final InFlight inFlight = new InFlight();
  private Endpoint endpoint;
  private final int signalled;
  private int inlineRoom;
  private boolean claims;
  private int peerBuffer = Greeting.LEAST_BUFFER;
  private int sequence;
  private int signalEvery;
  private int unsignalled;
  private boolean congested;
  private boolean closeAcknowledged;
  private SendSlot acknowledgement;
  private final ArrayDeque<Completable<Void>> unacknowledged = new ArrayDeque<>(1);
  /** Frame that did not fit into the send queue. It is posted before other frames. */
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

  void peerBuffer(int size) {
    peerBuffer = Math.min(size, loop.options.bufferSize());
  }

  public int room() {
    return Frame.room(peerBuffer, prefix);
  }

  public int payloadAt() {
    return prefix + Frame.SIZE;
  }

  public boolean isIdle() {
    return waiting.isEmpty() && answers.isEmpty() && stalled == null;
  }

  public int waiting() {
    return answers.size() + waiting.size();
  }

  public boolean lacksCredits() {
    return stalled == null && waiting() > 0 && !credits.canSendControl(Frame.PING);
  }

  public boolean isStalled() {
    return stalled != null;
  }

  public boolean hasAcknowledgedClose() {
    return closeAcknowledged;
  }

  public boolean hasDeliveredAcknowledgement() {
    return closeAcknowledged && acknowledgement == null;
  }

  public int inFlight() {
    return inFlight.size();
  }

  public void control(int type, int flags, long a, long b, byte[] payload) {
    control(type, flags, a, b, payload, null);
  }

  public void control(int type) {
    control(type, 0, 0, 0, null, null);
  }

  public void control(int type, int flags, long a, long b, byte[] payload, Before before) {
    boolean answer = type == Frame.PONG || type == RegionFrames.REPLY || type == RegionFrames.NOTIFIED;
    (answer ? answers : waiting).add(new Control(type, flags, a, b, payload, before));
    if (!congested && answers.size() > CONGESTED + 4 * credits.windowControl()) {
      credits.congested(congested = true);
    }
    stream.flush();
  }

  public boolean flush() {
    if (stalled != null) {
      SendSlot slot = stalled;
      stalled = null;
      post(slot, stalledType, stalledLength, stalledFlags);
    }
    if (!flush(answers) || !flush(waiting)) {
      return false;
    }
    if (congested && answers.size() <= CONGESTED / 2) {
      credits.congested(congested = false);
    }
    return stalled == null && stream.canPost();
  }

  private boolean flush(ArrayDeque<Control> frames) {
    Control frame;
    while (stalled == null && stream.canPost() && (frame = frames.peek()) != null && credits.canSendControl(frame.type)) {
      int length = frame.payload == null ? 0 : frame.payload.length;
      // A post ends the claim of endpoint memory, so a frame that follows a request needs a send slot.
      SendSlot slot = frame.before == null ? take(length) : memory.takeSend(stream);
      if (slot == null) {
        return false;
      }
      // Removes the frame first: a failed post may send more frames, which calls this method again.
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
      if (length > 0) {
        MemorySegment.copy(frame.payload, 0, slot.segment, ValueLayout.JAVA_BYTE, slot.at + payloadAt(), length);
      }
      post(slot, frame.type, frame.flags, length, frame.a, frame.b);
    }
    return true;
  }

  public void flushCredits() {
    if (credits.canSendControl(Frame.CREDIT) && stalled == null && stream.canPost()) {
      SendSlot slot = take(0);
      if (slot != null) {
        post(slot, Frame.CREDIT, 0, 0, 0, 0);
        return;
      }
    }
    loop.turn.waiting(stream);
  }

  public SendSlot take(int payload) {
    long at = endpoint.claim(payloadAt() + payload);
    if (at < 0) {
      return memory.takeSend(stream);
    }
    claims = true;
    return loop.claimed.claimed(endpoint.claimed(), at);
  }

  /** Returns whether messages should wait for a completion, since the endpoint's memory is full and a send slot costs a second copy. */
  public boolean awaitsRoom() {
    return claims && inFlight.size() > 0;
  }

  public void release(SendSlot slot) {
    if (!slot.isClaimed()) {
      memory.sendSlots.release(slot);
    }
  }

  /** Posts a frame whose payload is in its slot. An error closes the stream. */
  public void post(SendSlot slot, int type, int flags, int length, long a, long b) {
    credits.spend(Frame.isData(type));
    if (type != Frame.CREDIT && type != Frame.PONG) {
      stream.expectReply();
    }
    if (type == Frame.ATS) {
      // Precedes the encoding of the header, which returns these credits to the peer.
      credits.rendezvousAcknowledged(length / Frame.NAME);
    }
    Frame.encode(slot.segment, slot.at + prefix, type, flags, credits.takeData(), credits.takeControl(), sequence++, length, a, b);
    int total = payloadAt() + (type == Frame.RTS ? 0 : length);
    if (slot.isClaimed()) {
      endpoint.sendClaimed(total);
      posted(slot, type, PostFlags.SIGNALED, true);
      return;
    }
    boolean inline = Frame.room(total, prefix) <= inlineRoom;
    int post = inline ? PostFlags.INLINE : signalled;
    // CLOSE_ACK needs a completion, since this side closes the endpoint only after its delivery.
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
      keepUnacknowledged(slot);
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
      keepUnacknowledged(slot);
    }
    release(slot);
    if (written != null) {
      written.succeed();
    } else if (status != Status.OK && status != Status.FLUSHED) {
      stream.failed(status, "a send failed", error);
    }
  }

  private void keepUnacknowledged(SendSlot slot) {
    if (slot.written != null) {
      unacknowledged.add(slot.written);
      slot.written = null;
    }
  }

  void fail() {
    answers.clear();
    Control frame;
    while ((frame = waiting.poll()) != null) {
      if (frame.before != null) {
        frame.before.fail(stream.closeCause());
      }
    }
    if (stalled != null) {
      keepUnacknowledged(stalled);
      release(stalled);
      stalled = null;
    }
  }

  /** Completes the writes whose frames have no completion yet. @param cause null if the peer has acknowledged everything */
  public void completeUnacknowledged(Throwable cause) {
    inFlight.forEach(slot -> keepUnacknowledged((SendSlot) slot));
    Completable<Void> next;
    while ((next = unacknowledged.poll()) != null) {
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
