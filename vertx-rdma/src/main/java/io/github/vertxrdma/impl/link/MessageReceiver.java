package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Receives messages of a link and delivers them in order. Takes small messages and segments of large ones from frames. {@link
 * RendezvousReceiver} reads the other large messages from the peer's memory.
 */
final class MessageReceiver implements LargeMessages.Owner {
  /** Bytes of waiting messages above which the peer gets no credits for messages. */
  private static final int MOST_WAITING = 4 << 20;
  private static final int OVERHEAD = 64;

  private static final Object END = new Object();

  private final FrameStream stream;
  private final Credits credits;
  private final Link link;
  private ViewedFrame viewedFrame;
  private RendezvousReceiver rendezvous;
  /**
   * Undelivered messages in order. A message in one frame is a ByteBuf or MemorySegment, any other an {@link InboundMessage}. {@link #END}
   * is last.
   */
  final ArrayDeque<Object> messages = new ArrayDeque<>(1);
  private InboundMessage assembling;
  private long waitingBytes;
  private boolean zeroCopy;
  private boolean viewed;
  private boolean ended;
  private boolean delivering;
  /** True while the reader has paused. */
  boolean paused;

  MessageReceiver(FrameStream stream, Link link) {
    this.stream = stream;
    this.credits = stream.credits;
    this.link = link;
  }

  void data(int type, int flags, long a, long b, MemorySegment m, long at, int length) {
    if (ended) {
      stream.violation("the peer sent a message after it had ended the connection (frame END)");
    } else if (type == Frame.RTS) {
      rendezvous().pieceAnnounced(a, b, length);
    } else if ((flags & Frame.SEGMENT) != 0) {
      segment(a, m, at, length);
    } else if (assembling != null) {
      stream.violation("the peer sent a message between the parts of another message");
    } else if ((flags & Frame.COALESCED) != 0) {
      coalesced(m, at, length);
    } else if (checkSize(length)) {
      add(isViewed() ? viewed(m, at, length).next(0, length) : HeapBuffer.copyOf(m, at, length));
    }
  }

  private void coalesced(MemorySegment m, long at, int size) {
    long end = at + size;
    ViewedFrame frame = isViewed() ? viewed(m, at, size) : null;
    for (long next = at; next < end;) {
      int length = end - next < Frame.LENGTH ? -1 : Frame.length(m, next);
      next += Frame.LENGTH;
      if (length < 0 || length > end - next) {
        stream.violation("the peer sent several messages in a frame of " + size + " bytes, and the sum of their lengths is different");
        return;
      }
      if (!checkSize(length)) {
        return;
      }
      add(frame != null ? frame.next(next - at, length) : HeapBuffer.copyOf(m, next, length));
      next += length;
    }
  }

  private ViewedFrame viewed(MemorySegment m, long at, int size) {
    if (viewedFrame == null) {
      viewedFrame = new ViewedFrame();
    }
    viewedFrame.copy(m, at, size);
    return viewedFrame;
  }

  private void segment(long piece, MemorySegment m, long at, int length) {
    InboundMessage message = piece(false, piece, length);
    if (message == null) {
      return;
    }
    if (!message.hasMemory()) {
      message.allocate(zeroCopy ? stream.loop.memory.takeIncoming(message.size) : null);
      checkCredits();
      if (!credits.isPaused() && !credits.isFull()) {
        stream.window().widen();
      }
    }
    message.put(m, at, Frame.pieceOffset(piece), length);
    message.arrived(length);
  }

  void end() {
    if (ended || assembling != null) {
      stream.violation("the peer ended the connection (frame END) " + (ended ? "twice" : "between the parts of a message"));
      return;
    }
    ended = true;
    messages.add(END);
    deliver();
  }

  void key(ControlFrame frame) {
    rendezvous().key(frame);
  }

  private RendezvousReceiver rendezvous() {
    if (rendezvous == null) {
      rendezvous = new RendezvousReceiver(this, stream, link);
    }
    return rendezvous;
  }

  private boolean checkSize(int size) {
    int most = stream.loop.options.maxMessageSize();
    if (size < 0 || size > most) {
      stream.violation("the peer sent a message of " + Integer.toUnsignedString(size) + " bytes, and at most " + most + " are allowed");
      return false;
    }
    return true;
  }

  /**
   * Returns the message of a piece. Pieces must follow each other without gaps, message by message.
   *
   * @param isRendezvous true if this side reads the piece remotely
   * @return null after a protocol violation
   */
  InboundMessage piece(boolean isRendezvous, long piece, int length) {
    int size = Frame.pieceSize(piece);
    int offset = Frame.pieceOffset(piece);
    if (!checkSize(size)) {
      return null;
    }
    boolean first = assembling == null;
    if (length <= 0 || offset < 0 || length > size - offset || (first ? offset != 0
      : assembling.isRendezvous != isRendezvous || assembling.size != size || assembling.announced != offset)) {
      stream.violation("the peer sent a part of a message that does not fit: " + length + " bytes at offset " + offset + " of " + size);
      return null;
    }
    if (first) {
      assembling = new InboundMessage(size, isRendezvous);
      messages.add(assembling);
      waitingBytes += cost(assembling);
    }
    InboundMessage message = assembling;
    message.announced += length;
    if (message.isAnnounced()) {
      assembling = null;
    }
    return message;
  }

