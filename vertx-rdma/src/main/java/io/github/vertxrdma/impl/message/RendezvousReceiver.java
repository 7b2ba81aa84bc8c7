package io.github.vertxrdma.impl.message;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.RendezvousSlot;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.github.vertxrdma.impl.rma.RmaHandler;
import io.github.vertxrdma.impl.rma.RmaQueue;
import io.github.vertxrdma.impl.wire.ControlFrame;
import io.github.vertxrdma.impl.wire.Frame;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Reads messages that lie in the peer's memory: RTS names the pieces, each is read in one or more remote reads and acknowledged by ATS. A
 * message gets memory when its first piece is read, and only so much is read ahead of the reader. Confined to the loop.
 */
final class RendezvousReceiver {
  /** Slabs of one peer. */
  private static final int MAX_SLABS = 1024;
  /** Bytes of messages that have memory and are not delivered, beyond which no other message gets memory; one always does. */
  private static final long READ_AHEAD = 4 << 20;
  /** Acknowledgements of one frame. */
  private static final int MOST_ACKNOWLEDGED = 32;

  private final MessageReceiver receiver;
  private final FrameStream stream;
  private final DeviceLoop loop;
  private final RmaQueue rma;
  private final MessageReceiver.Owner reader;
  /** Pieces that are not wholly being read. */
  private final LazyQueue<Piece> pieces = new LazyQueue<>();
  /** Pieces that are read and not acknowledged: the peer may end once they are, so what was read has to be confirmed before. */
  private final LazyQueue<Piece> unconfirmed = new LazyQueue<>();
  private final List<RemoteMemory> slabs = new ArrayList<>(0);
  private byte[] acknowledged = {};
  private int acknowledgedCount;
  private long undelivered;
  /** Guards against reading memory that is another's by now; null before the first piece, and where a link's end ends all reads. */
  private StaleReadGuard guard;

  /** A piece that the peer named, until it is read. */
  private static final class Piece {
    final InboundMessage message;
    final long name;
    final int offset;
    final int length;
    int started;
    int done;
    /** The read that found no slot, or as many as there may be under way. */
    Read next;

    /** @param offset in the message */
    Piece(InboundMessage message, long name, int offset, int length) {
      this.message = message;
      this.name = name;
      this.offset = offset;
      this.length = length;
    }
  }

  /** One remote read of a piece, or of a part of it. */
  private final class Read implements RmaHandler {
    private final Piece piece;
    private final int from;
    private final int length;
    /** Memory that the fabric writes to, kept while it does. */
    private RegisteredBuffer held;

    /** @param from offset in the piece */
    Read(Piece piece, int from, int length) {
      this.piece = piece;
      this.from = from;
      this.length = length;
    }

    boolean tryStart() {
      RemoteMemory slab = slabs.get(RendezvousSlot.slab(piece.name));
      long remoteOffset = RendezvousSlot.offset(piece.name) + from;
      held = piece.message.registered();
      if (held != null) {
        held.retain();
      }
      boolean started = held == null ? rma.tryRead(slab, remoteOffset, null, 0, length, this)
        : rma.tryRead(slab, remoteOffset, held.region(), held.offset() + piece.offset + from, length, this);
      if (!started) {
        released();
      }
      return started;
    }

    @Override
    public void read(MemorySegment memory, long at, long remoteOffset, int size) {
      if (held == null) {
        piece.message.put(memory, at, piece.offset + from, length);
      }
    }

    @Override
    public void done(Throwable failure) {
      if (failure != null) {
        stream.readFailed(failure);
        return;
      }
      // Before it is delivered, so that its reader has the only reference.
      released();
      arrived(piece, length);
      receiver.deliver();
      startReads();
    }

    @Override
    public void released() {
      if (held != null) {
        held.release();
        held = null;
      }
    }
  }

