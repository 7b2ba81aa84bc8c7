package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.ExposedMemory;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.impl.device.RendezvousSlot;
import io.github.vertxrdma.impl.device.SendSlot;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Status;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.LinkedHashMap;

/**
 * Sends messages that the peer reads from this side's memory. Sends the remote key of a memory block (slab) before it announces a message
 * there.
 */
final class RendezvousSender implements ExposedMemory.User {
  /**
   * Maximum unread bytes in registered buffers of the application; further pieces wait. Keeps both sides busy and fits into the CPU's
   * cache.
   */
  private static final int IN_PLACE_UNREAD = 2 << 20;
  /** Maximum bytes of a piece in a registered buffer. Each piece costs both sides some microseconds. */
  private static final int IN_PLACE_PIECE = 1 << 20;

  private record Piece(OutboundMessage message, long number, Runnable release) {
  }

  private final MessageSender sender;
  private final FrameStream stream;
  private final DeviceLoop loop;
  private final FrameWriter out;
  private final ExposedMemory memory;
  private final LinkedHashMap<Long, Piece> unread = new LinkedHashMap<>(0);
  private BitSet announced;
  private BitSet announcing;
  private int inPlaceUnread;
  private long pieces;

  RendezvousSender(MessageSender sender, FrameStream stream, ExposedMemory memory) {
    this.sender = sender;
    this.stream = stream;
    this.loop = stream.loop;
    this.out = stream.out;
    this.memory = memory;
    memory.join(this);
  }

  Future<ByteBuf> allocate(int size) {
    return memory.allocate(size);
  }

  boolean holds(RegisteredBuffer buffer) {
    return memory.holds(buffer);
  }

  int unread() {
    return unread.size();
  }

  long pieces() {
    return pieces;
  }

  /** Returns whether the peer has read all pieces with smaller numbers. */
  boolean isRead(long first) {
    return unread.isEmpty() || unread.firstEntry().getValue().number >= first;
  }

  /** Copies the next piece to a slot and announces it. @return false if the piece has to wait */
  boolean postCopy(OutboundMessage next) {
    RendezvousSlot slot = memory.take(stream);
    if (slot == null) {
      Throwable refusal = memory.refusal();
      if (refusal != null) {
        stream.fail(stream.memoryFailure("a message could not be sent", refusal));
      }
      return false;
    }
    SendSlot frame = isAnnounced(slot.slab) || announce(slot.slab, slot.region) ? out.take(0) : null;
    if (frame == null) {
      memory.release(slot);
      return false;
    }
    int offset = next.offset();
    int length = Math.min(next.size - offset, loop.options.fragmentSize());
    slot.write(next.body, length);
    next.body.skipBytes(length);
    post(next, frame, offset, length, slot.name(), () -> memory.release(slot));
    return true;
  }

  /** Announces the next piece in the application's registered buffer. @return false if the piece has to wait */
  boolean postInPlace(OutboundMessage next, RegisteredBuffer buffer) {
    int length = Math.min(buffer.readableBytes(), IN_PLACE_PIECE);
    if (inPlaceUnread > 0 && inPlaceUnread + length > IN_PLACE_UNREAD
      || !isAnnounced(ExposedMemory.OUTGOING_SLAB) && !announce(ExposedMemory.OUTGOING_SLAB, buffer.region())) {
      return false;
    }
    SendSlot frame = out.take(0);
    if (frame == null) {
      return false;
    }
    int offset = next.offset();
    long name = RendezvousSlot.name(ExposedMemory.OUTGOING_SLAB, buffer.offset() + buffer.readerIndex());
    buffer.skipBytes(length).retain();
    inPlaceUnread += length;
    post(next, frame, offset, length, name, () -> {
      inPlaceUnread -= length;
      buffer.release();
    });
    return true;
  }

  private void post(OutboundMessage next, SendSlot frame, int offset, int length, long name, Runnable release) {
    unread.put(name, new Piece(next, pieces++, release));
    next.unread++;
    boolean last = sender.countPosted(next, length);
    out.post(frame, Frame.RTS, 0, length, Frame.piece(next.size, offset), name);
    // Wakes a sleeping peer before this side copies the next piece.
    stream.waker.wake();
    if (last && !sender.completesWhenRead()) {
      sender.complete(next);
    }
  }

  private boolean isAnnounced(int slab) {
    return announced != null && announced.get(slab);
  }

  private boolean announce(int slab, MemoryRegion region) {
    if (announced == null) {
      announced = new BitSet();
      announcing = new BitSet();
    }
    if (!announcing.get(slab)) {
      announcing.set(slab);
      byte[] key = region.remoteKey();
      byte[] payload = new byte[8 + key.length];
      Frame.putWord(MemorySegment.ofArray(payload), 0, region.remoteAddress());
      System.arraycopy(key, 0, payload, 8, key.length);
      // RKEY frames stay in order: the peer must first forget an old key with the same number.
      out.control(Frame.RKEY, 0, slab, region.size(), payload, () -> {
        announced.set(slab);
        return Status.OK;
      });
    }
    return out.flush() && announced.get(slab);
  }

  void acknowledged(long name) {
    Piece piece = unread.remove(name);
    if (piece == null) {
      stream.violation("the peer acknowledged a part of a message that was not offered to it");
      return;
    }
    piece.release.run();
    OutboundMessage message = piece.message;
    if (--message.unread == 0 && message.posted && sender.completesWhenRead()) {
      sender.complete(message);
    }
  }

  void failUnread() {
    if (sender.completesWhenRead()) {
      unread.values().stream().map(Piece::message).filter(message -> message.posted).distinct().toList().forEach(sender::complete);
    }
  }

  @Override
  public boolean isUsing() {
    return !unread.isEmpty() || announcing != null && !announcing.equals(announced);
  }

  @Override
  public void withdrawn() {
    if (announced != null && !stream.isClosed()) {
      announcing.stream().forEach(slab -> out.control(Frame.RKEY, 0, slab, 0, null));
      announced.clear();
      announcing.clear();
    }
  }

  /** Frees unread pieces. Waits first if the peer may still read them although the link is closed. */
  void close() {
    if (unread.isEmpty() || !loop.readsOutliveLinks) {
      release();
    } else {
      loop.endpoints.keep(this::release);
    }
  }

  private void release() {
    unread.values().forEach(piece -> piece.release.run());
    unread.clear();
    memory.leave(this);
  }
}
