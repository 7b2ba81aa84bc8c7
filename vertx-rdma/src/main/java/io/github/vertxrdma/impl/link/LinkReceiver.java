package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.LentMemory;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The incoming half of a link: checks that frames come in order, which every provider sees to, gives receives back with their credits, fetches fragments
 * by remote reads and delivers whole messages in order. Confined to the loop.
 */
final class LinkReceiver {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Slabs of one peer's event loop. */
  private static final int MAX_SLABS = 1024;

  private final Link link;
  private final DeviceLoop loop;
  private final ArrayDeque<Message> messages = new ArrayDeque<>(0);
  private final ArrayDeque<Read> reads = new ArrayDeque<>(0);
  private final List<RemoteMemory> slabs = new ArrayList<>();
  private byte[] fins = new byte[0];
  private int finCount;
  private int expected;
  private int owedData;
  private int owedControl;
  private int withheld;
  /** Receives granted to the peer, whether it has used them or not. */
  private int data;
  private int control;
  /** Those of them that it may use now. */
  private int grantedData;
  private int grantedControl;
  private boolean receiving = true;
  private boolean delivering;
  private boolean lends;
  private Message assembling;
  /** Tells whether what was read was the link's; null before the first fragment, and where the end of an endpoint ends all reads. */
  private SourceLease lease;

  /** A message that is not delivered: whole, or waiting for fragments. */
  private static final class Message {
    final ByteBuf body;
    /** The body if it is registered memory; null if it is an array. */
    final LentMemory lent;
    int missing;
    final boolean end;
    /** Whether some of it was read from memory that may become another's, and when the last of that had arrived. */
    boolean read;
    long readAt;

    Message(ByteBuf body, int missing, boolean end) {
      this.body = body;
      this.lent = body instanceof LentMemory memory ? memory : null;
      this.missing = missing;
      this.end = end;
    }