  RendezvousReceiver(MessageReceiver receiver, FrameStream stream, RmaQueue rma, MessageReceiver.Owner reader) {
    this.receiver = receiver;
    this.stream = stream;
    this.loop = stream.loop;
    this.rma = rma;
    this.reader = reader;
  }

  // ---- frames

  /** Takes the key of a slab, or forgets it. */
  void key(ControlFrame frame) {
    long id = frame.a();
    long length = frame.b();
    boolean there = id >= 0 && id < slabs.size() && slabs.get((int) id) != null;
    if (length == 0 && there && pieces.stream().noneMatch(piece -> RendezvousSlot.slab(piece.name) == id)) {
      RmaQueue.closeMemory(slabs.set((int) id, null), loop.host);
      return;
    }
    // Links share slabs, so a link's first one need not be the loop's first.
    if (id < 0 || id >= MAX_SLABS || there || length <= 0 || length > RendezvousSlot.MOST || frame.length() < 8) {
      stream.violation("announced slab " + id + " of " + length + " bytes, which is there or cannot be");
      return;
    }
    while (slabs.size() <= id) {
      slabs.add(null);
    }
    byte[] key = frame.payload().asSlice(8, frame.length() - 8).toArray(ValueLayout.JAVA_BYTE);
    try {
      slabs.set((int) id, loop.domain.remoteMemory(Frame.word(frame.payload(), 0), length, key));
    } catch (ProviderException e) {
      stream.violation("announced slab " + id + " by a key that is none of this fabric (" + e.getMessage() + ")");
    }
  }

  /** Takes a piece that the peer names. */
  void offered(long a, long name, int length) {
    int id = RendezvousSlot.slab(name);
    RemoteMemory slab = id < slabs.size() ? slabs.get(id) : null;
    if (slab == null || length < 0 || length > slab.length() - RendezvousSlot.offset(name)) {
      stream.violation("named a piece of " + length + " bytes at " + RendezvousSlot.offset(name) + " of slab " + id + ", which has "
        + (slab == null ? "no key" : slab.length() + " bytes"));
      return;
    }
    InboundMessage message = receiver.piece(true, a, length);
    if (message == null) {
      return;
    }
    pieces.add(new Piece(message, name, Frame.pieceOffset(a), length));
    if (loop.readsOutliveLinks) {
      if (guard == null) {
        guard = new StaleReadGuard(loop.host, reader::ping);
      }
      guard.renew();
    }
    // Delivery of what came waits until the receive is posted again.
    readPieces();
  }

  // ---- reading

  private void startReads() {
    if (readPieces()) {
      receiver.deliver();
    }
  }

  /** @return whether pieces have come already, so that messages may be whole */
  private boolean readPieces() {
    boolean came = false;
    Piece piece;
    while (!stream.credits.isPaused() && (piece = pieces.peek()) != null && !stream.isOver()) {
      if (!piece.message.hasMemory() && !allocate(piece)) {
        return came;
      }
      if (piece.started == 0 && (piece.message.view() != null || isCopied(piece))) {
        pieces.poll();
        arrived(piece, piece.length);
        came = true;
        continue;
      }
      Read read = piece.next;
      if (read == null) {
        // Through staging memory, which a message in registered memory does without, a read moves only so much.
        int left = piece.length - piece.started;
        read = new Read(piece, piece.started,
          piece.message.registered() != null ? left : Math.min(left, loop.memory.stagingSlots.slotSize()));
      }
      if (!read.tryStart()) {
        piece.next = read;
        return came;
      }
      piece.next = null;
      piece.started += read.length;
      if (piece.started == piece.length) {
        pieces.poll();
      }
    }
    return came;
  }

  /** The peer's memory in this process, as long as a piece; null if it is not mapped, be it not yet. */
  private MemorySegment mapped(Piece piece) {
    MemorySegment slab = loop.capabilities.maps() ? slabs.get(RendezvousSlot.slab(piece.name)).mapped() : null;
    return slab == null ? null : slab.asSlice(RendezvousSlot.offset(piece.name), piece.length);
  }

