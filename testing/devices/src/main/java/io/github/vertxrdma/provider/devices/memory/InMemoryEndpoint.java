package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.SoftwareEndpoint;

final class InMemoryEndpoint extends SoftwareEndpoint implements Posting.Owner {
  private static final byte[] NOTHING = {};

  final InMemoryDomain domain;
  final InMemoryQueue queue;
  private final Deliveries deliveries;
  private final Posting posting;
  /** True if the endpoint connects by an exchange of addresses. Its peer is not notified of the end. */
  private final boolean exchanged;
  /** Set before the state becomes connected. */
  private InMemoryEndpoint peer;
  private boolean peerDisconnected;
  /** True after the end. Also read by the peer's thread. */
  private volatile boolean ended;

  InMemoryEndpoint(InMemoryDomain domain, InMemoryQueue queue, EndpointOptions options, EndpointHandler handler, boolean exchanged) {
    super(queue, options, handler);
    this.domain = domain;
    this.queue = queue;
    this.exchanged = exchanged;
    deliveries = new Deliveries(domain, queue, receiveQueue(), this);
    posting = new Posting(domain, this, new Posting.Budget());
    InMemoryFabric fabric = domain.fabric();
    addresses(exchanged ? fabric.exchange(this) : options.source() != null ? options.source() : fabric.ephemeral(), null);
    fabric.opened(this);
  }

  private void notify(InMemoryEndpoint from, Courier.Cargo cargo, Arrival task) {
    from.pathTo(domain).carry(cargo, queue, task);
  }

  ParcelPath pathTo(InMemoryDomain other) {
    return new ParcelPath(domain.fabric(), domain.number, other.number, this);
  }

  @Override
  public void connect(EndpointAddress to, byte[] privateData) {
    checkConnect(to, privateData);
    if (exchanged) {
      exchange(to, privateData);
      return;
    }
    connecting(to);
    InMemoryListener listener = domain.fabric().listeners.get(to);
    if (listener == null) {
      refused();
    } else if (domain.fabric().isCut(domain, listener.domain)) {
      fail(Reason.UNREACHABLE, "a test has cut the connection to " + to);
    } else {
      new InMemoryRequest(this, listener, privateData.clone()).send();
    }
  }

  private void exchange(EndpointAddress to, byte[] privateData) {
    if (!to.format().equals(InMemoryFabric.EXCHANGED)) {
      throw new ProviderException(Reason.INVALID, to + " is not the localAddress() of an exchanged endpoint");
    }
    if (privateData.length > 0) {
      throw new ProviderException(Reason.UNSUPPORTED, "connecting by exchange carries no private data");
    }
    connecting(to);
    InMemoryEndpoint other = domain.fabric().exchanged.get(to);
    if (other != null) {
      other.notify(this, Courier.Cargo.CONNECTION, () -> other.peerConnects(this));
    }
  }

  /** Called when the peer of an exchange connects. If this endpoint has not connected, its own connect calls the peer. */
  private void peerConnects(InMemoryEndpoint connector) {
    if (isUnderWay() && connector.localAddress().equals(remoteAddress())) {
      connector.notify(this, Courier.Cargo.CONNECTION, () -> connector.exchangeCompleted(this));
      exchangeCompleted(connector);
    }
  }

  private void exchangeCompleted(InMemoryEndpoint other) {
    if (state() == EndpointState.CONNECTING) {
      connected(other, NOTHING);
    }
  }

  void refused() {
    if (state() == EndpointState.CONNECTING) {
      fail(Reason.REFUSED, "no process listens at " + remoteAddress());
    }
  }

  void acceptable(EndpointAddress local, EndpointAddress remote) {
    addresses(local, remote);
  }

  void accept(InMemoryEndpoint connector, byte[] data) {
    peer = connector;
    connecting(connector.localAddress());
    pathTo(connector.domain).carry(Courier.Cargo.CONNECTION, connector.queue, new Acceptance(connector, this, data));
  }

