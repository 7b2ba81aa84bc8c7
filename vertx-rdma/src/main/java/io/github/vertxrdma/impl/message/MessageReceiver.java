package io.github.vertxrdma.impl.message;

import io.github.vertxrdma.impl.framing.Credits;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.impl.rma.RmaQueue;
import io.github.vertxrdma.impl.wire.ControlFrame;
import io.github.vertxrdma.impl.wire.Frame;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/**
 * Messages of a link on their way in, delivered in order: {@link EagerReceiver} takes those whose bytes come, {@link RendezvousReceiver}
 * reads the others. What came is kept first; the reader hears of it once the receive is posted again. Confined to the loop.
 */
public final class MessageReceiver {

  /** Whoever reads. */
  public interface Reader {
    /** A message; the buffer is the reader's, who has to release it if it asked for zero-copy messages. */
    void message(ByteBuf message);

    /** A message in read-only memory, the peer's or the link's, which it is again when this returns; for a reader that asked for views. */
    default void view(MemorySegment message) {
      message(HeapBuffer.copyOf(message));
    }

    /** The peer sends no more messages; all before were delivered. */
    default void ended() {
    }
  }

  /** The link that reads. */
  public interface Owner extends Reader {
    /** Asks the peer for a sign of life. @return the number of the question, see {@link #answered} */
    int ping();

    /** The link's remote memory operations. */
    RmaQueue rma();
  }

  /** Bytes of messages that wait behind one that cannot be delivered yet, beyond which the peer gets no credits for more. */
  private static final int MOST_WAITING = 4 << 20;
  /** Bytes that a message costs besides its own. */
  private static final int OVERHEAD = 64;

  /** The end of the peer's messages, among them. */
  private static final Object END = new Object();

  private final FrameStream stream;
  private final Credits credits;
  private final Owner reader;
  private final EagerReceiver eager;
  /** Null before the first slab of the peer's is known. */
  private RendezvousReceiver rendezvous;
  /**
   * In order: a buffer, or memory to be viewed, for each message that came in one piece, an {@link InboundMessage} for each other,
   * {@link #END}.
   */
  private final LazyQueue<Object> messages = new LazyQueue<>();
  /** The message whose next piece is due; null if none is. */
  private InboundMessage assembling;
  /** Bytes of those messages that came in frames, or are to come so. */
  private long waitingBytes;
  private boolean zeroCopy;
  private boolean viewed;
  private boolean ended;
  private boolean delivering;

  public MessageReceiver(FrameStream stream, Owner reader) {
    this.stream = stream;
    this.credits = stream.credits;
    this.reader = reader;
    this.eager = new EagerReceiver(this, stream);
  }

  // ---- frames

  /** Takes a frame that costs a data credit. */
  public void data(int type, int flags, long a, long b, MemorySegment m, long at, int length) {
    if (ended) {
      stream.violation("sent a message after the end of its messages");
    } else if (type == Frame.RTS) {
      rendezvous().offered(a, b, length);
    } else if ((flags & Frame.SEGMENT) != 0) {
      eager.segment(a, m, at, length);
    } else if (assembling != null) {
      stream.violation("sent a message between the pieces of another");
    } else if ((flags & Frame.COALESCED) != 0) {
      eager.coalesced(m, at, length);
    } else {
      eager.whole(m, at, length);
    }
  }

  /** Takes the end of the peer's messages. */
  public void end() {
    if (ended || assembling != null) {
      stream.violation("sent END " + (ended ? "twice" : "between the pieces of a message"));
      return;
    }
    ended = true;
    messages.add(END);
    deliver();
  }

  /** Takes the key of a slab of the peer's. */
  public void key(ControlFrame frame) {
    rendezvous().key(frame);
  }

  private RendezvousReceiver rendezvous() {
    if (rendezvous == null) {
      rendezvous = new RendezvousReceiver(this, stream, reader.rma(), reader);
    }
    return rendezvous;
  }

  // ---- pieces

  /** Tells whether a message may have so many bytes; else the link is over. */
  boolean mayHave(int size) {
    int most = stream.loop.options.maxMessageSize();
    if (size < 0 || size > most) {
      stream.violation("sent a message of " + Integer.toUnsignedString(size) + " bytes, at most " + most + " are allowed");
      return false;
    }
    return true;
  }

  /**
   * Finds the message that a piece belongs to: the one that is being put together, whose next piece is due, or a new one. Pieces come
   * without gaps and overlaps, of one message after the other, and all of a message in one way.
   *
   * @param isRendezvous true if it is to be read, false if it came with its frame
   * @return null if the piece does not fit; the link is over then
   */
  InboundMessage piece(boolean isRendezvous, long piece, int length) {
    int size = Frame.pieceSize(piece);
    int offset = Frame.pieceOffset(piece);
    if (!mayHave(size)) {
      return null;
    }
    boolean first = assembling == null;
    if (length <= 0 || offset < 0 || length > size - offset || (first ? offset != 0
      : assembling.isRendezvous != isRendezvous || assembling.size != size || assembling.announced() != offset)) {
      stream.violation("sent a piece that does not fit: " + length + " bytes at " + offset + " of " + size);
      return null;
    }
    if (first) {
      assembling = new InboundMessage(size, isRendezvous);
      messages.add(assembling);
      waitingBytes += cost(assembling);
    }
    InboundMessage message = assembling;
    message.announce(length);
    if (message.isAnnounced()) {
      assembling = null;
    }
    return message;
  }

