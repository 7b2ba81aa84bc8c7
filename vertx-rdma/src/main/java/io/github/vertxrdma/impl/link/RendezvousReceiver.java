package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.impl.device.RendezvousSlot;
import io.github.vertxrdma.impl.device.RmaRequest;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Reads messages from the peer's memory, each piece by one or more remote reads. */
final class RendezvousReceiver {
  private static final int MAX_SLABS = 1024;
  /** Maximum bytes of undelivered messages that get memory; a single message may be larger. */
  private static final long READ_AHEAD = 4 << 20;
  private static final int MOST_ACKNOWLEDGED = 32;

  private final MessageReceiver receiver;
  private final FrameStream stream;
  private final DeviceLoop loop;
  private final RmaQueue rma;
  private final Link link;
  private final ArrayDeque<Piece> pieces = new ArrayDeque<>(1);
  /** Pieces that are read but not acknowledged, since {@link StaleReadGuard} has not confirmed the reads. */
  private final ArrayDeque<Piece> unconfirmed = new ArrayDeque<>(1);
  private final List<RemoteMemory> slabs = new ArrayList<>(0);
  private byte[] acknowledged = {};
  private int acknowledgedCount;
  private long undelivered;
  private StaleReadGuard guard;

  private static final class Piece {
    final InboundMessage message;
    final long name;
    final int offset;
    final int length;
    int started;
    int done;
    Read next;

    Piece(InboundMessage message, long name, int offset, int length) {
      this.message = message;
      this.name = name;
      this.offset = offset;
      this.length = length;
    }
  }

  private final class Read implements RmaHandler {
    private final Piece piece;
    private final int from;
    private final int length;
    /** Target of the read, retained until the fabric releases it; null for staging memory. */
    private RegisteredBuffer held;

    Read(Piece piece, int from, int length) {
      this.piece = piece;
      this.from = from;
      this.length = length;
    }

