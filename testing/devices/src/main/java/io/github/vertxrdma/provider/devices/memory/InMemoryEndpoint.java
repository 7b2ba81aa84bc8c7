package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.AbstractEndpoint;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.RegionTable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A connected endpoint. The state changes on the polling thread only. The peer's thread reads whether the endpoint is connected. This class
 * manages the connection, and {@link Posting} the posts.
 */
final class InMemoryEndpoint extends AbstractEndpoint {
  final InMemoryDomain domain;
  final InMemoryQueue queue;
  final SendQueue sends;
  final Receives receives;
  final Posting posting;
  private final EndpointOptions options;
  private final EndpointHandler handler;
  /** Whether the endpoint is connected by an exchange of addresses. Then the peer is not notified of the end. */
  private final boolean exchanged;
  private volatile EndpointState state = EndpointState.INIT;
  private ProviderException failure;
  private EndpointAddress local;
  private EndpointAddress remote;
  private Runnable timer;
  /** The peer. Set before the state becomes connected. */
  InMemoryEndpoint peer;

  InMemoryEndpoint(InMemoryDomain domain, InMemoryQueue queue, EndpointOptions options, EndpointHandler handler, boolean exchanged) {
    super(queue);
    this.exchanged = exchanged;
    this.domain = domain;
    this.queue = queue;
    this.options = options;
    this.handler = handler;
    sends = new SendQueue(queue, this, this, new SendQueue.Budget(Math.clamp(options.sendDepth(), 1, domain.limits().sendDepth()),
      domain.limits().readsInFlight()));
    receives = options.receiveQueue() != null ? sharedReceives(options.receiveQueue())
      : new Receives(queue, domain, Math.clamp(options.receiveDepth(), 1, domain.limits().receiveDepth()), this);
    local = exchanged ? domain.fabric().exchange(this) : options.source() != null ? options.source() : domain.fabric().ephemeral();
    posting = new Posting(domain, sends, new Connection(), inlineSize(), scatterGather());
    queue.adopt(this);
    domain.fabric().opened(this);
  }

  private static Receives sharedReceives(ReceiveQueue queue) {
    if (queue instanceof Receives shared && shared.shared()) {
      return shared;
    }
    throw new ProviderException(ProviderException.Reason.INVALID, "the receive queue in the endpoint's options is not one of this domain");
  }

  /**
   * Hands an item to this endpoint, on its polling thread. If the queue is closed, the item is dropped: the thread that closes a queue
   * closes its endpoints and notifies their peers.
   *
   * @param teller the other endpoint
   */
  void tell(InMemoryEndpoint teller, Courier.Cargo cargo, Arrival what) {
    teller.wayTo(domain).carry(cargo, queue, what);
  }

  /** Returns the way from this endpoint to a domain. Items of one endpoint stay in order. */
  Way wayTo(InMemoryDomain other) {
    return new Way(domain.fabric(), domain.number, other.number, this);
  }

  private String named() {
    return domain.device().name() + ' ' + local + " to " + remote;
  }

  // Connecting

  @Override
  public void connect(EndpointAddress to, byte[] privateData) {
    if (state != EndpointState.INIT) {
      throw new IllegalStateException(named() + ": connect in state " + state);
    }
    domain.checkPrivateData(privateData);
    if (exchanged) {
      exchange(to, privateData);
      return;
    }
    remote = to;
    state = EndpointState.CONNECTING;
    InMemoryListener listener = domain.fabric().listener(to);
    if (listener != null && domain.fabric().isCut(domain, listener.domain)) {
      refused(ProviderException.Reason.UNREACHABLE, "the way there is cut", null);
      return;
    }
    if (listener == null || !new InMemoryRequest(this, listener, privateData.clone()).send()) {
      refused(ProviderException.Reason.REFUSED, "nobody listens there", null);
      return;
    }
    startTimer();
  }

