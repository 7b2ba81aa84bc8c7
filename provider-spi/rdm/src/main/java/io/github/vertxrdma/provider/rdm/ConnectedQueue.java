package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.Waiting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A raw completion queue, its raw endpoint and the connections on it: drains, and gives each completion its owner. */
final class ConnectedQueue implements CompletionQueue {
  /** How long goodbyes may take when the raw endpoint closes. */
  private static final long GOODBYE_NANOS = 200_000_000;
  private static final long REOPEN_PAUSE_NANOS = 1_000_000_000;

  private static final System.Logger LOGGER = System.getLogger(ConnectedQueue.class.getName());

  private final ConnectedDomain domain;
  private final CompletionQueue raw;
  private final Connections connections;
  private final List<ConnectedEndpoint> endpoints = new ArrayList<>();
  private final ArrayDeque<Runnable> arrivals = new ArrayDeque<>();
  private final ArrayDeque<Departure> departures = new ArrayDeque<>();
  private final SyntheticCompletions synthetic = new SyntheticCompletions();
  private final Quarantine quarantine = new Quarantine();
  private final int userBits;
  private SharedReceives receives;
  private ReorderBuffer reorder;
  private SharedEndpoint shared;
  private RdmListener listener;
  private boolean closed;
  /** Where the raw endpoint is to be opened again, and when to try. */
  private EndpointAddress reopenAt;
  private long nextReopen;
  /** A message whose sender is not known did not fit: some connection will have a gap. */
  private boolean lost;

  /** The end of a connection, told after the last messages on it. */
  private record Departure(RdmConnection connection, Runnable event) {
  }

  ConnectedQueue(ConnectedDomain domain, CompletionQueue raw) {
    this.domain = domain;
    this.raw = raw;
    userBits = domain.capabilities().immediateBits();
    connections = new Connections(this);
  }

  ConnectedDomain domain() {
    return domain;
  }

  Connections connections() {
    return connections;
  }

  RdmListener listener() {
    return listener;
  }

  SharedReceives receives() {
    return receives;
  }

  ReorderBuffer reorder() {
    return reorder;
  }

  int userBits() {
    return userBits;
  }

  Quarantine quarantine() {
    return quarantine;
  }

  /** The raw endpoint; opens it if its replacement failed before. */
  SharedEndpoint requireShared() {
    open(null);
    return shared;
  }

  /** The raw endpoint, or null while it is not open. */
  SharedEndpoint shared() {
    return shared;
  }

  // What is made on it.

  ReceiveQueue createReceives(int depth) {
    checkOpen();
    if (receives != null) {
      throw domain.invalid("the completion queue has its shared receive queue already: a connectionless endpoint has one");
    }
    receives = new SharedReceives(this, depth);
    reorder = new ReorderBuffer(receives);
    return receives;
  }

  void forget(SharedReceives queue) {
    receives = null;
  }

  Listener listen(EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    checkReceives(options);
    if (listener != null) {
      throw new ProviderException(Reason.ADDRESS_IN_USE, domain.name() + ": a listener is open at " + listener.localAddress()
        + " already, and a completion queue has one address: close it, or listen on another completion queue");
    }
    open(local);
    listener = new RdmListener(this, shared.raw().localAddress(), options, handler);
    return listener;
  }

  void forget(RdmListener closedListener) {
    listener = null;
  }

  Endpoint createEndpoint(EndpointOptions options, EndpointHandler handler) {
    checkReceives(options);
    open(options.source());
    ConnectedEndpoint endpoint = new ConnectedEndpoint(this, options, handler);
    endpoints.add(endpoint);
    return endpoint;
  }

  void forget(ConnectedEndpoint endpoint) {
    endpoints.remove(endpoint);
  }

  private void checkReceives(EndpointOptions options) {
    checkOpen();
    if (receives == null || options.receiveQueue() != receives) {
      throw domain.invalid("the options lack the shared receive queue of this completion queue, which every connection uses here: make one "
        + "with createSharedReceiveQueue");
    }
  }

