package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.InFlight;
import io.github.vertxrdma.impl.memory.LentMemory;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The outgoing half of a link: numbers frames, spends credits, copies messages into registered memory and posts them. What cannot be
 * posted (no credit, no slot, queue full) waits here in order. Control frames go first. Confined to the loop.
 */
final class LinkSender {
  /** Completions are asked for at least this often among inline sends. */
  private static final int SIGNAL_EVERY = 16;
  /**
   * Parts under way beyond which a link waits for completions once half of the loop's slots are in use: peers that stop hold theirs until
   * they are given up.
   */
  private static final int PARTS_UNDER_WAY = 32;
  /** Slots that parts leave to all other frames of the loop. */
  private static final int SLOTS_LEFT = 64;
  /**
   * Bytes that the peer may have unread of messages in memory of their own: enough that both sides always have something to do, and little
   * enough to stay in the cache.
   */
  private static final int LENT_UNREAD = 2 << 20;
  /** Bytes of a fragment of such a message, which no staging slot bounds; each one costs both sides some microseconds. */
  private static final int LENT_FRAGMENT = 1 << 20;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Link link;
  private final DeviceLoop loop;
  private final LoopMemory memory;
  private final Endpoint endpoint;
  private final int prefix;
  private final int inlineRoom;
  private final ArrayDeque<Control> control = new ArrayDeque<>(0);
  private final ArrayDeque<Outbound> outbound = new ArrayDeque<>(0);
  /** Messages of packed frames that are posted and not told so. */
  private final ArrayDeque<Outbound> packed = new ArrayDeque<>(0);
  /** Fragments that the peer has not read, by their names: what gives their memory back. */
  private final Map<Long, Runnable> sources = new HashMap<>(0);
  /** Slabs that the peer knows, and those whose frame waits; made with the first fragment. */
  private BitSet announced;
  private BitSet announcing;
  final InFlight inFlight = new InFlight();
  private int sequence;
  private int dataCredits;
  private int controlCredits;
  private int peerBuffer;
  private int unsignaled;
  private long pendingBytes;
  private boolean inParts;
  private int lentUnread;
  /** A frame that found the queue full. Nothing else is posted before it. */
  private SendSlot stalled;

  /** A control frame that waits. */
  private record Control(int type, int flags, long a, long b, byte[] payload, RemoteWriteFirst write) {
  }

  /** A write that must be posted directly before its frame. */
  interface RemoteWriteFirst {
    /** Posts it with {@link PostFlags#MORE}. @return a {@link Status} */
    int post();

    /** It will not be posted. */
    void fail(Throwable cause);
  }

  /** A message that is not wholly posted. */
  private static final class Outbound {
    final ByteBuf message;
    final int size;
    final Completable<Void> done;

    Outbound(ByteBuf message, Completable<Void> done) {
      this.message = message;
      this.size = message.readableBytes();
      this.done = done;
    }
  }

  LinkSender(Link link, DeviceLoop loop, Endpoint endpoint) {
    this.link = link;
    this.loop = loop;
    this.memory = loop.memory;
    this.endpoint = endpoint;
    this.prefix = loop.prefix;
    this.inlineRoom = Frame.room(endpoint.inlineSize(), prefix);
    // Until the peer has told its parameters: enough for the handshake.
    this.controlCredits = Link.HANDSHAKE_CREDITS;
    this.peerBuffer = Link.HANDSHAKE_BUFFER;
  }

  /** The peer told what it grants beyond the handshake's credits. */
  void parameters(int bufferSize, int data, int controls) {
    peerBuffer = Math.min(bufferSize, loop.options.bufferSize());
    dataCredits += data;
    controlCredits += controls - Link.HANDSHAKE_CREDITS;
  }

  /** Messages above one receive go in parts of one receive each, instead of being read by the peer. */
  void inParts() {
    inParts = true;
  }

  void credits(int data, int controls) {
    dataCredits += data;
    controlCredits += controls;
  }

  /** Bytes of messages written and not posted. */
  long pendingBytes() {
    return pendingBytes;
  }

  int dataCredits() {
    return dataCredits;
  }

  int controlCredits() {
    return controlCredits;
  }

  boolean idle() {
    return outbound.isEmpty() && control.isEmpty() && stalled == null;
  }

  /** Whether every message was handed to the fabric. */
  boolean messagesSent() {
    return outbound.isEmpty() && stalled == null;
  }

  /** Parts of messages that the peer has not read. */
  int unreadFragments() {
    return sources.size();
  }

  void send(ByteBuf message, Completable<Void> done) {
    int size = message.readableBytes();
    pendingBytes += size;
    outbound.add(new Outbound(message, done));
    flush();
  }

