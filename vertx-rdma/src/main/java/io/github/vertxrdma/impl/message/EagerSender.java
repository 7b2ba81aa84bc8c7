package io.github.vertxrdma.impl.message;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopMemory;
import io.github.vertxrdma.impl.device.SendSlot;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.framing.FrameWriter;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.impl.wire.Frame;

/**
 * Sends messages in frames that carry their bytes: whole, several in one frame where they had to wait, or one in segments of one receive
 * each. Confined to the loop.
 */
final class EagerSender {
  /**
   * Segments under way beyond which a link waits for completions once half of the loop's slots are in use: peers that stop hold theirs
   * until they are given up.
   */
  private static final int SEGMENTS_UNDER_WAY = 32;
  /** Slots that segments leave to all other frames of the loop. */
  private static final int SLOTS_LEFT = 64;

  private final MessageSender sender;
  private final DeviceLoop loop;
  private final FrameStream stream;
  private final FrameWriter out;

  EagerSender(MessageSender sender, FrameStream stream) {
    this.sender = sender;
    this.stream = stream;
    this.loop = stream.loop;
    this.out = stream.out;
  }

  /** @return false if there is no slot now */
  boolean whole(OutboundMessage next) {
    SendSlot slot = out.take(next.size);
    if (slot == null) {
      return false;
    }
    slot.write(out.payloadAt(), next.body, next.size);
    next.body.skipBytes(next.size);
    sender.handedOver(next, next.size);
    sender.release(next);
    sender.postLast(slot, next, 0, next.size, 0);
    return true;
  }

  /**
   * Sends small messages that had to wait in one frame: a credit, a post and a receive for all of them.
   *
   * @return false if there is no slot
   */
  boolean coalesced(LazyQueue<OutboundMessage> waiting, int room) {
    SendSlot slot = out.take((int) Math.min(room, sender.pendingBytes() + (long) waiting.size() * Frame.LENGTH));
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
      sender.handedOver(next, next.size);
      sender.release(next);
      if (first == null) {
        first = next;
      } else {
        last.behind = next;
      }
      last = next;
    }
    sender.postLast(slot, first, Frame.COALESCED, length, 0);
    return true;
  }

  /** Sends the next segment of a message. @return false if it has to wait */
  boolean segment(OutboundMessage next, int room) {
    LoopMemory memory = loop.memory;
    if (out.underWay() >= SEGMENTS_UNDER_WAY && memory.sendSlots.inUse() >= LoopMemory.SEND_MAX / 2
      || memory.sendSlots.available() < SLOTS_LEFT && !memory.sendSlots.canGrow(SLOTS_LEFT)) {
      // Each completion is followed by the end of a turn, in which links that wait go on.
      return false;
    }
    int offset = next.offset();
    int length = Math.min(next.size - offset, room);
    SendSlot slot = out.take(length);
    if (slot == null) {
      return false;
    }
    slot.write(out.payloadAt(), next.body, length);
    next.body.skipBytes(length);
    boolean last = sender.handedOver(next, length);
    if (last) {
      sender.release(next);
      sender.postLast(slot, next, Frame.SEGMENT, length, Frame.piece(next.size, offset));
    } else {
      out.post(slot, Frame.DATA, Frame.SEGMENT, length, Frame.piece(next.size, offset), 0);
    }
    if (offset == 0) {
      // A peer that sleeps wakes up while the other segments are copied.
      stream.waker.wake();
    }
    return true;
  }
}