  private void checkOpen() {
    if (closed) {
      throw domain.invalid("the completion queue is closed");
    }
  }

  /** Opens the raw endpoint, which is expensive on some fabrics, when it is needed first. */
  private void open(EndpointAddress local) {
    if (shared != null) {
      EndpointAddress bound = shared.raw().localAddress();
      if (local != null && !Addresses.covers(local, bound)) {
        throw new ProviderException(Reason.INVALID, domain.name() + ": the endpoint of this completion queue is bound to " + bound
          + " already, so it cannot be at " + local + " as well: use another completion queue");
      }
      return;
    }
    RdmEndpoint endpoint = create(local);
    if (Addresses.size(endpoint.localAddress()) > ControlMessage.MAX_ADDRESS) {
      endpoint.close();
      throw domain.invalid("the address " + endpoint.localAddress() + " has more than " + ControlMessage.MAX_ADDRESS + " bytes");
    }
    shared = new SharedEndpoint(domain.raw(), endpoint);
    receives.opened(endpoint);
  }

  private RdmEndpoint create(EndpointAddress local) {
    try {
      return domain.raw().createEndpoint(raw, local);
    } catch (ProviderException e) {
      if (local == null || e.getMessage().contains(local.toString())) {
        throw e;
      }
      throw new ProviderException(e.reason(), e.errno(), domain.name() + ": cannot use the address " + local + ": " + e.getMessage(), null,
        e);
    }
  }

  boolean inUse() {
    return listener != null || !endpoints.isEmpty();
  }

  // Events and completions of the layer's own.

  /** To be run before the poll returns: what must be heard before its completions. */
  void arrived(Runnable event) {
    arrivals.add(event);
  }

  /** To be run when the completions so far have been handed out. */
  void departed(RdmConnection connection, Runnable event) {
    departures.add(new Departure(connection, event));
  }

  SyntheticCompletions synthetic() {
    return synthetic;
  }

  // Polling.

  @Override
  public int poll(CompletionBatch batch) {
    batch.clear();
    if (closed) {
      return 0;
    }
    tellDepartures();
    if (!synthetic.isEmpty()) {
      synthetic.drain(batch);
      return batch.size();
    }
    if (receives != null && reorder.isReady()) {
      reorder.deliver(batch);
      return batch.size();
    }
    drain(batch);
    if (shared != null) {
      receives.postWaiting();
      shared.control().poll();
    }
    connections.poll();
    if (shared != null && quarantine.operations() > shared.quarantineBound()) {
      relieve();
    }
    if (reopenAt != null && shared == null && System.nanoTime() - nextReopen > 0) {
      reopen(reopenAt);
    }
    for (int n = arrivals.size(); n > 0; n--) {
      arrivals.poll().run();
    }
    if (receives != null) {
      reorder.deliver(batch);
    }
    if (batch.size() == 0) {
      tellDepartures();
    }
    return batch.size();
  }

  private void tellDepartures() {
    // Those that handlers add are for later.
    for (int n = departures.size(); n > 0; n--) {
      Departure departure = departures.poll();
      if (departure.connection.ready > 0) {
        departures.add(departure);
      } else {
        departure.event.run();
      }
    }
  }

  private void drain(CompletionBatch batch) {
    raw.poll(batch);
    for (int i = 0; i < batch.size();) {
      if (translate(batch, i)) {
        i++;
      } else {
        batch.remove(i);
      }
    }
  }

  /** Gives a completion of the fabric its owner and request id. @return false if it is not for the user */
  private boolean translate(CompletionBatch batch, int i) {
    long requestId = batch.requestId(i);
    if (SharedReceives.isReceive(requestId)) {
      return received(batch, i, requestId);
    }
    if (batch.operation(i) == Operation.REMOTE_WRITE && batch.status(i) == Status.OK) {
      return written(batch, i, -1);
    }
    int index = shared == null ? -1 : shared.sends().index(requestId);
    return index >= 0 ? sent(batch, i, index) : silentFailed(batch, i, SendTable.silentTag(requestId));
  }

