package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What two completion queues share: a ring each way, and a socket that carries files and wake-ups and whose end tells of the other's death.
 * All connections between the two use it. Confined to the queue's thread.
 */
final class Peering implements Pollable {
  /** Records read in one poll, so that every ring has its turn. */
  private static final int BUDGET = 256;
  /** Polls that find nothing before its ring is looked at with the sockets only. */
  private static final int PATIENCE = 4096;
  private static final int MOST_RINGS = 64;
  private static final long RETRY_MILLIS = 5;

  private final ShmQueue queue;
  private final LocalSocket socket;
  private final long high;
  private final long low;
  private final Set<ShmEndpoint> endpoints = new LinkedHashSet<>();
  /** Those with operations that found no room, or wait for a region's file. */
  private final ArrayDeque<ShmEndpoint> blocked = new ArrayDeque<>();
  private final ArrayDeque<Integer> goodbyes = new ArrayDeque<>();
  private final List<ShmRemoteMemory> asked = new ArrayList<>();
  private final ArrayDeque<MemorySegment> nextRings = new ArrayDeque<>();
  private RingWriter writer;
  /** Null until the peer has sent its side. */
  private RingReader reader;
  /** The peer's page that says whether it sleeps; null until it has sent it. */
  private MemorySegment peerState;
  /** The sleep of the peer that it was woken from. */
  private int woken;
  private int silentPolls;
  /** A record was published and its bell not rung. */
  private boolean held;
  private boolean unblocked;
  private boolean stalled;
  private boolean flushing;
  private boolean leaving;
  private boolean over;

  /** @param high and low: the peer queue's id */
  Peering(ShmQueue queue, LocalSocket socket, long high, long low) {
    this.queue = queue;
    this.socket = socket;
    this.high = high;
    this.low = low;
    writer = new RingWriter(Ring.SMALLEST);
  }

  boolean isWith(long otherHigh, long otherLow) {
    return high == otherHigh && low == otherLow && !over;
  }

  boolean isOver() {
    return over;
  }

  RingWriter writer() {
    return writer;
  }

  LocalSocket socket() {
    return socket;
  }

  /** The peer's side, which it sent with a message. @throws ProviderException if it cannot be that */
  void join(Message.Received message) {
    if (reader != null) {
      throw new ProviderException(Reason.OTHER, "shm: the peer sent its side twice");
    }
    MemorySegment state = SharedFile.map(message.take(0), SharedFile.PAGE, 0, false);
    MemorySegment ring;
    try {
      ring = ring(message.take(1));
    } catch (RuntimeException e) {
      Libc.unmap(state.address(), state.byteSize());
      throw e;
    }
    peerState = state;
    reader = new RingReader(ring);
  }

  private static MemorySegment ring(int fd) {
    MemorySegment ring = SharedFile.map(fd, 0, Ring.DATA + Ring.LARGEST, true);
    if (Ring.capacity(ring) < 0) {
      Libc.unmap(ring.address(), ring.byteSize());
      throw new ProviderException(Reason.OTHER, "shm: the peer sent a ring of " + ring.byteSize() + " bytes");
    }
    return ring;
  }

  void add(ShmEndpoint endpoint) {
    endpoints.add(endpoint);
  }

  /** An endpoint is over on this side. @param number the peer's connection, told of the end; 0 if it knows */
  void leave(ShmEndpoint endpoint, int number, boolean tell) {
    endpoints.remove(endpoint);
    blocked.remove(endpoint);
    if (tell) {
      goodbye(number);
    }
    if (endpoints.isEmpty() && !over) {
      leaveLater();
    }
  }

  /** Tells the peer that its connection of that number has no other end. */
  private void goodbye(int number) {
    goodbyes.add(number);
    sendGoodbyes();
  }

  // Writing

  /** The longest payload of a record. */
  int longestPayload() {
    return writer.longestRecord() - Record.HEADER - 48;
  }