    void put(MemorySegment from, long offset, int at, int length) {
      if (lent != null) {
        MemorySegment.copy(from, offset, lent.region().segment(), lent.offset() + at, length);
      } else {
        MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset, body.array(), body.arrayOffset() + at, length);
      }
    }
  }

  /** Bytes of a message that the peer gave a name to, until they are read. */
  private static final class Fragment {
    final Message message;
    final long source;
    int missing;

    Fragment(Message message, long source, int length) {
      this.message = message;
      this.source = source;
      this.missing = length;
    }
  }

  /** One remote read of a fragment, or of a part of it. */
  private final class Read implements Transfers.Done {
    final Fragment fragment;
    final Message message;
    final long source;
    final int at;
    final int length;
    /** Whether it is on its way, and keeps the message's memory. */
    private boolean held;

    /** @param source where in the peer's slab @param at where in the message */
    Read(Fragment fragment, long source, int at, int length) {
      this.fragment = fragment;
      this.message = fragment.message;
      this.source = source;
      this.at = at;
      this.length = length;
    }

    boolean tryStart() {
      RemoteMemory slab = slabs.get((int) (source >>> 48));
      long offset = source & 0xffff_ffff_ffffL;
      LentMemory lent = message.lent;
      held = true;
      message.body.retain();
      boolean started = lent == null ? link.transfers.tryRead(slab, offset, null, 0, length, this)
        : link.transfers.tryRead(slab, offset, lent.region(), lent.offset() + at, length, this);
      if (!started) {
        released();
      }
      return started;
    }

    @Override
    public void read(MemorySegment memory, long from) {
      if (message.lent == null) {
        message.put(memory, from, at, length);
      }
    }

    @Override
    public void done(Throwable failure) {
      if (failure != null) {
        link.fail(failure);
        return;
      }
      // Before it is delivered, so that its handler has the only reference.
      released();
      message.missing -= length;
      if (lease != null) {
        message.read = true;
        message.readAt = loop.clock.getAsLong();
      }
      fragment.missing -= length;
      if (fragment.missing == 0) {
        fin(fragment.source);
        credit();
      }
      deliver();
      startReads();
    }

    @Override
    public void released() {
      if (held) {
        held = false;
        message.body.release();
      }
    }
  }

  LinkReceiver(Link link, DeviceLoop loop) {
    this.link = link;
    this.loop = loop;
    this.data = link.grant.data();
    this.control = link.grant.control();
    this.grantedData = data;
    this.grantedControl = control;
  }

  int takeOwedData() {
    int owed = Math.min(owedData, 0xffff);
    owedData -= owed;
    grantedData += owed;
    return owed;
  }

  int takeOwedControl() {
    int owed = Math.min(owedControl, 0xffff);
    owedControl -= owed;
    grantedControl += owed;
    return owed;
  }

  /** Whether so much is owed that a frame of its own should carry it. */
  boolean owesMuch() {
    return owedData * 2 >= data || owedControl * 2 >= control;
  }

  boolean hasFins() {
    return finCount > 0;
  }

  /** A receive is posted again. */
  void reposted(boolean data) {
    if (!data) {
      owedControl++;
    }
    // Data credits go back when the message is consumed, see credit().
    loop.dirty(link);
  }

  private void credit() {
    if (receiving) {
      owedData++;
    } else {
      withheld++;
    }
    loop.dirty(link);
  }

  /** So many receives more are posted. */
  void granted(Grant more) {
    data += more.data();
    control += more.control();
    owedControl += more.control();
    if (receiving) {
      owedData += more.data();
    } else {
      withheld += more.data();
    }
    loop.dirty(link);
  }

  /** Stops or resumes giving data credits back; what is already granted still arrives. */
  void receiving(boolean on) {
    receiving = on;
    if (on) {
      owedData += withheld;
      withheld = 0;
      loop.dirty(link);
      startReads();
    }
  }

  /** Whether large messages that come from now on are lent: their handler releases them. */
  void lends(boolean on) {
    lends = on;
    if (on) {
      loop.memory.lendIncoming();
    }
  }

  /** A frame came. */
  void received(ReceiveSlot slot, Receives receives, int length) {
    if (link.isOver()) {
      receives.handled(slot, this, false);
      return;
    }
    MemorySegment m = slot.region.segment();
    long at = slot.offset + loop.prefix;
    boolean whole = length >= loop.prefix + Frame.SIZE;
    long first = whole ? Frame.first(m, at) : 0;
    long second = whole ? Frame.second(m, at) : 0;
    if (!whole || length > slot.size || Frame.version(first) != Frame.VERSION || Frame.length(second) < 0) {
      link.violation("sent " + (!whole ? "a frame of " + length + " bytes" : "a frame of version " + Frame.version(first)));
      receives.handled(slot, this, false);
      return;
    }
    int sequence = Frame.sequence(second);
    if (sequence == expected) {
      handle(slot, receives, length, first, Frame.length(second));
    } else {
      link.violation("sent frame " + Integer.toUnsignedString(sequence) + " where " + Integer.toUnsignedString(expected) + " was due");
      receives.handled(slot, this, false);
    }
  }

  /** @param first of the header @param size of the payload */
  private void handle(ReceiveSlot slot, Receives receives, int length, long first, int size) {
    expected++;
    MemorySegment m = slot.region.segment();
    long at = slot.offset + loop.prefix;
    int type = Frame.type(first);
    boolean data = Frame.isData(type);
    if ((data ? --grantedData : --grantedControl) < 0) {
      link.violation("sent more " + (data ? "messages" : "control frames") + " than it had credits for");
      receives.handled(slot, this, data);
      return;
    }
    if (grantedData == 0 && receiving || grantedControl <= 1 && type >= Frame.REGION_BASE) {
      link.window.grow();
    }
    link.credits(Frame.dataCredits(first), Frame.controlCredits(first));
    long payload = at + Frame.SIZE;
    int room = length - loop.prefix - Frame.SIZE;
    if (type != Frame.FRAGMENT && size > room) {
      link.violation("sent a frame that claims " + size + " bytes of payload and has " + room);
    } else {
      switch (type) {
        case Frame.DATA -> {
          if ((Frame.flags(first) & Frame.PART) != 0) {
            part(Frame.a(m, at), m, payload, size);
          } else {
            data(m, payload, size, (Frame.flags(first) & Frame.PACKED) != 0);
          }
        }
        case Frame.FRAGMENT -> fragment(Frame.a(m, at), Frame.b(m, at), size);
        case Frame.FIN -> {
          for (long p = payload; p + 8 <= payload + size; p += 8) {
            link.sender.fin(m.get(LONG, p));
          }
        }
        case Frame.SLAB -> slab((int) Frame.a(m, at), Frame.b(m, at), m, payload, size);
        case Frame.END -> {
          messages.add(new Message(null, 0, true));
          deliver();
        }
        default -> link.control(type, Frame.flags(first), Frame.a(m, at), Frame.b(m, at), m, payload, size);
      }
    }
    receives.handled(slot, this, data);
  }

  private void data(MemorySegment m, long at, int size, boolean packed) {
    if (!packed) {
      if (link.mayReceive(size)) {
        credit();
        whole(m, at, size);
      }
      return;
    }
    credit();
    long end = at + size;
    for (long next = at; next < end && !link.isOver();) {
      int length = end - next < Frame.PACKED_LENGTH ? -1 : Frame.packedLength(m, next);
      next += Frame.PACKED_LENGTH;
      if (length < 0 || length > end - next) {
        link.violation("sent packed messages that do not fill their frame of " + size + " bytes");
      } else if (link.mayReceive(length)) {
        whole(m, next, length);
        next += length;
      }
    }
  }

  /** Whether a piece of a message fits into it, and the message is the one that is being assembled. */
  private boolean fits(int size, int at, int length) {
    return size >= 0 && at >= 0 && length > 0 && at + (long) length <= size && (at == 0) == (assembling == null)
      && (at == 0 || assembling.body.capacity() == size);
  }

  /** The first piece of a message came. */
  private void begin(int size) {
    LentMemory lent = lends ? loop.memory.incoming.lend(size) : null;
    assembling = new Message(lent != null ? lent : Unpooled.wrappedBuffer(new byte[size]), size, false);
    messages.add(assembling);
  }

  /** A part of a message: copied to where it belongs. */
  private void part(long a, MemorySegment m, long from, int length) {
    int size = (int) (a >>> 32);
    int at = (int) a;
    if (!link.mayReceive(size)) {
      return;
    }
    if (!fits(size, at, length) || at > 0 && assembling.missing != size - at) {
      link.violation("sent a part that does not fit: " + length + " bytes at " + at + " of " + size);
      return;
    }
    credit();
    if (at == 0) {
      begin(size);
      if (receiving) {
        link.window.widen();
      }
    }
    assembling.put(m, from, at, length);
    assembling.missing -= length;
    if (assembling.missing == 0) {
      assembling = null;
      deliver();
    }
  }

  /** A message that came in one piece: delivered at once, unless others are before it. */
  private void whole(MemorySegment m, long at, int size) {
    byte[] bytes = new byte[size];
    MemorySegment.copy(m, ValueLayout.JAVA_BYTE, at, bytes, 0, size);
    ByteBuf body = Unpooled.wrappedBuffer(bytes);
    if (delivering || !messages.isEmpty()) {
      messages.add(new Message(body, 0, false));
      deliver();
      return;
    }
    delivering = true;
    try {
      received(body);
    } finally {
      delivering = false;
    }
    deliver();
  }

  private void received(ByteBuf body) {
    link.counters.messagesReceived++;
    link.counters.bytesReceived += body.readableBytes();
    link.handler().message(body);
  }

  private void fragment(long a, long source, int length) {
    int size = (int) (a >>> 32);
    int at = (int) a;
    int slab = (int) (source >>> 48);
    if (!link.mayReceive(size)) {
      return;
    }
    if (!fits(size, at, length) || slab >= slabs.size() || slabs.get(slab) == null) {
      link.violation("sent a fragment that does not fit: " + length + " bytes at " + at + " of " + size + " in slab " + slab);
      return;
    }
    if (at == 0) {
      begin(size);
    }
    Fragment fragment = new Fragment(assembling, source, length);
    // Where it goes through staging memory a slot takes only so much; the peer may have larger ones.
    int most = assembling.lent != null ? length : link.transfers.stagingSize();
    for (int done = 0; done < length; done += most) {
      reads.add(new Read(fragment, source + done, at + done, Math.min(most, length - done)));
    }
    if (at + length == size) {
      assembling = null;
    }
    if (loop.sharedEndpoint) {
      if (lease == null) {
        lease = new SourceLease(loop.clock, link.pulse::ask);
      }
      lease.renew();
    }
    startReads();
  }

  private void slab(int id, long length, MemorySegment m, long at, int size) {
    // Links share slabs, so a link's first one need not be the loop's first.
    if (id < 0 || id >= MAX_SLABS || (id < slabs.size() && slabs.get(id) != null) || size < 8 || length <= 0) {
      link.violation("announced slab " + id + " of " + length + " bytes, which is there or cannot be");
      return;
    }
    while (slabs.size() <= id) {
      slabs.add(null);
    }
    try {
      slabs.set(id, LinkSender.slab(loop, length, m, at, size));
    } catch (ProviderException e) {
      link.fail(e);
    }
  }

  /** Starts the next reads, unless the reader has paused. */
  void startReads() {
    while (receiving && !reads.isEmpty() && !link.isOver()) {
      if (!reads.peek().tryStart()) {
        return;
      }
      reads.poll();
    }
  }

  private void fin(long source) {
    int room = (loop.options.bufferSize() - loop.prefix - Frame.SIZE) / 8;
    if (finCount == Math.min(room, 32)) {
      flushFins();
    }
    if (fins.length == 0) {
      fins = new byte[32 * 8];
    }
    MemorySegment.ofArray(fins).set(LONG, finCount++ * 8L, source);
    loop.dirty(link);
  }

  /** Tells the peer which fragments were read. */
  void flushFins() {
    if (finCount > 0) {
      byte[] payload = Arrays.copyOf(fins, finCount * 8);
      finCount = 0;
      link.sender.control(Frame.FIN, 0, 0, 0, payload);
    }
  }

  private void deliver() {
    if (delivering) {
      return;
    }
    delivering = true;
    try {
      Message head;
      while ((head = messages.peek()) != null && head.missing == 0 && isConfirmed(head)) {
        messages.poll();
        if (head.end) {
          link.peerEnded();
        } else {
          received(head.body);
        }
      }
    } finally {
      delivering = false;
    }
  }

  /** Whether the peer's memory was this link's when the message was read; if not known, the answer delivers it. */
  private boolean isConfirmed(Message message) {
    return !message.read || lease.covers(message.readAt);
  }

  /** The peer has answered so many questions. */
  void answered(int answers) {
    if (lease != null && lease.answered(answers)) {
      deliver();
    }
  }

  /** Messages that are whole and wait for the peer to confirm that they are this link's, and those behind them. */
  int unconfirmed() {
    int waiting = 0;
    for (Message message : messages) {
      if (message.missing > 0 || lease == null || delivering) {
        return waiting;
      }
      waiting += message.end ? 0 : 1;
    }
    return waiting;
  }

  /** True while messages are on their way to the handler. */
  boolean assembling() {
    return !messages.isEmpty();
  }

  /** The link is over. */
  void fail() {
    reads.clear();
    // What is being read keeps its memory until the fabric has done with it.
    messages.stream().filter(message -> !message.end).forEach(message -> message.body.release());
    messages.clear();
    assembling = null;
  }

  /** The endpoint was destroyed. */
  void destroyed() {
    slabs.stream().filter(Objects::nonNull).forEach(RemoteMemory::close);
    slabs.clear();
  }
}
