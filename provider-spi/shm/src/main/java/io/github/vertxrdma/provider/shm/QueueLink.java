package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Link between this completion queue and one of a peer: a ring buffer for each direction, and a socket for files and wake-ups. All
 * connections between the two queues use it. The socket closes when the peer ends. Confined to the queue's thread, like its rings.
 */
final class QueueLink implements Pollable {
  /** Maximum number of records read in one poll. */
  private static final int BUDGET = 256;
  /** Number of polls without a record after which the ring is read only in polls that also check sockets. */
  private static final int PATIENCE = 4096;
  /** Maximum number of unread rings. A peer has at most five: one of each size, and one for its last records. */
  private static final int MOST_RINGS = 8;
  private static final long FIRST_RING = Ring.DATA + Ring.SMALLEST;
  /** Maximum number of messages that one call receives: more than the socket holds. */
  private static final int MOST_TAKEN = 1 << 14;
  private static final long RETRY_MILLIS = 5;
  static final int MOST_LISTENERS = 64;

  private final ShmQueue queue;
  private final DescriptorSocket socket;
  final long high;
  final long low;
  final LinkKey key;
  private final Set<ShmEndpoint> endpoints = new LinkedHashSet<>();
  private final ArrayDeque<ShmEndpoint> blocked = new ArrayDeque<>();
  final RegionFiles files;
  final RingOutput output;
  /** Numbers of listeners of the peer's queue, to which this queue can connect through the rings. */
  private final Map<EndpointAddress, Integer> listeners = new LinkedHashMap<>();
  private final Consumer<SocketMessage.Received> receiver = this::received;
  private final ArrayDeque<Mapping> nextRings = new ArrayDeque<>();
  private Mapping ring;
  private RingReader reader;
  private int silentPolls;
  private int lastTurn;
  private boolean unblocked;
  private boolean stalled;
  private boolean flushing;
  private boolean leaving;
  private boolean ending;
  boolean over;
  private boolean freed;

  QueueLink(ShmQueue queue, DescriptorSocket socket, long high, long low, LinkKey key) {
    this.queue = queue;
    this.socket = socket;
    this.high = high;
    this.low = low;
    this.key = key;
    files = new RegionFiles(queue.domain.regions(), this);
    output = new RingOutput(queue, this);
  }

  boolean isWith(long otherHigh, long otherLow) {
    return high == otherHigh && low == otherLow && !over;
  }

  long user() {
    return socket.user;
  }

  boolean isEnding() {
    return ending;
  }

  /** Maps the files of the peer's sleep counter and ring. */
  void join(SocketMessage.Received message) {
    if (reader != null) {
      throw new ProviderException(Reason.OTHER, "shm: the peer sent the files of its rings twice");
    }
    Mapping state = message.files().getFirst().map(AnonymousFile.PAGE, false);
    try {
      read(Ring.map(message.files().getLast(), FIRST_RING));
    } catch (RuntimeException e) {
      state.unmap();
      throw e;
    }
    output.peerState(state);
  }

  private void read(Mapping next) {
    ring = next;
    reader = new RingReader(next.memory());
  }

  void add(ShmEndpoint endpoint) {
    endpoints.add(endpoint);
    queue.unused.remove(this);
  }

  void leave(ShmEndpoint endpoint, int number, boolean tell) {
    endpoints.remove(endpoint);
    blocked.remove(endpoint);
    if (tell) {
      output.goodbye(number);
    }
    if (endpoints.isEmpty() && !over) {
      queue.unused.add(this);
      leaveLater();
    }
  }

  /** Closes this link if it has no connection after the idle time. */
  private void leaveLater() {
    if (leaving) {
      return;
    }
    leaving = true;
    queue.deadline(queue.domain.idleMillis(), () -> {
      leaving = false;
      if (over || !endpoints.isEmpty()) {
        return;
      }
      if (queue.isConnecting()) {
        leaveLater();
      } else {
        close();
      }
    });
  }

  void wake() {
    socket.wake();
    flushLater();
  }

  void say(SocketMessage message) {
    if (!over && socket.send(message)) {
      flushLater();
    }
  }

  boolean hasSentAll() {
    return socket.unsent() == 0;
  }

  private void flushLater() {
    if (!hasSentAll() && !flushing) {
      flushing = true;
      queue.deadline(RETRY_MILLIS, () -> {
        flushing = false;
        if (!over && socket.flush()) {
          files.handOut();
          // Operations may have waited until the file of a larger ring was sent.
          unblocked |= hasSentAll();
          flushLater();
        }
      });
    }
  }

  void block(ShmEndpoint endpoint) {
    if (!blocked.contains(endpoint)) {
      blocked.add(endpoint);
    }
  }

  private void pumpBlocked() {
    unblocked = false;
    if (output.writer().isOvertaken()) {
      // While operations wait for a file, nothing else checks the peer's read position.
      damaged(RingWriter.OVERTAKEN);
      return;
    }
    output.sendGoodbyes();
    for (int n = blocked.size(); n > 0 && !over; n--) {
      ShmEndpoint endpoint = blocked.poll();
      if (endpoint != null) {
        endpoint.pump();
      }
    }
  }