  /**
   * Finds room for a record, in a larger ring if need be.
   *
   * @return where it is to be in {@link #memory}, or -1 if there is no room now or the peering is over
   */
  long claim(int length) {
    if (over || !goodbyes.isEmpty() && !sendGoodbyes()) {
      return -1;
    }
    return claimAny(length);
  }

  private long claimAny(int length) {
    long at = writer.claim(length);
    while (at == -1 && writer.capacity() < Ring.LARGEST && grow()) {
      at = writer.claim(length);
    }
    if (at == -2) {
      fail(damaged("the peer has read more than was written"));
      return -1;
    }
    return at;
  }

  MemorySegment memory() {
    return writer.memory();
  }

  /** Fills a record's header. */
  void header(long at, int type, int to, int immediate) {
    MemorySegment memory = writer.memory();
    Ring.INT.set(memory, at + Record.TYPE, type);
    Ring.INT.set(memory, at + Record.TO, to);
    Ring.INT.set(memory, at + Record.IMMEDIATE, immediate);
  }

  /** Shows a record to the peer, who is woken by {@link #ring}. */
  void publish(long at, int length) {
    writer.publish(at, length);
  }

  /** Goes on in a larger ring. @return false if there is no memory for it */
  private boolean grow() {
    if (!moveTo(Math.min(Ring.LARGEST, writer.capacity() * 4))) {
      return false;
    }
    shrinkLater();
    return true;
  }

  private boolean moveTo(int capacity) {
    RingWriter next;
    try {
      next = new RingWriter(capacity);
    } catch (ProviderException e) {
      // No memory, or no descriptor: the ring that is there goes on serving.
      return false;
    }
    long at = writer.claimLast(Record.HEADER);
    if (at < 0) {
      next.close();
      return false;
    }
    header(at, Record.NEXT_RING, 0, 0);
    writer.publish(at, Record.HEADER);
    writer.close();
    writer = next;
    say(Message.of(Message.RING, next.file()));
    next.handedOver();
    return true;
  }

  /** Goes back to the smallest ring when the larger one has not been written to for a while. */
  private void shrinkLater() {
    long written = writer.written();
    RingWriter large = writer;
    queue.deadline(queue.domain().idleMillis(), () -> {
      if (over || writer != large) {
        return;
      }
      if (large.written() != written || !moveTo(Ring.SMALLEST)) {
        shrinkLater();
      }
    });
  }

  /** Ends it if nobody has used it for a while. A connect under way may still be accepted over it. */
  private void leaveLater() {
    if (leaving) {
      return;
    }
    leaving = true;
    queue.deadline(queue.domain().idleMillis(), () -> {
      leaving = false;
      if (over || !endpoints.isEmpty()) {
        return;
      }
      if (queue.isConnecting() || !goodbyes.isEmpty() || reader == null) {
        leaveLater();
      } else {
        close();
      }
    });
  }

  /** Sends a message over the socket. */
  void say(Message message) {
    if (!over && socket.send(message)) {
      flushLater();
    }
  }

  private void flushLater() {
    if (socket.hasUnsent() && !flushing) {
      flushing = true;
      queue.deadline(RETRY_MILLIS, () -> {
        flushing = false;
        if (!over && socket.flush()) {
          flushLater();
        }
      });
    }
  }

  /** Wakes the peer if it sleeps; after records were published. */
  void ring() {
    held = false;
    if (over) {
      return;
    }
    VarHandle.fullFence();
    if (peerState == null) {
      socket.wake();
      return;
    }
    int sleep = (int) Ring.INT.getAcquire(peerState, 0L);
    if ((sleep & 1) != 0 && sleep != woken) {
      woken = sleep;
      socket.wake();
    }
  }

  /** Rings later, after more posts or in the next poll. */
  void holdBell() {
    if (!held) {
      held = true;
      queue.hold(this);
    }
  }

  /** An endpoint has something that finds no room, or waits for a region's file. */
  void block(ShmEndpoint endpoint) {
    if (!blocked.contains(endpoint)) {
      blocked.add(endpoint);
    }
  }

