package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.HeapBuffer;
import java.lang.foreign.MemorySegment;

final class EagerReceiver {
  private final MessageReceiver receiver;
  private final FrameStream stream;
  private ViewedFrame viewed;

  EagerReceiver(MessageReceiver receiver, FrameStream stream) {
    this.receiver = receiver;
    this.stream = stream;
  }

  void single(MemorySegment m, long at, int size) {
    if (receiver.mayHave(size)) {
      receiver.add(receiver.isViewed() ? viewed(m, at, size).next(0, size) : HeapBuffer.copyOf(m, at, size));
    }
  }

  void coalesced(MemorySegment m, long at, int size) {
    long end = at + size;
    ViewedFrame frame = receiver.isViewed() ? viewed(m, at, size) : null;
    for (long next = at; next < end;) {
      int length = end - next < Frame.LENGTH ? -1 : Frame.length(m, next);
      next += Frame.LENGTH;
      if (length < 0 || length > end - next) {
        stream.violation("sent coalesced messages that do not fill their frame of " + size + " bytes");
        return;
      }
      if (!receiver.mayHave(length)) {
        return;
      }
      receiver.add(frame != null ? frame.next(next - at, length) : HeapBuffer.copyOf(m, next, length));
      next += length;
    }
  }

  private ViewedFrame viewed(MemorySegment m, long at, int size) {
    if (viewed == null) {
      viewed = new ViewedFrame();
    }
    viewed.copy(m, at, size);
    return viewed;
  }

  void segment(long piece, MemorySegment m, long at, int length) {
    InboundMessage message = receiver.piece(false, piece, length);
    if (message == null) {
      return;
    }
    if (!message.hasMemory()) {
      message.allocate(receiver.isZeroCopy() ? stream.loop.memory.takeIncoming(message.size) : null);
      if (!stream.credits.isPaused()) {
        stream.window().widen();
      }
    }
    message.put(m, at, Frame.pieceOffset(piece), length);
    message.received(length);
  }
}