  private boolean silentFailed(CompletionBatch batch, int i, int tag) {
    RdmConnection connection = connections.tagged(tag);
    if (connection == null || batch.status(i) == Status.OK) {
      return false;
    }
    connection.endpoint().failed(batch, i);
    batch.set(i, -1, connection.endpoint(), 0);
    return true;
  }

  private boolean sent(CompletionBatch batch, int i, int index) {
    SendTable sends = shared.sends();
    ConnectedEndpoint endpoint = sends.endpoint(index);
    if (endpoint == null) {
      ControlSender.Outgoing control = sends.control(index);
      sends.release(index);
      shared.control().completed(control, batch, i);
      return false;
    }
    long userId = sends.userId(index);
    Operation operation = sends.operation(index);
    boolean tell = sends.signalled(index) || batch.status(i) != Status.OK;
    sends.release(index);
    if (batch.status(i) != Status.OK) {
      endpoint.failed(batch, i);
    } else {
      endpoint.counters().succeeded(operation);
    }
    endpoint.completed(operation);
    batch.set(i, userId, endpoint, 0);
    return tell;
  }

  private boolean received(CompletionBatch batch, int i, long requestId) {
    int slot = receives == null ? -1 : receives.slot(requestId);
    if (slot < 0) {
      return false;
    }
    if (batch.operation(i) == Operation.REMOTE_WRITE && batch.status(i) == Status.OK) {
      return written(batch, i, slot);
    }
    long connectionId = ControlMessage.connectionId(receives.region(slot).segment(), receives.offset(slot));
    int status = batch.status(i);
    if (status == Status.OK && connections.control(receives, slot, batch.length(i))) {
      receives.repost(slot);
      return false;
    }
    RdmConnection connection = status == Status.OK || status == Status.LENGTH ? connections.of(connectionId) : null;
    if (connection == null && status == Status.OK) {
      connections.stray(connectionId);
      receives.repost(slot);
      return false;
    }
    if (batch.hasImmediate(i)) {
      batch.immediate(i, ImmediateTag.immediate(batch.immediate(i), userBits));
    }
    if (connection != null && status == Status.OK && !inOrder(connection, slot, batch, i)) {
      return false;
    }
    if (connection != null && status == Status.LENGTH) {
      connection.tooLong();
    }
    lost |= connection == null && status == Status.LENGTH;
    batch.set(i, receives.userId(slot), connection == null ? null : connection.endpoint(), batch.length(i));
    receives.release(slot);
    return true;
  }

  /** Whether the message is the next of its connection; if not, it is held, or ends a connection that makes no sense. */
  private boolean inOrder(RdmConnection connection, int slot, CompletionBatch batch, int i) {
    int sequence = ControlMessage.sequence(receives.region(slot).segment(), receives.offset(slot));
    int ahead = sequence - connection.expected;
    connection.peerReady();
    if (ahead == 0 && connection.ready == 0) {
      connection.endpoint().counters().succeeded(Operation.RECEIVE);
      connection.advance();
      return true;
    }
    if (ahead < 0 || ahead >= receives.capacity() || !reorder.hold(connection, slot, sequence, batch, i)) {
      receives.repost(slot);
      connection.outOfSequence(sequence);
    } else if (ahead == 0) {
      reorder.advance(connection);
    } else if (lost) {
      connection.watchGap();
    }
    return false;
  }

  /** A write with immediate arrived, with the receive it ate or without. */
  private boolean written(CompletionBatch batch, int i, int slot) {
    RdmConnection connection = connections.tagged(ImmediateTag.tag(batch.immediate(i), userBits));
    if (connection == null) {
      if (slot >= 0) {
        receives.repost(slot);
      }
      return false;
    }
    connection.endpoint().counters().succeeded(Operation.REMOTE_WRITE);
    batch.immediate(i, ImmediateTag.immediate(batch.immediate(i), userBits));
    batch.set(i, slot < 0 ? -1 : receives.userId(slot), connection.endpoint(), batch.length(i));
    if (slot >= 0) {
      receives.release(slot);
    }
    return true;
  }