  /**
   * Hands a message to the fabric if nothing is in its way, as for most small ones, without an entry in the queue.
   *
   * @return false if it has to go through {@link #send}, also when the post ended the link; else it is released
   */
  boolean sendNow(ByteBuf message) {
    int size = message.readableBytes();
    if (dataCredits <= 0 || size > Frame.room(peerBuffer, prefix) || !idle() || !link.canPost()) {
      return false;
    }
    SendSlot slot = filled(message, size);
    if (slot == null) {
      return false;
    }
    post(slot, Frame.DATA, 0, size, 0, 0);
    if (link.isOver()) {
      return false;
    }
    message.release();
    link.counters.bytesSent += size;
    link.counters.messagesSent++;
    if (stalled != null) {
      loop.waiting(link);
    }
    return true;
  }

  /** Sends a control frame, now or when there are credits. */
  void control(int type, int flags, long a, long b, byte[] payload) {
    control(type, flags, a, b, payload, null);
  }

  /** Sends a frame that announces a write; both in one post list. */
  void control(int type, int flags, long a, long b, byte[] payload, RemoteWriteFirst write) {
    control.add(new Control(type, flags, a, b, payload, write));
    flush();
  }

  /** Posts as much as credits, slots and the queue allow. */
  void flush() {
    if (!link.canPost()) {
      return;
    }
    long before = pendingBytes;
    if (stalled != null) {
      repostStalled();
    }
    if (flushControl()) {
      flushMessages();
    }
    if (!idle()) {
      loop.waiting(link);
    }
    if (pendingBytes < before) {
      link.sentBytes();
    }
  }

  private void repostStalled() {
    SendSlot slot = stalled;
    stalled = null;
    post(slot);
  }

  /** @return whether messages may follow */
  private boolean flushControl() {
    Control frame;
    // The last credit is kept for a frame that returns credits, so that both sides can never wait for each other.
    while (stalled == null && (frame = control.peek()) != null
      && (controlCredits > 1 || frame.type == Frame.CREDIT && controlCredits > 0)) {
      SendSlot slot = memory.takeSend(this);
      if (slot == null) {
        return false;
      }
      // Taken before the write is posted: whoever hears that it cannot be may send more, which comes back here.
      control.poll();
      if (frame.write != null) {
        int status = frame.write.post();
        if (status == Status.AGAIN) {
          control.addFirst(frame);
          memory.sendSlots.release(slot);
          loop.again(link);
          return false;
        }
        if (status != Status.OK) {
          memory.sendSlots.release(slot);
          continue;
        }
      }
      controlCredits--;
      if (frame.type == Frame.SLAB) {
        announced.set((int) frame.a);
      }
      int length = frame.payload == null ? 0 : frame.payload.length;
      if (length > 0) {
        MemorySegment.copy(frame.payload, 0, slot.segment, ValueLayout.JAVA_BYTE, prefix + Frame.SIZE, length);
      }
      post(slot, frame.type, frame.flags, length, frame.a, frame.b);
    }
    return stalled == null;
  }

  /** Sends owed credits in a frame of their own, if nothing else carries them. */
  void flushCredits() {
    if (controlCredits > 0 && stalled == null && link.canPost()) {
      SendSlot slot = memory.takeSend(this);
      if (slot != null) {
        controlCredits--;
        post(slot, Frame.CREDIT, 0, 0, 0, 0);
        return;
      }
    }
    loop.waiting(link);
  }

  private void flushMessages() {
    Outbound next;
    // Whoever is told that a message is sent may send more, which comes back here and may find the queue full.
    while (stalled == null && (next = outbound.peek()) != null && dataCredits > 0) {
      int room = Frame.room(peerBuffer, prefix);
      if (!send(next, room)) {
        return;
      }
    }
  }

  /** @return false if there is no slot for it now */
  private boolean send(Outbound next, int room) {
    if (next.size > room) {
      if (next.message instanceof LentMemory lent && lent.pool() == memory.outgoing) {
        return sendLent(next, lent);
      }
      return inParts ? sendPart(next, room) : sendFragment(next);
    }
    return outbound.size() > 1 && next.size <= room / 4 ? sendPacked(room) : sendWhole(next);
  }

  /** Small messages that had to wait go together: a credit, a post and a receive for all of them. Those that need not wait go alone. */
  private boolean sendPacked(int room) {
    SendSlot slot = memory.takeSend(this);
    if (slot == null) {
      return false;
    }
    long payload = prefix + Frame.SIZE;
    int length = 0;
    Outbound next;
    while ((next = outbound.peek()) != null && next.size <= room - length - Frame.PACKED_LENGTH) {
      Frame.packedLength(slot.segment, payload + length, next.size);
      length += Frame.PACKED_LENGTH;
      copy(next.message, next.size, slot.segment, payload + length);
      length += next.size;
      handedOver(next, next.size);
      packed.add(next);
    }
    dataCredits--;
    post(slot, Frame.DATA, Frame.PACKED, length, 0, 0);
    // Whoever is told may write more, which can come back here.
    while ((next = packed.poll()) != null) {
      finish(next);
    }
    return true;
  }

