package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.HeapBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

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
        stream.violation("the peer sent several messages in a frame of " + size + " bytes, and the sum of their lengths is different");
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

  /**
   * Copy of the latest frame, in which the handler reads messages. Reuses its memory and slices. Each link has its own memory: a view used
   * too late shows no other link's data.
   */
  private static final class ViewedFrame {
    /** Power of two, above the number of 64-byte messages that fit into a default frame. */
    private static final int SLICES = 256;

    private final MemorySegment[] slices = new MemorySegment[SLICES];
    private byte[] bytes = {};
    private MemorySegment memory = readOnly(bytes);
    private int messages;

    private static MemorySegment readOnly(byte[] bytes) {
      return MemorySegment.ofArray(bytes).asReadOnly();
    }

    void copy(MemorySegment from, long at, int size) {
      if (size > bytes.length) {
        bytes = new byte[size];
        memory = readOnly(bytes);
        Arrays.fill(slices, null);
      }
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, bytes, 0, size);
      messages = 0;
    }

    MemorySegment next(long at, int length) {
      int place = messages++ + length & SLICES - 1;
      MemorySegment slice = slices[place];
      if (slice == null || slice.address() != at || slice.byteSize() != length) {
        slice = memory.asSlice(at, length);
        slices[place] = slice;
      }
      return slice;
    }
  }
}