  private boolean sendGoodbyes() {
    boolean sent = false;
    while (!goodbyes.isEmpty() && !over) {
      long at = claimAny(Record.HEADER);
      if (at < 0) {
        return false;
      }
      header(at, Record.BYE, goodbyes.poll(), 0);
      publish(at, Record.HEADER);
      sent = true;
    }
    if (sent) {
      ring();
    }
    return true;
  }

  private void pumpBlocked() {
    unblocked = false;
    sendGoodbyes();
    for (int n = blocked.size(); n > 0 && !over; n--) {
      ShmEndpoint endpoint = blocked.poll();
      if (endpoint != null) {
        endpoint.pump();
      }
    }
  }

  // Reading

  /** Whether there is something to do. */
  boolean isReady() {
    return reader != null && !stalled && reader.hasNext() || !over && hasOutput() && (unblocked || writer.moved());
  }

  private boolean hasOutput() {
    return !blocked.isEmpty() || !goodbyes.isEmpty();
  }

  /** Lets the peer wake this side when there is room again. @return whether there is something to do first */
  boolean prepareToSleep() {
    if (hasOutput() && !over) {
      writer.waits(true);
      VarHandle.fullFence();
    }
    if (reader != null && reader.takeWriterWaits()) {
      socket.wake();
    }
    return isReady();
  }

  /** Reads records. @return whether it should be polled again next time */
  boolean poll(CompletionBatch batch) {
    int records = 0;
    if (reader != null) {
      try {
        while (records < BUDGET && !batch.isFull() && readOne()) {
          records++;
        }
      } catch (DamagedRingException e) {
        fail(damaged(e.getMessage()));
      }
      if (reader == null) {
        return true;
      }
      reader.tell();
      if (reader.takeWriterWaits()) {
        socket.wake();
      }
    }
    if (hasOutput() && !over && (unblocked || writer.moved())) {
      pumpBlocked();
    }
    silentPolls = records > 0 ? 0 : silentPolls + 1;
    return silentPolls < PATIENCE || hasOutput();
  }

  private ProviderException damaged(String what) {
    return new ProviderException(Reason.OTHER, "shm: the peer damaged the memory it shares with this process: " + what
      + "; all connections with it are over");
  }

  /** Carries out the next record. @return false if there is none, or it has to wait */
  private boolean readOne() {
    RingReader record = reader;
    if (record == null || stalled || !record.next() || !handle(record)) {
      return false;
    }
    if (reader == record) {
      record.advance();
    }
    return true;
  }

  /** @return false if it has to wait */
  private boolean handle(RingReader record) {
    if (record.type() == Record.NEXT_RING) {
      return nextRing();
    }
    ShmEndpoint endpoint = queue.connections().find(record.to());
    if (record.type() == Record.ACCEPT) {
      if (endpoint == null || !endpoint.accepted(this, record)) {
        goodbye(record.readInt(16));
      }
      return true;
    }
    return endpoint == null || endpoint.peering() != this || endpoint.incoming().arrived(record);
  }

  private boolean nextRing() {
    MemorySegment next = nextRings.poll();
    if (next == null) {
      // The message with it is on its way.
      stalled = true;
      return false;
    }
    reader.close();
    reader = new RingReader(next);
    return true;
  }

  /** Reads no more until {@link #goOn}: a message waits for a receive, and all behind it with it. */
  void stall() {
    stalled = true;
  }

  void goOn() {
    stalled = false;
    silentPolls = 0;
    if (!over) {
      queue.watch(this);
    }
  }

  // The socket

  @Override
  public void ready() {
    for (Message.Received message = over ? null : socket.receive(); message != null; message = over ? null : socket.receive()) {
      if (!message.bytes().hasRemaining()) {
        ended();
        return;
      }
      try {
        take(message);
      } catch (ProviderException e) {
        fail(e);
      } finally {
        message.discard();
      }
    }
  }

