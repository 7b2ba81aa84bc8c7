package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Completion;
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

/** Completion queue of the provider, its only {@link RdmEndpoint}, and the connections over that endpoint. */
final class ConnectedQueue implements CompletionQueue {
  final ConnectedDomain domain;
  private final CompletionQueue raw;
  final SharedEndpoints endpoints;
  final RdmConnections connections;
  private final Demultiplexer demultiplexer;
  final Quarantine quarantine = new Quarantine();
  final List<ConnectedEndpoint> users = new ArrayList<>();
  /** Connection events to report before the completions of a poll. */
  final ArrayDeque<Runnable> arrivals = new ArrayDeque<>();
  private final ArrayDeque<Departure> departures = new ArrayDeque<>();
  /** Completions for the next polls, such as those of operations in flight when the {@link RdmEndpoint} was closed. */
  final ArrayDeque<Completion> synthetic = new ArrayDeque<>();
  SharedReceives receives;
  ReorderBuffer reorder;
  RdmListener listener;
  long deferred;
  private boolean closed;

  private record Departure(RdmConnection connection, Runnable event) {
  }

  ConnectedQueue(ConnectedDomain domain, CompletionQueue raw) {
    this.domain = domain;
    this.raw = raw;
    endpoints = new SharedEndpoints(this, raw);
    connections = new RdmConnections(this);
    demultiplexer = new Demultiplexer(this);
  }

  ReceiveQueue createReceives(int depth) {
    checkOpen();
    if (receives != null) {
      throw domain.invalid("this completion queue already has a shared receive queue: its connectionless endpoint can use only one");
    }
    receives = new SharedReceives(this, depth);
    reorder = new ReorderBuffer(receives);
    return receives;
  }

  Listener listen(EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    checkReceives(options);
    if (listener != null) {
      throw new ProviderException(Reason.ADDRESS_IN_USE, domain.name() + ": a listener is open at " + listener.localAddress()
        + " already, and a completion queue has one address. Close it, or listen with another completion queue");
    }
    listener = new RdmListener(this, endpoints.open(local).address(), options, handler);
    return listener;
  }

  Endpoint createEndpoint(EndpointOptions options, EndpointHandler handler) {
    checkReceives(options);
    endpoints.open(options.source());
    ConnectedEndpoint endpoint = new ConnectedEndpoint(this, options, handler);
    users.add(endpoint);
    return endpoint;
  }

  private void checkReceives(EndpointOptions options) {
    checkOpen();
    if (receives == null || options.receiveQueue() != receives) {
      throw domain.invalid("the options lack the shared receive queue of this completion queue, which all its connections must use. "
        + "Create one with createSharedReceiveQueue");
    }
  }

  private void checkOpen() {
    if (closed) {
      throw domain.invalid("the completion queue is closed");
    }
  }

  /** Adds the end of a connection, which is reported after its last messages. */
  void departed(RdmConnection connection, Runnable event) {
    departures.add(new Departure(connection, event));
  }

  @Override
  public int poll(CompletionBatch batch) {
    batch.clear();
    if (closed) {
      return 0;
    }
    reportDepartures();
    if (!synthetic.isEmpty()) {
      while (!synthetic.isEmpty() && !batch.isFull()) {
        synthetic.poll().addTo(batch);
      }
      return batch.size();
    }
    if (isReady()) {
      deliver(batch);
      return batch.size();
    }
    raw.poll(batch);
    demultiplexer.translate(batch);
    SharedEndpoint open = endpoints.current;
    if (open != null) {
      receives.postWaiting();
      open.control.poll();
    }
    connections.poll();
    endpoints.poll();
    for (int n = arrivals.size(); n > 0; n--) {
      arrivals.poll().run();
    }
    deliver(batch);
    if (batch.size() == 0) {
      reportDepartures();
    }
    return batch.size();
  }

  boolean isReady() {
    return receives != null && reorder.isReady() || order() != null && order().isReady();
  }

  private void deliver(CompletionBatch batch) {
    if (receives != null) {
      reorder.deliver(batch);
    }
    if (order() != null) {
      order().deliver(batch);
    }
  }

  private CompletionOrder order() {
    return endpoints.current == null ? null : endpoints.current.order;
  }

  private void reportDepartures() {
    // Handlers may add events, which the next poll reports.
    for (int n = departures.size(); n > 0; n--) {
      Departure departure = departures.poll();
      // Messages that the ReorderBuffer holds are delivered first.
      if (departure.connection.ready > 0 && isReady()) {
        departures.add(departure);
      } else {
        departure.event.run();
      }
    }
  }

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
    return arrivals.isEmpty() && departures.isEmpty() && synthetic.isEmpty() && !isReady() && raw.arm();
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    raw.wakeupHandler(handler);
  }

  /** Also counts handshakes, whose messages polls repeat. Does not count operations of ended connections. */
  @Override
  public int unannounced() {
    return Math.max(0, raw.unannounced() - quarantine.oneSided) + connections.awaited.size()
      + (endpoints.current == null ? 0 : endpoints.current.control.waiting.size());
  }

  @Override
  public long deferred() {
    return deferred;
  }

  void fail(ProviderException why) {
    List.copyOf(users).forEach(endpoint -> endpoint.connection.fail(why, true));
  }

  /** Polls for {@link ControlMessage}s. Keeps the completions of the application for the next poll. */
  void pollAside() {
    CompletionBatch batch = new CompletionBatch(64);
    raw.poll(batch);
    demultiplexer.translate(batch);
    for (int i = 0; i < batch.size(); i++) {
      synthetic.add(Completion.of(batch, i));
    }
    endpoints.current.control.poll();
  }

  /** Adds flushed completions for the operations of a closed {@link RdmEndpoint}. */
  void flush(SendTable sends) {
    sends.inFlight().stream().filter(index -> sends.controls[index] == null).forEach(index -> {
      ConnectedEndpoint endpoint = sends.endpoints[index];
      Operation operation = sends.operation(index);
      synthetic.add(Completion.of(sends.userIds[index], operation, endpoint, Status.FLUSHED,
        "the endpoint that several connections share was closed"));
      sends.release(index);
      endpoint.completed(operation);
    });
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (listener != null) {
      listener.close();
    }
    List.copyOf(users).forEach(ConnectedEndpoint::close);
    if (receives != null) {
      receives.close();
    }
    endpoints.close();
    closed = true;
    raw.close();
    domain.queues.remove(this);
  }
}
