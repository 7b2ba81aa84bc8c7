package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;

/** Writes records for a peer to a ring buffer and wakes the peer. Replaces the ring by a larger one if necessary. */
final class RingOutput {
  private static final int MOST_GOODBYES = 1 << 16;

  private final ShmQueue queue;
  private final QueueLink link;
  private final ArrayDeque<Goodbye> goodbyes = new ArrayDeque<>();
  private RingFile file;
  private RingWriter writer;
  /** Page with the sleep counter of the peer's queue, which its {@link OwnSleep} writes. Null until the peer has sent it. */
  private MemorySegment peerPage;
  /** Counter value of the sleep from which this side last woke the peer. */
  private int woken;
  private Mapping peerState;
  /** True if a record was published and the peer was not woken yet. */
  private boolean wakePending;
  /** True while the message with this ring's file is queued. Until it is sent, the peer cannot read the ring. */
  private boolean unsent;

  private record Goodbye(int type, int to) {
  }

  RingOutput(ShmQueue queue, QueueLink link) {
    this.queue = queue;
    this.link = link;
    file = new RingFile(Ring.SMALLEST);
    writer = file.writer;
  }

  RingWriter writer() {
    return writer;
  }

  RingFile file() {
    return file;
  }

  void peerState(Mapping state) {
    peerState = state;
    peerPage = state.memory();
  }

  void goodbye(int number) {
    queue(new Goodbye(Record.BYE, number));
  }

  void askBySocket(int number) {
    queue(new Goodbye(Record.ASK_BY_SOCKET, number));
  }

  private void queue(Goodbye goodbye) {
    if (goodbyes.size() == MOST_GOODBYES) {
      link.fail(new ProviderException(Reason.OTHER, "shm: the peer sends messages of unknown connections but does not read the "
        + "replies; " + MOST_GOODBYES + " replies wait for it. All connections with its process are closed"));
    } else if (!link.over) {
      goodbyes.add(goodbye);
      sendGoodbyes();
    }
  }

  /**
   * Sends a {@link Record#CONNECT} or {@link Record#ACCEPT}.
   *
   * @param to number of the listener, or of the accepted connection
   * @return false if there is no room now, or the link has ended
   */
  boolean sendConnection(int type, int to, int listener, int number, long token, byte[] data) {
    long at = claim(type, to, listener, Record.CONNECTION + data.length);
    if (at < 0) {
      return false;
    }
    Ring.INT.set(memory(), at + 16, number);
    Ring.INT.set(memory(), at + 20, ShmDevice.READS_IN_FLIGHT);
    Ring.LONG.set(memory(), at + 24, token);
    send(at, Record.CONNECTION, data);
    return true;
  }

  boolean reject(int to, byte[] data) {
    long at = claim(Record.REJECT, to, 0, Record.HEADER + data.length);
    if (at < 0) {
      return false;
    }
    send(at, Record.HEADER, data);
    return true;
  }

  private void send(long at, int fields, byte[] data) {
    MemorySegment.copy(data, 0, memory(), ValueLayout.JAVA_BYTE, at + fields, data.length);
    publish(at, fields + data.length);
    wakePeer();
  }

  int longestPayload() {
    return writer.longestRecord() - Record.HEADER - 48;
  }

  long claimMessage(int length) {
    while (length > longestPayload() && !unsent && writer.capacity < Ring.LARGEST && grow()) {
      // Larger rings permit longer records.
    }
    return length > longestPayload() ? -1 : claim(Record.HEADER + length);
  }

  /**
   * Reserves room in this ring or a larger one.
   *
   * @return offset in {@link #memory}; -1 if there is no room now or the link has ended
   */
  long claim(int length) {
    if (link.over || !goodbyes.isEmpty() && !sendGoodbyes()) {
      return -1;
    }
    return claimAny(length);
  }

  /** Reserves room for a record, and writes its header. */
  long claim(int type, int to, int immediate, int length) {
    long at = claim(length);
    if (at >= 0) {
      header(at, type, to, immediate);
    }
    return at;
  }