  private record Acceptance(InMemoryEndpoint connector, InMemoryEndpoint acceptor, byte[] data) implements Arrival {
    @Override
    public void arrive() {
      connector.accepted(acceptor, data);
    }

    @Override
    public void bounce() {
      acceptor.notify(connector, Courier.Cargo.END, acceptor::peerDisconnected);
    }
  }

  private void accepted(InMemoryEndpoint acceptor, byte[] data) {
    if (state() != EndpointState.CONNECTING) {
      acceptor.notify(this, Courier.Cargo.END, acceptor::peerDisconnected);
      return;
    }
    connected(acceptor, data);
    acceptor.notify(this, Courier.Cargo.CONNECTION, () -> {
      if (acceptor.state() == EndpointState.CONNECTING) {
        acceptor.connected(this, NOTHING);
      } else {
        notify(acceptor, Courier.Cargo.END, this::peerDisconnected);
      }
    });
  }

  private void connected(InMemoryEndpoint other, byte[] data) {
    peer = other;
    connected(domain.limits().readsInFlight(), data);
    endIfCut();
  }

  /** Ends the connection if {@link InMemoryFabric#cut} has separated its nodes. */
  void endIfCut() {
    if (state() == EndpointState.CONNECTED && domain.fabric().isCut(domain, peer.domain)) {
      peerDisconnected();
    }
  }

  private boolean isUnderWay() {
    return state() == EndpointState.CONNECTING || state() == EndpointState.CONNECTED;
  }

  private void peerDisconnected() {
    if (isUnderWay()) {
      peerDisconnected = true;
      fail(Reason.DISCONNECTED, "the peer disconnected");
    }
  }

  void broke(String why) {
    if (state() == EndpointState.CONNECTED) {
      fail(Reason.OTHER, why);
    }
  }

  @Override
  protected void sendDisconnect() {
    disconnectSent();
  }

  @Override
  protected void release(String reason) {
    ended = true;
    posting.end(reason);
    deliveries.close();
    InMemoryEndpoint other = peer;
    if (other != null && !exchanged && !peerDisconnected) {
      other.notify(this, Courier.Cargo.END, other::peerDisconnected);
    }
    queue.wake();
  }

  @Override
  protected void closed() {
    if (exchanged) {
      domain.fabric().exchanged.remove(localAddress(), this);
    }
    domain.fabric().closed(this);
  }

  @Override
  public int post(WorkRequest request) {
    return posting.post(request);
  }

  @Override
  public int flush() {
    if (state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    posting.flush();
    return Status.OK;
  }

  @Override
  protected int waiting() {
    return posting.size();
  }

  @Override
  public int check(WorkRequest request, int flags, int waiting) {
    if (exchanged && peer != null && peer.ended) {
      peerDisconnected();
    }
    if (!isOpen()) {
      return Status.NOT_CONNECTED;
    }
    return domain.capabilities().can(request.operation()) ? check(request, flags, waiting, InMemoryRemote.class) : Status.UNSUPPORTED;
  }

  @Override
  public ParcelPath path() {
    return pathTo(peer.domain);
  }

  @Override
  public ParcelPath pathBack() {
    return peer.pathTo(domain);
  }

  @Override
  public Deliveries target() {
    return peer.deliveries;
  }

  @Override
  public boolean isOpen() {
    return state() == EndpointState.CONNECTED;
  }

  @Override
  public InMemoryQueue queue() {
    return queue;
  }

  @Override
  public void ended(Posted posted) {
    WorkRequest request = posted.request();
    if (posted.status() == Status.OK) {
      succeeded(request.id(), request.operation(), posted.isSignaled(), request.length());
    } else {
      failed(request.id(), request.operation(), posted.status(), posted.error());
    }
    queue.wake();
  }

  @Override
  public void bounced(Message message) {
    notify(peer, Courier.Cargo.END, this::peerDisconnected);
  }

  @Override
  public void failed(String why) {
    broke(why);
  }
}