  private void take(Message.Received message) {
    queue.watch(this);
    silentPolls = 0;
    switch (message.type()) {
      case Message.WAKE -> {
      }
      case Message.JOIN -> {
        expect(message.has(0, 2));
        join(message);
      }
      case Message.RING -> {
        expect(message.has(0, 1) && nextRings.size() < MOST_RINGS);
        nextRings.add(ring(message.take(0)));
        stalled = false;
      }
      case Message.OPEN -> {
        expect(message.has(12, 0));
        open(message.bytes().getInt(4), message.bytes().getLong(8));
      }
      case Message.OPENED -> {
        expect(message.has(32, 1));
        opened(message);
      }
      case Message.NOT_OPENED -> {
        expect(message.has(12, 0));
        ShmRemoteMemory memory = answered(message);
        if (memory != null) {
          memory.refused();
        }
      }
      default -> expect(false);
    }
  }

  private static void expect(boolean right) {
    if (!right) {
      throw new ProviderException(Reason.OTHER, "shm: the peer sent a message that has no meaning here: is it the same version?");
    }
  }

  /** Hands the file of a region out to the peer. */
  private void open(int slot, long secret) {
    ShmRegion region = queue.domain().regions().find(slot, secret);
    if (region != null && region.acquire()) {
      try {
        if (region.file() != null) {
          say(Message.of(Message.OPENED, region.file()).put(slot).put(secret).put(region.fileOffset()).put(region.size())
            .put(region.rights()));
          return;
        }
      } finally {
        region.release();
      }
    }
    say(Message.of(Message.NOT_OPENED).put(slot).put(secret));
  }

  /** Asks the owner for a region's file. */
  void ask(ShmRemoteMemory memory) {
    if (memory.ask(this)) {
      asked.add(memory);
      say(Message.of(Message.OPEN).put(memory.slot).put(memory.secret));
    }
  }

  private void opened(Message.Received message) {
    ShmRemoteMemory memory = answered(message);
    if (memory == null) {
      return;
    }
    int rights = message.bytes().getInt(32);
    boolean written = (rights & (ShmRegion.WRITE | ShmRegion.ATOMIC)) != 0;
    try {
      memory.opened(SharedFile.map(message.take(0), 0, Long.MAX_VALUE, written), message.bytes().getLong(16), message.bytes().getLong(24),
        rights);
    } catch (ProviderException e) {
      memory.refused();
    }
  }

  private ShmRemoteMemory answered(Message.Received message) {
    unblocked = true;
    int slot = message.bytes().getInt(4);
    long secret = message.bytes().getLong(8);
    for (int i = 0; i < asked.size(); i++) {
      if (asked.get(i).slot == slot && asked.get(i).secret == secret) {
        return asked.remove(i);
      }
    }
    return null;
  }

  // The end

  /** The peer's end of the socket is closed: what it wrote before is read first. */
  private void ended() {
    queue.unwatch(socket.fd(), this);
    try {
      while (readOne()) {
        // What it says is carried out.
      }
    } catch (DamagedRingException e) {
      // It is over anyway.
    }
    fail(new ProviderException(Reason.DISCONNECTED, "shm: the peer is gone: its process ended, or closed its completion queue"));
  }

  /** Ends it, and all connections that use it. */
  void fail(ProviderException cause) {
    if (over) {
      return;
    }
    over = true;
    asked.forEach(memory -> memory.lost(this));
    List.copyOf(endpoints).forEach(endpoint -> endpoint.fail(cause));
    close();
  }

  /** Frees it; its endpoints are closed, or have failed. */
  void close() {
    if (writer == null) {
      return;
    }
    over = true;
    queue.remove(this);
    queue.unwatch(socket.fd(), this);
    socket.close();
    writer.close();
    writer = null;
    if (reader != null) {
      reader.close();
      reader = null;
    }
    nextRings.forEach(ring -> Libc.unmap(ring.address(), ring.byteSize()));
    nextRings.clear();
    if (peerState != null) {
      Libc.unmap(peerState.address(), peerState.byteSize());
      peerState = null;
    }
  }
}