  boolean isReady() {
    return reader != null && !stalled && reader.hasNext() || canResume();
  }

  /** Returns whether waiting operations may continue. Stays true until they do, because {@link RingWriter#moved} returns true only once. */
  private boolean canResume() {
    if (over || !hasOutput()) {
      return false;
    }
    unblocked |= output.writer().moved();
    return unblocked;
  }

  boolean hasOutput() {
    return !blocked.isEmpty() || output.hasGoodbyes();
  }

  /**
   * Asks the peer to wake this side when this side's ring has room again.
   *
   * @return true if there is work to do before a sleep
   */
  boolean prepareToSleep() {
    if (hasOutput() && !over) {
      output.writer().waits(true);
    }
    if (reader != null) {
      reader.publish();
    }
    // Each side writes its own state before it reads the peer's. So at least one side sees the other's write.
    VarHandle.fullFence();
    if (reader != null) {
      wakeWaitingWriter();
    }
    return isReady();
  }

  private void wakeWaitingWriter() {
    if (reader.takeWriterWaits()) {
      wake();
    }
  }

  /**
   * Reads records. The first call in a poll of the queue frees the records of earlier polls. Those of the current poll are read in place.
   *
   * @param turn number of the queue's poll, which may call this method twice
   * @return true if the next poll should call this method
   */
  boolean poll(CompletionBatch batch, int turn) {
    int records = 0;
    if (reader != null) {
      if (turn != lastTurn) {
        lastTurn = turn;
        reader.publish();
        wakeWaitingWriter();
      }
      try {
        while (records < BUDGET && !batch.isFull() && readOne()) {
          records++;
        }
      } catch (DamagedRingException e) {
        damaged(e.getMessage());
      }
      if (reader == null) {
        return true;
      }
    }
    if (canResume()) {
      pumpBlocked();
    }
    silentPolls = records > 0 ? 0 : silentPolls + 1;
    return silentPolls < PATIENCE || hasOutput();
  }

  void damaged(String what) {
    fail(new ProviderException(Reason.OTHER, "shm: the peer damaged the memory that it shares with this process: " + what + ". All "
      + "connections with its process are closed"));
  }

  void broken(Throwable cause) {
    fail(new ProviderException(Reason.OTHER, "shm: all connections with the peer's process are closed: " + cause, cause));
  }

  /**
   * Reads a record.
   *
   * @return false if there is none, if it must wait, or if the read position must be published first
   */
  private boolean readOne() {
    return (reader == null || !reader.isDue()) && readAny();
  }

  private boolean readAny() {
    RingReader record = reader;
    if (record == null || stalled || !record.next() || !handle(record)) {
      return false;
    }
    if (reader == record) {
      record.advance();
    }
    return true;
  }

  private boolean handle(RingReader record) {
    if (record.type() == Record.NEXT_RING) {
      return nextRing();
    }
    if (handleConnect(record)) {
      return true;
    }
    ShmEndpoint endpoint = queue.connections.find(record.to());
    return endpoint == null || endpoint.link() != this || endpoint.incoming.arrived(record);
  }