  /** A slot with a whole message, which costs a credit; null if there is none now. */
  private SendSlot filled(ByteBuf message, int size) {
    SendSlot slot = memory.takeSend(this);
    if (slot != null) {
      copy(message, size, slot.segment, prefix + Frame.SIZE);
      dataCredits--;
    }
    return slot;
  }

  private boolean sendWhole(Outbound next) {
    SendSlot slot = filled(next.message, next.size);
    if (slot == null) {
      return false;
    }
    handedOver(next, next.size);
    post(slot, Frame.DATA, 0, next.size, 0, 0);
    finish(next);
    return true;
  }

  private boolean sendPart(Outbound next, int room) {
    if (inFlight.size() >= PARTS_UNDER_WAY && memory.sendSlots.inUse() >= LoopMemory.SEND_MAX / 2
      || memory.sendSlots.available() < SLOTS_LEFT && !memory.sendSlots.canGrow(SLOTS_LEFT)) {
      // Each completion is followed by the end of a turn, in which links that wait go on.
      return false;
    }
    SendSlot slot = memory.takeSend(this);
    if (slot == null) {
      return false;
    }
    int offset = next.size - next.message.readableBytes();
    int length = Math.min(next.message.readableBytes(), room);
    copy(next.message, length, slot.segment, prefix + Frame.SIZE);
    dataCredits--;
    boolean last = handedOver(next, length);
    post(slot, Frame.DATA, Frame.PART, length, (long) next.size << 32 | offset, 0);
    if (offset == 0) {
      // A peer that sleeps wakes up while the other parts are copied.
      link.bell().ring();
    }
    if (last) {
      finish(next);
    }
    return true;
  }

  private boolean sendFragment(Outbound next) {
    SourceSlot source = memory.takeSource();
    if (source == null) {
      return false;
    }
    if (!isAnnounced(source.slab)) {
      memory.sourceSlots.release(source);
      return announce(source.slab, source.region);
    }
    SendSlot slot = memory.takeSend(this);
    if (slot == null) {
      memory.sourceSlots.release(source);
      return false;
    }
    int offset = next.size - next.message.readableBytes();
    int length = Math.min(next.message.readableBytes(), memory.sourceSlots.slotSize());
    copy(next.message, length, source.segment, 0);
    sendFragment(next, slot, offset, length, source.name(), () -> memory.sourceSlots.release(source));
    return true;
  }

  /** A fragment straight out of the memory in which the application made the message. */
  private boolean sendLent(Outbound next, LentMemory lent) {
    if (!isAnnounced(LoopMemory.OUTGOING_SLAB)) {
      return announce(LoopMemory.OUTGOING_SLAB, lent.region());
    }
    int length = Math.min(lent.readableBytes(), LENT_FRAGMENT);
    if (lentUnread > 0 && lentUnread + length > LENT_UNREAD) {
      return false;
    }
    SendSlot slot = memory.takeSend(this);
    if (slot == null) {
      return false;
    }
    int offset = next.size - lent.readableBytes();
    long name = SourceSlot.name(LoopMemory.OUTGOING_SLAB, lent.offset() + lent.readerIndex());
    lent.skipBytes(length).retain();
    lentUnread += length;
    sendFragment(next, slot, offset, length, name, () -> {
      lentUnread -= length;
      lent.release();
    });
    return true;
  }

  private void sendFragment(Outbound next, SendSlot slot, int offset, int length, long name, Runnable release) {
    sources.put(name, release);
    dataCredits--;
    boolean last = handedOver(next, length);
    post(slot, Frame.FRAGMENT, 0, length, (long) next.size << 32 | offset, name);
    // A peer that sleeps wakes up while the next part is copied.
    link.bell().ring();
    if (last) {
      finish(next);
    }
  }

  /** Whether the peer knows a slab: before no fragment may name it. */
  private boolean isAnnounced(int slab) {
    return announced != null && announced.get(slab);
  }

  /** @return whether its frame is posted, and fragments may be tried again */
  private boolean announce(int slab, MemoryRegion region) {
    if (announced == null) {
      announced = new BitSet();
      announcing = new BitSet();
    }
    if (!announcing.get(slab)) {
      announcing.set(slab);
      byte[] key = region.remoteKey();
      byte[] payload = new byte[8 + key.length];
      MemorySegment.ofArray(payload).set(LONG, 0, region.remoteAddress());
      System.arraycopy(key, 0, payload, 8, key.length);
      control.addFirst(new Control(Frame.SLAB, 0, slab, region.size(), payload, null));
    }
    return flushControl() && announced.get(slab);
  }

