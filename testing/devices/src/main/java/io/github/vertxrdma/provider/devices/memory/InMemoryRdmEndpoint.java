package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.rdm.AddressVector;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import io.github.vertxrdma.provider.software.RegionTable;
import java.util.HashMap;
import java.util.Map;

/**
 * A datagram endpoint. It can post to any address, and is not notified of the end of peers. Work to one peer completes in the order of the
 * posts, and work to different peers in any order.
 */
final class InMemoryRdmEndpoint implements RdmEndpoint, AddressVector {
  private final InMemoryRdmDomain domain;
  private final InMemoryQueue queue;
  private final Receives receives;
  private final SendQueue.Budget budget;
  private final EndpointAddress address;
  private final Map<Long, Peer> peers = new HashMap<>();
  private long handles;
  private volatile boolean closed;

  InMemoryRdmEndpoint(InMemoryRdmDomain domain, InMemoryQueue queue, EndpointAddress local) {
    this.domain = domain;
    this.queue = queue;
    receives = new Receives(queue, domain, domain.limits().receiveDepth(), this);
    budget = new SendQueue.Budget(Math.min(1024, domain.limits().sendDepth()), domain.limits().readsInFlight());
    address = domain.fabric().bind(local, this);
    queue.adopt(this);
    domain.fabric().endpoints.incrementAndGet();
  }

  /** An entry of the address vector, and the work that is posted to it. */
  final class Peer implements Outlet {
    private final EndpointAddress remote;
    private final SendQueue sends = new SendQueue(queue, InMemoryRdmEndpoint.this, null, budget);
    final Posting posting = new Posting(domain, sends, this, inlineSize(), domain.limits().scatterGather());

    Peer(EndpointAddress remote) {
      this.remote = remote;
    }

    /** Returns the endpoint that has the address now. Null if there is none. */
    InMemoryRdmEndpoint there() {
      return domain.fabric().datagram(remote);
    }

    void complete(Work work, int generation, int status, String error) {
      if (!closed && work.isUse(generation)) {
        sends.complete(work, status, error);
      }
    }

    @Override
    public boolean usable() {
      return !closed;
    }

    @Override
    public Way way() {
      InMemoryRdmEndpoint there = there();
      return new Way(domain.fabric(), domain.number, there == null ? -1 : there.domain.number, this);
    }

    @Override
    public RegionTable<InMemoryRegion> target() {
      InMemoryRdmEndpoint there = there();
      return there == null ? null : there.domain.regions();
    }

    @Override
    public Message message(Work work, Source data, long immediate, boolean hasImmediate, boolean write) {
      return new Datagram(InMemoryRdmEndpoint.this, this, work, data, immediate, hasImmediate, write);
    }

    @Override
    public boolean hand(Message message) {
      return ((Datagram) message).hand();
    }

    @Override
    public void arrive(Message message) {
      if (!message.arriveAtOnce()) {
        message.bounce();
      }
    }

    @Override
    public boolean live() {
      return !closed;
    }

    @Override
    public InMemoryQueue queue() {
      return queue;
    }

    @Override
    public void done(Operation operation) {
    }

    @Override
    public void failed(String why) {
      // A refused key does not end a datagram endpoint.
    }
  }

  InMemoryQueue queue() {
    return queue;
  }

  void arrived(Datagram datagram) {
    Capabilities capabilities = domain.capabilities();
    if (closed) {
      datagram.bounce();
    } else if (datagram.write && !capabilities.immediateConsumesReceive()) {
      Entry entry = queue.completion(-1, Operation.REMOTE_WRITE, null, this, 0);
      entry.hasImmediate = true;
      entry.immediate = datagram.immediate;
      datagram.delivered();
    } else {
      receives.arrived(datagram);
      if (capabilities.noReceive() == Capabilities.NoReceive.BUFFERS) {
        datagram.acknowledge();
      }
    }
  }

  @Override
  public long insert(EndpointAddress remote) {
    if (!remote.format().equals(EndpointAddress.STRING)) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE, domain.device().name() + ": " + remote
        + " is not an address of this fabric");
    }
    peers.put(handles, new Peer(remote));
    return handles++;
  }

  @Override
  public void remove(long peer) {
    Peer removed = peers.remove(peer);
    if (removed != null) {
      removed.posting.drop();
    }
  }

  @Override
  public CompletionQueue completionQueue() {
    return queue;
  }

  @Override
  public EndpointAddress localAddress() {
    return address;
  }

  @Override
  public AddressVector addressVector() {
    return this;
  }

  @Override
  public int inlineSize() {
    return domain.limits().inlineSize();
  }

  @Override
  public int sendDepth() {
    return budget.depth;
  }

  @Override
  public int receiveDepth() {
    return receives.capacity();
  }

  @Override
  public int postReceive(long requestId, MemoryRegion region, long offset, int length) {
    return closed ? Status.NOT_CONNECTED : receives.post(requestId, region, offset, length);
  }

  @Override
  public int post(long peer, WorkRequest request) {
    Peer known = peers.get(peer);
    if (known == null) {
      throw new IllegalArgumentException("no peer " + peer + " in the address vector");
    }
    return known.posting.post(request);
  }

  @Override
  public int flush() {
    if (closed) {
      return Status.NOT_CONNECTED;
    }
    for (Peer peer : peers.values()) {
      peer.posting.flush();
    }
    return Status.OK;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    peers.values().forEach(peer -> peer.posting.drop());
    domain.fabric().unbind(address, this);
    receives.discard();
    queue.forget(this);
    queue.abandon(this);
    domain.fabric().endpoints.decrementAndGet();
  }
}