  /** Handles a record of the connection handshake. Returns false for other records. */
  private boolean handleConnect(RingReader record) {
    switch (record.type()) {
      case Record.CONNECT -> connectRequested(record);
      case Record.ACCEPT -> accepted(record);
      case Record.REJECT -> {
        ShmEndpoint endpoint = connecting(record);
        if (endpoint != null) {
          endpoint.rejected(record.readData(Record.HEADER));
        }
      }
      case Record.ASK_BY_SOCKET -> {
        ShmEndpoint endpoint = connecting(record);
        if (endpoint != null) {
          listeners.remove(endpoint.remoteAddress());
          endpoint.connector().askBySocket();
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private void connectRequested(RingReader record) {
    ShmListener listener = queue.listeners.get(record.to());
    int connection = record.readInt(16);
    if (listener == null || record.length() - Record.CONNECTION > ShmDevice.PRIVATE_DATA) {
      output.askBySocket(connection);
    } else {
      listener.requested(this, new ShmRequest.Connector(high, low, connection, record.readInt(20), record.readLong(24)),
        record.readData(Record.CONNECTION));
    }
  }

  private void accepted(RingReader record) {
    ShmEndpoint endpoint = queue.connections.find(record.to());
    int peerNumber = record.readInt(16);
    if (endpoint == null || endpoint.connector() == null || !endpoint.connector().expects(this, record.readLong(24))) {
      output.goodbye(peerNumber);
      return;
    }
    remember(endpoint.remoteAddress(), record.immediate());
    endpoint.established(this, peerNumber, record.readInt(20), record.readData(Record.CONNECTION));
  }

  /** Returns the endpoint that requested the connection of a record through these rings, or null. */
  private ShmEndpoint connecting(RingReader record) {
    ShmEndpoint endpoint = queue.connections.find(record.to());
    return endpoint != null && endpoint.connector() != null && endpoint.connector().isBy(this) ? endpoint : null;
  }

  /** Remembers the number of a listener; 0 if peers must use its socket. */
  void remember(EndpointAddress listener, int number) {
    if (number == 0) {
      listeners.remove(listener);
      return;
    }
    listeners.put(listener, number);
    if (listeners.size() > MOST_LISTENERS) {
      listeners.remove(listeners.keySet().iterator().next());
    }
  }

  boolean knows(EndpointAddress listener) {
    return listeners.containsKey(listener) && !over;
  }

  /** Requests a connection to a known listener. Returns false if the ring has no room now. */
  boolean connect(ShmEndpoint endpoint, int connection, long token, byte[] privateData) {
    int number = listeners.get(endpoint.remoteAddress());
    if (!output.sendConnection(Record.CONNECT, number, 0, connection, token, privateData)) {
      return false;
    }
    // Keeps the rings open until the answer arrives.
    add(endpoint);
    return true;
  }

  private boolean nextRing() {
    Mapping next = nextRings.poll();
    if (next == null) {
      // The message with the next ring's file has not arrived.
      stalled = true;
      return false;
    }
    queue.retire(ring);
    read(next);
    return true;
  }

  /** Stops reading until {@link #resume}, because a message has no posted receive. */
  void stall() {
    stalled = true;
  }

  void resume() {
    stalled = false;
    silentPolls = 0;
    if (!over) {
      queue.watch(this);
    }
  }

  boolean isThere() {
    SocketMessage.Received next;
    for (int taken = 0; taken < MOST_TAKEN && !over && (next = socket.receive()) != null; taken++) {
      received(next);
    }
    return !over;
  }

  @Override
  public void ready() {
    if (!over && queue.sockets.receive(socket.fd, receiver) && !over) {
      queue.checkSockets();
    }
  }

  private void received(SocketMessage.Received message) {
    try {
      if (over) {
        return;
      }
      message.checkWhole();
      if (message.bytes().length > 0) {
        take(message);
      } else {
        ended();
      }
    } catch (ProviderException e) {
      fail(e);
    } catch (RuntimeException | Error e) {
      broken(e);
    } finally {
      message.discard();
    }
  }

  private void take(SocketMessage.Received message) {
    queue.watch(this);
    silentPolls = 0;
    switch (message.type()) {
      case SocketMessage.WAKE -> {
      }
      case SocketMessage.JOIN -> {
        expect(message.has(0, 2));
        join(message);
      }
      case SocketMessage.RING -> {
        expect(message.has(8, 1) && nextRings.size() < MOST_RINGS);
        nextRings.add(Ring.map(message.files().getFirst(), message.fields().i64()));
        stalled = false;
      }
      case SocketMessage.OPEN -> {
        expect(message.has(12, 0));
        Cursor in = message.fields();
        files.wanted(in.i32(), in.i64());
      }
      case SocketMessage.OPENED -> {
        expect(message.has(56, 1));
        unblocked = true;
        files.opened(message);
      }
      case SocketMessage.NOT_OPENED -> {
        expect(message.has(12, 0));
        unblocked = true;
        files.notOpened(message);
      }
      default -> expect(false);
    }
  }

  private static void expect(boolean right) {
    if (!right) {
      throw new ProviderException(Reason.OTHER, "shm: the peer sent an invalid message. Check that both processes have the same "
        + "version of vertx-rdma");
    }
  }

  /** Called when the peer has closed the socket. Reads the peer's last records, then ends the connections. */
  private void ended() {
    queue.sockets.unwatch(socket.fd, this);
    ending = true;
    stalled = false;
    try {
      readToTheEnd();
    } catch (DamagedRingException e) {
      // A damaged record also ends the connections.
    }
    fail(new ProviderException(Reason.PEER_ENDED, "shm: the peer's process has ended, or has closed its completion queue"));
  }

  /** Reads at most the size of the rings, because a peer that still runs may continue to write. */
  private void readToTheEnd() {
    long left = (1L + nextRings.size()) * Ring.LARGEST;
    for (RingReader from = reader; left > 0 && readAny(); from = reader) {
      left -= from.length();
    }
  }

  void fail(ProviderException cause) {
    if (over) {
      return;
    }
    over = true;
    files.lost();
    List.copyOf(endpoints).forEach(endpoint -> endpoint.lost(cause));
    close();
  }

  void close() {
    if (freed) {
      return;
    }
    freed = true;
    if (!over) {
      output.sendLastGoodbyes();
    }
    over = true;
    queue.remove(this);
    queue.sockets.unwatch(socket.fd, this);
    socket.close();
    output.close();
    if (reader != null) {
      queue.retire(ring);
      ring = null;
      reader = null;
    }
    nextRings.forEach(Mapping::unmap);
    nextRings.clear();
  }
}