  /** Before its last part is posted a message leaves the queue: a post that fails ends the link, which fails all that is queued. */
  private boolean handedOver(Outbound message, int bytes) {
    pendingBytes -= bytes;
    link.counters.bytesSent += bytes;
    if (message.message.isReadable()) {
      return false;
    }
    outbound.poll();
    return true;
  }

  private void finish(Outbound message) {
    message.message.release();
    link.counters.messagesSent++;
    if (message.done != null) {
      if (link.isOver()) {
        message.done.fail(link.overCause());
      } else {
        message.done.succeed();
      }
    }
  }

  private static void copy(ByteBuf from, int length, MemorySegment to, long at) {
    if (length == 0) {
      return;
    }
    if (from.hasArray()) {
      MemorySegment.copy(from.array(), from.arrayOffset() + from.readerIndex(), to, ValueLayout.JAVA_BYTE, at, length);
      from.skipBytes(length);
    } else {
      from.readBytes(to.asSlice(at, length).asByteBuffer());
    }
  }

  private void post(SendSlot slot, int type, int flags, int length, long a, long b) {
    Frame.encode(slot.segment, prefix, type, flags, link.receiver.takeOwedData(), link.receiver.takeOwedControl(), sequence++, length, a, b);
    // A fragment's bytes are fetched by the receiver; its frame is the header alone.
    int total = prefix + Frame.SIZE + (type == Frame.FRAGMENT ? 0 : length);
    int post = 0;
    if (Frame.room(total, prefix) <= inlineRoom) {
      post = PostFlags.INLINE;
      if (++unsignaled >= SIGNAL_EVERY) {
        post |= PostFlags.SIGNALED;
      }
    } else {
      post = PostFlags.SIGNALED;
    }
    slot.request.id(slot.id()).length(total).flags(post);
    post(slot);
  }

  /** If the queue is full the frame waits as the stalled one. */
  private void post(SendSlot slot) {
    int status = endpoint.post(slot.request);
    if (status == Status.OK) {
      if ((slot.request.flags() & PostFlags.SIGNALED) != 0) {
        unsignaled = 0;
        inFlight.add(slot);
      } else {
        memory.sendSlots.release(slot);
      }
      link.posted();
    } else if (status == Status.AGAIN) {
      stalled = slot;
      endpoint.flush();
      loop.again(link);
    } else {
      memory.sendSlots.release(slot);
      link.failed(status, "a send was refused", null);
    }
  }

  /** A signalled send completed. */
  void sent(SendSlot slot, int status, String error) {
    inFlight.remove(slot);
    memory.sendSlots.release(slot);
    if (status != Status.OK && status != Status.FLUSHED) {
      link.failed(status, "a send failed", error);
    }
  }

  /** The peer has read a fragment. */
  void fin(long name) {
    Runnable release = sources.remove(name);
    if (release == null) {
      link.violation("released a fragment that it was not given");
      return;
    }
    release.run();
  }

  /** The link is over: fails what waits. Slots in flight stay until {@link #destroyed}. */
  void fail(Throwable cause) {
    Control frame;
    while ((frame = control.poll()) != null) {
      if (frame.write != null) {
        frame.write.fail(cause);
      }
    }
    if (stalled != null) {
      memory.sendSlots.release(stalled);
      stalled = null;
    }
    Outbound next;
    while ((next = outbound.poll()) != null) {
      pendingBytes -= next.message.readableBytes();
      next.message.release();
      if (next.done != null) {
        next.done.fail(cause);
      }
    }
  }

  /** The fabric still owns what is in flight, maybe for long: others get slots in place of these. */
  void quarantined() {
    inFlight.forEach(slot -> memory.sendSlots.quarantine((SendSlot) slot));
  }

  /** The endpoint was destroyed: nothing of this side touches memory any more. */
  void destroyed() {
    inFlight.drain(slot -> memory.sendSlots.release((SendSlot) slot));
  }

  /** The endpoint was closed, which ends the peer's reads; on a shared one they may come until the peer knows, see {@link SourceLease}. */
  void endSources() {
    if (!loop.sharedEndpoint) {
      releaseSources();
    } else if (!sources.isEmpty()) {
      loop.keep(this::releaseSources);
    }
  }

  private void releaseSources() {
    sources.values().forEach(Runnable::run);
    sources.clear();
  }

  /** A region of the peer that fragments may name. */
  static RemoteMemory slab(DeviceLoop loop, long length, MemorySegment m, long at, int size) {
    byte[] key = m.asSlice(at + 8, size - 8).toArray(ValueLayout.JAVA_BYTE);
    return loop.domain.remoteMemory(m.get(LONG, at), length, key);
  }
}
