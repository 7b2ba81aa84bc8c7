package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LazyQueue;
import io.github.vertxrdma.impl.device.LoopMemory;
import io.github.vertxrdma.impl.device.SendSlot;

/** Sends messages in frames. Several waiting small messages share a frame. */
final class EagerSender {
  /**
   * Number of frames in flight at which a link sends no more segments while half of the loop's slots are in use. Otherwise a stopped peer
   * could occupy all slots.
   */
  private static final int SEGMENTS_UNDER_WAY = 32;
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

  boolean single(OutboundMessage next) {
    SendSlot slot = out.take(next.size);
    if (slot == null) {
      return false;
    }
    slot.write(out.payloadAt(), next.body, next.size);
    next.body.skipBytes(next.size);
    sender.countPosted(next, next.size);
    sender.release(next);
    sender.postLast(slot, next, 0, next.size, 0);
    return true;
  }

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
      sender.countPosted(next, next.size);
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

  boolean segment(OutboundMessage next, int room) {
    LoopMemory memory = loop.memory;
    if (out.underWay() >= SEGMENTS_UNDER_WAY && memory.sendSlots.inUse() >= LoopMemory.SEND_MAX / 2
      || memory.sendSlots.available() < SLOTS_LEFT && !memory.sendSlots.canGrow(SLOTS_LEFT)) {
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
    boolean last = sender.countPosted(next, length);
    if (last) {
      sender.release(next);
      sender.postLast(slot, next, Frame.SEGMENT, length, Frame.piece(next.size, offset));
    } else {
      out.post(slot, Frame.DATA, Frame.SEGMENT, length, Frame.piece(next.size, offset), 0);
    }
    if (offset == 0) {
      // Wakes a sleeping peer now, while this side copies the other segments.
      stream.waker.wake();
    }
    return true;
  }
}