  // Waiting.

  @Override
  public int capacity() {
    return raw.capacity();
  }

  @Override
  public Waiting waiting() {
    return raw.waiting();
  }

  @Override
  public int fd() {
    return raw.fd();
  }

  @Override
  public boolean arm() {
    return arrivals.isEmpty() && departures.isEmpty() && synthetic.isEmpty() && (reorder == null || !reorder.isReady()) && raw.arm();
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    raw.wakeupHandler(handler);
  }

  /** Handshakes under way count too: nothing but a poll repeats their messages. Nobody waits for operations to peers that are gone. */
  @Override
  public int unannounced() {
    return Math.max(0, raw.unannounced() - quarantine.oneSided()) + connections.handshakes()
      + (shared == null ? 0 : shared.control().waiting());
  }

  // Ends.

  /**
   * Too many places are held by operations to dead peers: a new raw endpoint at the same address, unless somebody uses the old one; who does
   * is ended when there is no room for anybody any more.
   */
  private void relieve() {
    if (!quarantine.exceeds(shared.quarantineBound())) {
      return;
    }
    EndpointAddress address = shared.raw().localAddress();
    if (connections.size() > 0 && quarantine.operations() >= shared.quarantineLimit()) {
      ProviderException why = new ProviderException(Reason.OTHER, domain.name() + ": " + quarantine.operations() + " operations to peers that "
        + "are gone hold the places of the endpoint at " + address + "; it is replaced, and can be connected to again");
      List.copyOf(endpoints).forEach(endpoint -> endpoint.connection().fail(why, true));
      quarantine.postpone();
      return;
    }
    if (connections.size() > 0) {
      if (quarantine.report()) {
        LOGGER.log(System.Logger.Level.WARNING, "{0}: {1} operations to peers that are gone hold places of the endpoint at {2}; it will be "
          + "replaced when the last of its {3} connections ends", domain.name(), quarantine.operations(), address, connections.size());
      }
      quarantine.postpone();
      return;
    }
    closeRaw();
    receives.closedRaw();
    reopen(address);
  }

  private void reopen(EndpointAddress address) {
    reopenAt = address;
    nextReopen = System.nanoTime() + REOPEN_PAUSE_NANOS;
    try {
      open(address);
      reopenAt = null;
    } catch (ProviderException e) {
      LOGGER.log(System.Logger.Level.WARNING, "{0}: the endpoint at {1} could not be replaced and is tried again: {2}", domain.name(),
        address, e.getMessage());
    }
  }

  /** Closes the raw endpoint after its last messages are out. Its operations come back flushed. */
  void closeRaw() {
    if (shared == null) {
      return;
    }
    SharedEndpoint old = shared;
    sendGoodbyes(old);
    shared = null;
    old.close();
    flush(old.sends());
  }

  private void sendGoodbyes(SharedEndpoint old) {
    CompletionBatch batch = new CompletionBatch(64);
    long deadline = System.nanoTime() + GOODBYE_NANOS;
    while (old.control().pending() > 0 && System.nanoTime() - deadline < 0) {
      drain(batch);
      synthetic.keep(batch);
      old.control().poll();
      Thread.onSpinWait();
    }
  }

  private void flush(SendTable sends) {
    for (int index = 0; index < sends.capacity(); index++) {
      ConnectedEndpoint endpoint = sends.endpoint(index);
      if (endpoint != null) {
        Operation operation = sends.operation(index);
        synthetic.add(sends.userId(index), operation, endpoint, Status.FLUSHED, "the endpoint that many connections share was closed");
        sends.release(index);
        endpoint.completed(operation);
      }
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (listener != null) {
      listener.close();
    }
    List.copyOf(endpoints).forEach(ConnectedEndpoint::close);
    if (receives != null) {
      receives.close();
    }
    closeRaw();
    closed = true;
    raw.close();
    domain.forget(this);
  }
}