    boolean tryStart() {
      if (!rma.mayRead()) {
        return false;
      }
      RemoteMemory slab = slabs.get(RendezvousSlot.slab(piece.name));
      long remoteOffset = RendezvousSlot.offset(piece.name) + from;
      held = piece.message.registered();
      if (held != null) {
        held.retain();
      }
      RmaRequest request = rma.request(this);
      if (held == null) {
        request.work.read(null, 0, length, slab, remoteOffset);
      } else {
        request.work.read(held.region(), held.offset() + piece.offset + from, length, slab, remoteOffset);
      }
      boolean started = rma.trySubmit(request);
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
      // Releases the buffer first, so that the message has the only reference.
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

  RendezvousReceiver(MessageReceiver receiver, FrameStream stream, Link link) {
    this.receiver = receiver;
    this.stream = stream;
    this.loop = stream.loop;
    this.rma = link.rma();
    this.link = link;
  }

  void key(ControlFrame frame) {
    long id = frame.a;
    long length = frame.b;
    boolean known = id >= 0 && id < slabs.size() && slabs.get((int) id) != null;
    if (length == 0 && known && pieces.stream().noneMatch(piece -> RendezvousSlot.slab(piece.name) == id)) {
      RmaQueue.closeMemory(slabs.set((int) id, null), loop.host);
      return;
    }
    // The peer's links share slabs, so the first slab of a link may have any number.
    if (id < 0 || id >= MAX_SLABS || known || length <= 0 || length > RendezvousSlot.MOST || frame.length < 8) {
      stream.violation("the peer announced source memory " + id + " of " + length + " bytes, which was announced before or has an "
        + "invalid size");
      return;
    }
    while (slabs.size() <= id) {
      slabs.add(null);
    }
    byte[] key = frame.payload.asSlice(8, frame.length - 8).toArray(ValueLayout.JAVA_BYTE);
    try {
      slabs.set((int) id, loop.domain.remoteMemory(Frame.word(frame.payload, 0), length, key));
    } catch (ProviderException e) {
      stream.violation("the peer announced source memory " + id + " with a key that is invalid on this fabric (" + e.getMessage() + ")");
    }
  }

  void pieceAnnounced(long a, long name, int length) {
    int id = RendezvousSlot.slab(name);
    RemoteMemory slab = id < slabs.size() ? slabs.get(id) : null;
    if (slab == null || length < 0 || length > slab.length() - RendezvousSlot.offset(name)) {
      stream.violation("the peer named a part of " + length + " bytes at offset " + RendezvousSlot.offset(name) + " of source "
        + "memory " + id + ", which has " + (slab == null ? "no key" : slab.length() + " bytes"));
      return;
    }
    InboundMessage message = receiver.piece(true, a, length);
    if (message == null) {
      return;
    }
    pieces.add(new Piece(message, name, Frame.pieceOffset(a), length));
    if (loop.readsOutliveLinks) {
      if (guard == null) {
        guard = new StaleReadGuard(loop.host, link.keepAlive::ping, this::confirmed);
      }
      guard.renew();
    }
    readPieces();
  }

  private void startReads() {
    if (readPieces()) {
      receiver.deliver();
    }
  }

  private boolean readPieces() {
    boolean arrived = false;
    Piece piece;
    while ((piece = pieces.peek()) != null && (!receiver.paused || piece.message.isAdmitted()) && !stream.isClosed()) {
      if (!piece.message.hasMemory() && !allocate(piece)) {
        return arrived;
      }
      if (piece.started == 0 && (piece.message.view != null || copyMapped(piece))) {
        pieces.poll();
        arrived(piece, piece.length);
        arrived = true;
        continue;
      }
      Read read = piece.next;
      if (read == null) {
        int left = piece.length - piece.started;
        read = new Read(piece, piece.started,
          piece.message.registered() != null ? left : Math.min(left, loop.memory.stagingSlots.slotSize()));
      }
      if (!read.tryStart()) {
        piece.next = read;
        return arrived;
      }
      piece.next = null;
      piece.started += read.length;
      if (piece.started == piece.length) {
        pieces.poll();
      }
    }
    return arrived;
  }

  private MemorySegment mapped(Piece piece) {
    MemorySegment slab = loop.capabilities.maps() ? slabs.get(RendezvousSlot.slab(piece.name)).mapped() : null;
    return slab == null ? null : slab.asSlice(RendezvousSlot.offset(piece.name), piece.length);
  }

  /** Copies a piece from mapped memory. @return false if the peer's memory is not mapped */
  private boolean copyMapped(Piece piece) {
    MemorySegment mapped = mapped(piece);
    if (mapped == null) {
      return false;
    }
    piece.message.put(mapped, 0, piece.offset, piece.length);
    stream.counters.transferred(Operation.READ, piece.length);
    return true;
  }

  private void arrived(Piece piece, int length) {
    piece.message.arrived(length);
    if (piece.message.view != null) {
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

  /** Allocates the message's memory. @return false if too many bytes are undelivered, or the message has to wait for its admission */
  private boolean allocate(Piece piece) {
    InboundMessage message = piece.message;
    if (undelivered > 0 && undelivered + message.size > READ_AHEAD) {
      return false;
    }
    if (!receiver.admit(message)) {
      return false;
    }
    undelivered += message.size;
    MemorySegment view = piece.length == message.size && receiver.isViewed(message) ? mapped(piece) : null;
    if (view != null && guard.covers(loop.host.nanoTime())) {
      message.view = view.asReadOnly();
      message.viewName = piece.name;
    } else {
      message.allocate(receiver.isZeroCopy() ? loop.memory.takeIncoming(message.size) : null);
    }
    return true;
  }

  void viewed(InboundMessage message) {
    if (!stream.isClosed()) {
      message.view = null;
      acknowledge(message.viewName);
      loop.turn.dirty(stream);
    }
  }

  void delivered(InboundMessage message) {
    undelivered -= message.size;
    loop.turn.dirty(stream);
  }

  private void acknowledge(long name) {
    int room = Frame.room(loop.options.bufferSize(), loop.prefix) / Frame.NAME;
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

  /** Returns whether the peer's memory was certainly unchanged when the message was read. */
  boolean isConfirmed(InboundMessage message) {
    return !message.wasRead || guard.covers(message.readAt);
  }

  private void confirmed() {
    Piece piece;
    while ((piece = unconfirmed.peek()) != null && isConfirmed(piece.message)) {
      acknowledge(unconfirmed.poll().name);
    }
    loop.turn.dirty(stream);
    receiver.deliver();
  }

  void fail() {
    pieces.clear();
    unconfirmed.clear();
  }

  void close() {
    slabs.stream().filter(Objects::nonNull).forEach(slab -> RmaQueue.closeMemory(slab, loop.host));
    slabs.clear();
  }
}