  /** Copies a piece to its message where the peer's memory is mapped: a read would go by staging memory. @return false if it is not */
  private boolean isCopied(Piece piece) {
    MemorySegment mapped = mapped(piece);
    if (mapped == null) {
      return false;
    }
    piece.message.put(mapped, 0, piece.offset, piece.length);
    stream.counters.transferred(Operation.READ, piece.length);
    return true;
  }

  /** Counts bytes of a piece that are in its message. */
  private void arrived(Piece piece, int length) {
    piece.message.received(length);
    if (piece.message.view() != null) {
      return;
    }
    if (guard != null) {
      piece.message.wasRead = true;
      piece.message.readAt = loop.host.nanoTime();
    }
    piece.done += length;
    if (piece.done == piece.length) {
      if (isConfirmed(piece.message)) {
        acknowledge(piece.name);
        loop.turn.dirty(stream);
      } else {
        unconfirmed.add(piece);
      }
    }
  }

  /** Gives a message memory, or leaves one of a single piece where it lies. @return false if readers have to catch up first */
  private boolean allocate(Piece piece) {
    InboundMessage message = piece.message;
    if (undelivered > 0 && undelivered + message.size > READ_AHEAD) {
      return false;
    }
    undelivered += message.size;
    MemorySegment view = piece.length == message.size && receiver.isViewed(message) ? mapped(piece) : null;
    if (view != null && guard.covers(loop.host.nanoTime())) {
      message.leave(view.asReadOnly(), piece.name);
    } else {
      message.allocate(receiver.isZeroCopy() ? loop.memory.takeIncoming(message.size) : null);
    }
    return true;
  }

  /** Gives the peer's memory back that a message lies in. */
  void viewed(InboundMessage message) {
    if (!stream.isOver()) {
      acknowledge(message.forget());
      loop.turn.dirty(stream);
    }
  }

  /** Counts a message that the reader has. */
  void delivered(InboundMessage message) {
    undelivered -= message.size;
    loop.turn.dirty(stream);
  }

  private void acknowledge(long name) {
    int room = (loop.options.bufferSize() - loop.prefix - Frame.SIZE) / Frame.NAME;
    if (acknowledgedCount == Math.min(room, MOST_ACKNOWLEDGED)) {
      flushAcknowledged();
    }
    if (acknowledged.length == 0) {
      acknowledged = new byte[MOST_ACKNOWLEDGED * Frame.NAME];
    }
    Frame.putWord(MemorySegment.ofArray(acknowledged), (long) acknowledgedCount++ * Frame.NAME, name);
  }

  private void flushAcknowledged() {
    if (acknowledgedCount > 0) {
      byte[] payload = Arrays.copyOf(acknowledged, acknowledgedCount * Frame.NAME);
      acknowledgedCount = 0;
      stream.out.control(Frame.ATS, 0, 0, 0, payload);
    }
  }

  void turnEnd() {
    flushAcknowledged();
    startReads();
  }

  // ---- stale memory

  /** Tells whether the peer's memory was this link's when a message was read; if that is not known, the peer's answer delivers it. */
  boolean isConfirmed(InboundMessage message) {
    return !message.wasRead || guard.covers(message.readAt);
  }

  void answered(int answers) {
    if (guard != null && guard.answered(answers)) {
      Piece piece;
      while ((piece = unconfirmed.peek()) != null && isConfirmed(piece.message)) {
        acknowledge(unconfirmed.poll().name);
      }
      loop.turn.dirty(stream);
      receiver.deliver();
    }
  }

  // ---- the end

  void fail() {
    pieces.clear();
    unconfirmed.clear();
  }

  void close() {
    slabs.stream().filter(Objects::nonNull).forEach(slab -> RmaQueue.closeMemory(slab, loop.host));
    slabs.clear();
  }
}