  /** Adds a message that came in one piece. @param message a buffer, or memory to be viewed, which nothing can keep from being delivered */
  void add(Object message) {
    messages.add(message);
    waitingBytes += cost(message);
  }

  /** Bytes that it may take of the heap; what is read from the peer's memory gets its own only when there is room. */
  private static int cost(Object message) {
    return OVERHEAD + (message instanceof ByteBuf body ? body.readableBytes()
      : message instanceof InboundMessage pieces && !pieces.isRendezvous ? pieces.size : 0);
  }

  /** Withholds credits while too much waits, but not those that the first message needs for its own pieces. */
  private void checkFull() {
    boolean full = waitingBytes > Math.min(MOST_WAITING, stream.loop.options.maxMessageSize()) && messages.peek() != assembling;
    if (full != credits.isFull()) {
      credits.full(full);
      stream.loop.turn.dirty(stream);
    }
  }

  /**
   * Bytes of the heap that messages take which are not delivered.
   *
   * @param read those that are read from the peer's memory, or that came in frames
   */
  public long heldBytes(boolean read) {
    long held = 0;
    for (Object message : messages) {
      if (message instanceof InboundMessage pieces) {
        held += pieces.isRendezvous == read ? pieces.heapBytes() : 0;
      } else if (message instanceof ByteBuf body) {
        held += read ? 0 : body.readableBytes();
      }
    }
    return held;
  }

  /** Tells whether the reader releases messages, so that large ones may lie in registered memory. */
  boolean isZeroCopy() {
    return zeroCopy;
  }

  /** Tells whether the reader may get a message where it lies: it is next. */
  boolean isViewed(InboundMessage message) {
    return viewed && messages.peek() == message && !delivering;
  }

  /** Tells whether the reader may get the messages of a frame, which are next, in memory that the next frame takes again. */
  boolean isViewed() {
    return viewed && messages.isEmpty() && !delivering;
  }

  // ---- delivery

  /** Tells the reader of messages that are whole, in order. */
  public void deliver() {
    if (delivering) {
      return;
    }
    delivering = true;
    try {
      Object head;
      while ((head = messages.peek()) != null && !stream.isOver()) {
        if (head instanceof InboundMessage message) {
          if (!message.isWhole() || message.isRendezvous && !rendezvous.isConfirmed(message)) {
            return;
          }
          waitingBytes -= cost(message);
          if (message.isRendezvous) {
            rendezvous.delivered(message);
          }
          if (message.view() != null) {
            messages.poll();
            delivered(message.size);
            reader.view(message.view());
            rendezvous.viewed(message);
            continue;
          }
          head = message.take();
        } else if (head != END) {
          waitingBytes -= cost(head);
        }
        messages.poll();
        if (head == END) {
          reader.ended();
        } else if (head instanceof MemorySegment view) {
          delivered((int) view.byteSize());
          reader.view(view);
        } else {
          ByteBuf body = (ByteBuf) head;
          delivered(body.readableBytes());
          reader.message(body);
        }
      }
    } finally {
      delivering = false;
      checkFull();
    }
  }

  private void delivered(int bytes) {
    stream.counters.messagesReceived++;
    stream.counters.bytesReceived += bytes;
  }

  /** Stops or resumes giving data credits back and reading; messages that have credits still arrive. */
  public void pause(boolean on) {
    if (credits.isPaused() != on) {
      credits.pause(on);
      stream.loop.turn.dirty(stream);
    }
  }

  /** Sets whether the reader releases its messages: large ones that come from now on may lie in registered memory. */
  public void zeroCopy(boolean on) {
    zeroCopy = on;
    if (on) {
      stream.loop.memory.openIncoming();
    }
  }

  /** Sets whether the reader is to get messages that come from now on where they lie, if the fabric maps the peer's memory. */
  public void views(boolean on) {
    viewed = on;
  }

  /** The peer has answered so many questions. */
  public void answered(int answers) {
    if (rendezvous != null) {
      rendezvous.answered(answers);
    }
  }

  /** Acknowledges pieces that were read, and starts the next reads. */
  public void turnEnd() {
    if (rendezvous != null) {
      rendezvous.turnEnd();
    }
  }

  /** Tells whether messages are on their way to the reader. */
  public boolean isBusy() {
    return !messages.isEmpty();
  }

  /** Messages that are whole and wait for the peer to confirm that they are this link's, and those behind them. */
  public int unconfirmed() {
    int waiting = 0;
    for (Object next : messages) {
      if (next instanceof InboundMessage message && !message.isWhole() || delivering) {
        return waiting;
      }
      waiting += next == END ? 0 : 1;
    }
    return waiting;
  }

  // ---- the end

  /** Frees what is not delivered: the link is over. */
  public void fail() {
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

  /** Closes the peer's slabs: the endpoint was closed. */
  public void close() {
    if (rendezvous != null) {
      rendezvous.close();
    }
  }
}