  private void add(Object message) {
    messages.add(message);
    waitingBytes += cost(message);
  }

  private static int cost(Object message) {
    return OVERHEAD + (message instanceof ByteBuf body ? body.readableBytes()
      : message instanceof InboundMessage pieces && !pieces.isRendezvous ? pieces.size : 0);
  }

  /** Withholds credits for messages while too many bytes wait, or the reader has paused and no message must be received to its end. */
  private void checkCredits() {
    boolean inSegments = assembling != null && !assembling.isRendezvous;
    if (inSegments && !paused) {
      admit(assembling);
    }
    boolean full = waitingBytes > Math.min(MOST_WAITING, stream.loop.options.maxMessageSize()) && messages.peek() != assembling
      || inSegments && assembling.isWaiting();
    boolean pauses = paused && (assembling == null || !assembling.isAdmitted());
    if (full != credits.isFull() || pauses != credits.isPaused()) {
      credits.withhold(pauses, full);
      stream.loop.turn.dirty(stream);
    }
  }

  /** Claims the memory of a message, if it is the next one to deliver: two messages of a link could wait for each other. */
  boolean admit(InboundMessage message) {
    return !message.isWaiting() || messages.peek() == message
      && message.admit(() -> LargeMessages.PROCESS.claim(stream.source(), message.size, stream.loop.host, this));
  }

  @Override
  public void admitted() {
    if (!stream.isClosed()) {
      checkCredits();
      if (assembling != null && !assembling.isRendezvous) {
        stream.window().widen();
      }
      stream.loop.turn.dirty(stream);
    }
  }

  @Override
  public void stalled() {
    stream.fail(new RdmaException(Reason.LIMIT,
      stream.name() + ": less than " + (LargeMessages.STEP >> 20) + " MiB of a large message arrived in "
        + TimeUnit.MILLISECONDS.toSeconds(LargeMessages.STALL_MILLIS) + " s, while other messages waited for its memory. Check whether the "
        + "peer's event loop is blocked or its process is stopped; with a larger heap (-Xmx) more messages can arrive at once"));
  }

  boolean isZeroCopy() {
    return zeroCopy;
  }

  /** Returns whether the handler may view the message in place, which requires that it is the next to deliver and needs no admission. */
  boolean isViewed(InboundMessage message) {
    return viewed && messages.peek() == message && !delivering && message.size <= LargeMessages.SMALL;
  }

  private boolean isViewed() {
    return viewed && messages.isEmpty() && !delivering;
  }

  void deliver() {
    if (delivering) {
      return;
    }
    delivering = true;
    try {
      Object head;
      while ((head = messages.peek()) != null && !stream.isClosed()) {
        if (head instanceof InboundMessage message) {
          if (!message.isComplete() || message.isRendezvous && !rendezvous.isConfirmed(message)) {
            return;
          }
          messages.poll();
          deliver(message);
          continue;
        }
        messages.poll();
        if (head == END) {
          link.closing.peerEnded();
          continue;
        }
        waitingBytes -= cost(head);
        if (head instanceof MemorySegment view) {
          delivered((int) view.byteSize());
          link.handler.view(view);
        } else {
          ByteBuf body = (ByteBuf) head;
          delivered(body.readableBytes());
          link.handler.message(body);
        }
      }
    } finally {
      delivering = false;
      checkCredits();
      if (messages.peek() instanceof InboundMessage next && next.isWaiting()) {
        stream.loop.turn.dirty(stream);
      }
    }
  }

  private void deliver(InboundMessage message) {
    waitingBytes -= cost(message);
    if (message.isRendezvous) {
      rendezvous.delivered(message);
    }
    delivered(message.size);
    if (message.view != null) {
      link.handler.view(message.view);
      rendezvous.viewed(message);
      return;
    }
    try {
      link.handler.message(message.take());
    } finally {
      message.delivered();
    }
  }

  private void delivered(int bytes) {
    stream.counters.messagesReceived++;
    stream.counters.bytesReceived += bytes;
  }

  /** Pauses or resumes the peer, which may still use credits granted before. */
  void pause(boolean on) {
    paused = on;
    checkCredits();
    stream.loop.turn.dirty(stream);
  }

  void inPlace(boolean isZeroCopy, boolean isViewed) {
    zeroCopy = isZeroCopy;
    viewed = isViewed;
    if (isZeroCopy) {
      stream.loop.memory.openIncoming();
    }
  }

  void turnEnd() {
    if (rendezvous != null) {
      rendezvous.turnEnd();
    }
  }

  boolean isBusy() {
    return !messages.isEmpty();
  }

  /** Returns the number of messages that {@link StaleReadGuard} delays, with those behind them. */
  int unconfirmed() {
    int waiting = 0;
    for (Object next : messages) {
      if (next instanceof InboundMessage message && !message.isComplete() || delivering) {
        return waiting;
      }
      waiting += next == END ? 0 : 1;
    }
    return waiting;
  }

  void fail() {
    if (rendezvous != null) {
      rendezvous.fail();
    }
    for (Object next : messages) {
      if (next instanceof InboundMessage message) {
        message.release();
      }
    }
    messages.clear();
    assembling = null;
  }

  void close() {
    if (rendezvous != null) {
      rendezvous.close();
    }
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