  private void exchange(EndpointAddress to, byte[] privateData) {
    if (!to.format().equals(InMemoryFabric.EXCHANGED)) {
      throw new ProviderException(ProviderException.Reason.INVALID, to + " is not the address of an endpoint to be connected by exchange");
    }
    if (privateData.length > 0) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED, "connecting by exchange carries no private data");
    }
    remote = to;
    state = EndpointState.CONNECTING;
    startTimer();
    InMemoryEndpoint other = domain.fabric().exchanged(to);
    if (other != null) {
      other.tell(this, Courier.Cargo.CONNECTION, () -> other.probed(this));
    }
  }

  /**
   * Called when the other side of an exchange connects. If this side has connected too, both are connected. Otherwise this side probes the
   * other when it connects.
   */
  private void probed(InMemoryEndpoint prober) {
    if ((state == EndpointState.CONNECTING || state == EndpointState.CONNECTED) && prober.local.equals(remote)) {
      prober.tell(this, Courier.Cargo.CONNECTION, () -> prober.met(this));
      met(prober);
    }
  }

  private void met(InMemoryEndpoint other) {
    if (state == EndpointState.CONNECTING) {
      peer = other;
      connected(new byte[0]);
    }
  }

  private void startTimer() {
    int millis = options.connectTimeoutMillis();
    Arrival late = () -> refused(ProviderException.Reason.TIMEOUT, "the peer did not answer in " + millis + " ms", null);
    Courier courier = domain.fabric().courier();
    if (courier != null) {
      timer = courier.after(domain.number, millis, () -> queue.offer(late));
      return;
    }
    CompletableFuture<Void> clock = new CompletableFuture<Void>().completeOnTimeout(null, millis, TimeUnit.MILLISECONDS);
    clock.thenRun(() -> queue.offer(late));
    timer = () -> clock.cancel(false);
  }

  private void stopTimer() {
    if (timer != null) {
      timer.run();
      timer = null;
    }
  }

  void refused(ProviderException.Reason reason, String why, byte[] data) {
    if (state == EndpointState.CONNECTING) {
      end(new ProviderException(reason, 0, named() + ": " + why, data, null));
    }
  }

  void acceptable(EndpointAddress localAddress, EndpointAddress remoteAddress) {
    local = localAddress;
    remote = remoteAddress;
  }

  void accept(InMemoryEndpoint connector, byte[] data) {
    state = EndpointState.CONNECTING;
    peer = connector;
    startTimer();
    if (!wayTo(connector.domain).carry(Courier.Cargo.CONNECTION, connector.queue, new Acceptance(connector, this, data))) {
      gone();
    }
  }

  /** The answer of the acceptor on its way to the connector. */
  private record Acceptance(InMemoryEndpoint connector, InMemoryEndpoint acceptor, byte[] data) implements Arrival {
    @Override
    public void arrive() {
      connector.accepted(acceptor, data);
    }

    @Override
    public void bounce() {
      acceptor.tell(connector, Courier.Cargo.END, acceptor::gone);
    }
  }

  private void gone() {
    refused(ProviderException.Reason.DISCONNECTED, "the connecting peer went away", null);
  }

  private void accepted(InMemoryEndpoint acceptor, byte[] data) {
    if (state != EndpointState.CONNECTING) {
      acceptor.tell(this, Courier.Cargo.END, acceptor::gone);
      return;
    }
    peer = acceptor;
    connected(data);
    acceptor.tell(this, Courier.Cargo.CONNECTION, () -> {
      if (acceptor.state == EndpointState.CONNECTING) {
        acceptor.connected(new byte[0]);
      } else {
        tell(acceptor, Courier.Cargo.END, this::peerGone);
      }
    });
  }

  private void connected(byte[] data) {
    stopTimer();
    state = EndpointState.CONNECTED;
    queue.event(this, () -> handler.connected(this, data));
    endIfCut();
  }

  /**
   * Ends the connection if its way is cut. Any thread. A thread that cuts a way calls this for all connected endpoints afterwards, and a
   * thread that connects checks for a cut afterwards.
   */
  void endIfCut() {
    if (state == EndpointState.CONNECTED && domain.fabric().isCut(domain, peer.domain)) {
      queue.offer(this::peerGone);
    }
  }

  // The end

  /** Ends the connection: flushes outstanding work, and notifies the handler in the order of completions. */
  private void end(ProviderException cause) {
    state = EndpointState.BROKEN;
    failure = cause;
    stopTimer();
    sends.flush(cause.getMessage());
    posting.drop();
    if (receives.shared()) {
      receives.forget(this);
    } else {
      receives.flush(this, cause.getMessage());
      receives.end();
    }
    queue.event(this, () -> handler.disconnected(this, cause));
  }

  void peerGone() {
    if (state == EndpointState.CONNECTED || state == EndpointState.CONNECTING) {
      end(new ProviderException(ProviderException.Reason.DISCONNECTED, named() + ": the peer disconnected"));
    }
  }

  private void tellPeer() {
    InMemoryEndpoint other = peer;
    if (other != null && !exchanged) {
      other.tell(this, Courier.Cargo.END, other::peerGone);
    }
  }

  /** Ends the connection with an error, as a queue pair does. */
  void broke(String why) {
    if (state == EndpointState.CONNECTED) {
      end(new ProviderException(ProviderException.Reason.OTHER, named() + ": " + why));
      tellPeer();
    }
  }

  @Override
  public void disconnect() {
    if (state == EndpointState.CONNECTED || state == EndpointState.CONNECTING) {
      end(new ProviderException(ProviderException.Reason.DISCONNECTED, named() + ": disconnected by this side"));
      tellPeer();
    }
  }

  @Override
  public void peerDead(String reason) {
    if (state == EndpointState.CONNECTED || state == EndpointState.CONNECTING) {
      end(new ProviderException(ProviderException.Reason.DISCONNECTED, named() + ": the peer is dead: " + reason));
    }
  }

  @Override
  public void close() {
    if (state == EndpointState.CLOSED) {
      return;
    }
    boolean told = state == EndpointState.INIT;
    state = EndpointState.CLOSED;
    stopTimer();
    posting.drop();
    if (!told) {
      tellPeer();
    }
    sends.clear();
    receives.forget(this);
    if (!receives.shared()) {
      receives.end();
    }
    if (exchanged) {
      domain.fabric().unbind(local, this);
    }
    queue.forget(this);
    queue.abandon(this);
    domain.fabric().closed(this);
  }

  /** Carries posts to the peer. */
  private final class Connection implements Outlet {
    @Override
    public boolean usable() {
      if (exchanged && peer != null && (peer.state == EndpointState.BROKEN || peer.state == EndpointState.CLOSED)) {
        peerGone(); // this post detects the end
      }
      return state == EndpointState.CONNECTED;
    }

    @Override
    public Way way() {
      return wayTo(peer.domain);
    }

    @Override
    public RegionTable<InMemoryRegion> target() {
      return peer.domain.regions();
    }

    @Override
    public Message message(Work work, Source data, long immediate, boolean hasImmediate, boolean write) {
      return new InMemoryMessage(InMemoryEndpoint.this, peer, work, data, immediate, hasImmediate, write);
    }

    @Override
    public boolean hand(Message message) {
      return way().carry(Courier.Cargo.MESSAGE, peer.queue, message);
    }

    @Override
    public void arrive(Message message) {
      if (!peer.queue.offer(message)) {
        message.bounce();
      }
    }

    @Override
    public boolean live() {
      return state == EndpointState.CONNECTED;
    }

    @Override
    public InMemoryQueue queue() {
      return queue;
    }

    @Override
    public void done(Operation operation) {
      counters().succeeded(operation);
      if (operation == Operation.WRITE) {
        peer.counters().succeededOnAnyThread(Operation.REMOTE_WRITE);
      }
    }

    @Override
    public void failed(String why) {
      counters().failed();
      broke(why);
    }
  }

  // Effects of the peer's messages, and its answers

  void arrived(InMemoryMessage message) {
    if (state != EndpointState.CONNECTED) {
      message.bounce();
      return;
    }
    Capabilities capabilities = domain.capabilities();
    if (message.write && !capabilities.immediateConsumesReceive()) {
      Entry entry = queue.completion(-1, Operation.REMOTE_WRITE, this, this, 0);
      entry.hasImmediate = true;
      entry.immediate = message.immediate;
      message.delivered();
    } else if (receives.posted() == 0 && capabilities.noReceive() == Capabilities.NoReceive.DISCONNECTS) {
      message.unwanted();
    } else {
      receives.arrived(message);
      if (capabilities.noReceive() == Capabilities.NoReceive.BUFFERS) {
        message.acknowledge();
      }
    }
  }

  void acknowledged(Work work, int generation) {
    if (state == EndpointState.CONNECTED && work.isUse(generation)) {
      counters().succeeded(work.operation);
      sends.complete(work, Status.OK, null);
    }
  }

  void negative(Work work, int generation, int status, String error) {
    if (state == EndpointState.CONNECTED) {
      counters().failed();
      if (work.isUse(generation)) {
        sends.complete(work, status, error);
      }
      broke(error);
    }
  }

  // State and properties

  private int scatterGather() {
    return Math.min(Math.max(1, options.scatterGather()), domain.limits().scatterGather());
  }

  @Override
  public EndpointState state() {
    return state;
  }

  @Override
  public ProviderException failure() {
    return failure;
  }

  @Override
  public ReceiveQueue receiveQueue() {
    return receives;
  }

  @Override
  public EndpointAddress localAddress() {
    return local;
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remote;
  }

  @Override
  public int inlineSize() {
    return Math.min(options.inlineSize(), domain.limits().inlineSize());
  }

  @Override
  public int sendDepth() {
    return sends.depth();
  }

  @Override
  public int readsInFlight() {
    return sends.readLimit();
  }

  @Override
  public int outstanding() {
    return sends.outstanding();
  }

  // Posting

  @Override
  public int post(WorkRequest request) {
    return posting.post(request);
  }

  @Override
  public int flush() {
    if (state != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    posting.flush();
    return Status.OK;
  }
}