  private long claimAny(int length) {
    if (unsent) {
      unsent = !link.hasSentAll();
      if (unsent) {
        return -1;
      }
    }
    long at = writer.claim(length);
    while (at == -1 && !unsent && writer.capacity < Ring.LARGEST && grow()) {
      at = unsent ? -1 : writer.claim(length);
    }
    if (at == -2) {
      link.damaged(RingWriter.OVERTAKEN);
      return -1;
    }
    return at;
  }

  MemorySegment memory() {
    return writer.memory;
  }

  void header(long at, int type, int to, int immediate) {
    MemorySegment memory = writer.memory;
    Ring.INT.set(memory, at + Record.TYPE, type);
    Ring.INT.set(memory, at + Record.TO, to);
    Ring.INT.set(memory, at + Record.IMMEDIATE, immediate);
  }

  void publish(long at, int length) {
    writer.publish(at, length);
  }

  private boolean grow() {
    if (!moveTo(Math.min(Ring.LARGEST, writer.capacity * 4))) {
      return false;
    }
    shrinkLater();
    return true;
  }

  private boolean moveTo(int capacity) {
    RingFile next;
    try {
      next = new RingFile(capacity);
    } catch (ProviderException e) {
      // There is no memory or file descriptor for a larger ring, so the current one stays in use.
      return false;
    }
    long at = writer.claimLast(Record.HEADER);
    if (at < 0) {
      next.close();
      return false;
    }
    header(at, Record.NEXT_RING, 0, 0);
    writer.publish(at, Record.HEADER);
    file.close();
    file = next;
    writer = next.writer;
    link.say(SocketMessage.of(SocketMessage.RING, out -> out.i64(Ring.DATA + capacity), next.file));
    next.handedOver();
    unsent = !link.hasSentAll();
    return true;
  }

  /**
   * Returns to the smallest ring once the larger one is unused and fully read. Waits while operations need room, because only the current
   * ring reports room to them.
   */
  private void shrinkLater() {
    long written = writer.written();
    RingWriter large = writer;
    queue.deadline(queue.domain.idleMillis(), () -> {
      if (link.over || writer != large) {
        return;
      }
      if (large.written() != written || !large.isRead() || link.hasOutput() || !moveTo(Ring.SMALLEST)) {
        shrinkLater();
      }
    });
  }

  /** Wakes the peer if it sleeps. Called after records were published. */
  void wakePeer() {
    wakePending = false;
    if (link.over) {
      return;
    }
    if (peerPage != null) {
      int sleep = sleepToEnd(peerPage, woken);
      if (sleep == 0) {
        return;
      }
      woken = sleep;
    }
    link.wake();
  }

  /** Returns the counter of the sleep from which this side must wake the peer; 0 if none. */
  static int sleepToEnd(MemorySegment page, int woken) {
    VarHandle.fullFence();
    int sleep = (int) Ring.INT.getAcquire(page, 0L);
    return (sleep & 1) == 0 || sleep == woken ? 0 : sleep;
  }

  /** Lets a later post or the next poll wake the peer. */
  void wakeLater() {
    if (!wakePending) {
      wakePending = true;
      queue.hold(link);
    }
  }

  boolean sendGoodbyes() {
    boolean sent = false;
    while (!goodbyes.isEmpty() && !link.over) {
      long at = claimAny(Record.HEADER);
      if (at < 0) {
        return false;
      }
      Goodbye goodbye = goodbyes.poll();
      header(at, goodbye.type, goodbye.to, 0);
      publish(at, Record.HEADER);
      sent = true;
    }
    if (sent) {
      wakePeer();
    }
    return true;
  }

  /** Sends BYE for all closed connections, if necessary in a further ring. Without it the peer would report that this process ended. */
  void sendLastGoodbyes() {
    if (!sendGoodbyes() && moveTo(Ring.LARGEST)) {
      sendGoodbyes();
    }
  }

  boolean hasGoodbyes() {
    return !goodbyes.isEmpty();
  }

  void close() {
    file.close();
    if (peerState != null) {
      peerState.unmap();
      peerState = null;
      peerPage = null;
    }
  }
}
