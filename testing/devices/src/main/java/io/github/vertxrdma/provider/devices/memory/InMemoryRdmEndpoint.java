package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.rdm.AddressVector;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;
import io.github.vertxrdma.provider.software.SoftwareReceives;
import java.util.HashMap;
import java.util.Map;

/**
 * A connectionless endpoint. It posts to any address, and is not notified when a peer closes. Only operations to one peer keep their order.
 */
final class InMemoryRdmEndpoint implements RdmEndpoint, AddressVector {
  private final InMemoryDomain domain;
  private final InMemoryQueue queue;
  private final SoftwareReceives receives;
  private final Deliveries deliveries;
  private final Posting.Budget budget = new Posting.Budget();
  private final EndpointAddress address;
  private final Map<Long, Peer> peers = new HashMap<>();
  private long handles;
  private boolean closed;

  InMemoryRdmEndpoint(InMemoryDomain domain, InMemoryQueue queue, EndpointAddress local) {
    this.domain = domain;
    this.queue = queue;
    receives = domain.newReceives(queue, domain.limits().receiveDepth(), null);
    deliveries = new Deliveries(domain, queue, receives, null);
    address = domain.fabric().bind(domain.fabric().datagrams, local, this);
    domain.fabric().endpoints.incrementAndGet();
  }

  private final class Peer implements Posting.Owner {
    private final EndpointAddress remote;
    private final Posting posting = new Posting(domain, this, budget);

    Peer(EndpointAddress remote) {
      this.remote = remote;
    }

    private InMemoryRdmEndpoint there() {
      return domain.fabric().datagrams.get(remote);
    }

    @Override
    public int check(WorkRequest request, int flags, int waiting) {
      if (closed || !domain.capabilities().can(request.operation())) {
        return closed ? Status.NOT_CONNECTED : Status.UNSUPPORTED;
      }
      return domain.check(request, flags, inlineSize(), domain.limits().scatterGather(), waiting >= sendDepth(), InMemoryRemote.class);
    }

    @Override
    public ParcelPath path() {
      InMemoryRdmEndpoint there = there();
      return new ParcelPath(domain.fabric(), domain.number, there == null ? -1 : there.domain.number, this);
    }

    @Override
    public ParcelPath pathBack() {
      return path().back();
    }

    @Override
    public Deliveries target() {
      InMemoryRdmEndpoint there = there();
      return there == null ? null : there.deliveries;
    }

    @Override
    public boolean isOpen() {
      return !closed;
    }

    @Override
    public InMemoryQueue queue() {
      return queue;
    }

    @Override
    public void ended(Posted posted) {
      WorkRequest request = posted.request();
      if (posted.status() != Status.OK) {
        queue.completions().fail(request.id(), request.operation(), null, 0, posted.status(), posted.error());
      } else if (posted.isSignaled()) {
        queue.completions().add(request.id(), request.operation(), null, request.length());
      }
      queue.wake();
    }

    @Override
    public void bounced(Message message) {
      message.failed(Status.RETRY_EXCEEDED, "no endpoint answers at the address");
    }

    @Override
    public void failed(String why) {
      // A refused key does not end a datagram endpoint.
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
      removed.posting.release();
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
    return Math.min(1024, domain.limits().sendDepth());
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

  /** Also drops unread completions, which all belong to this endpoint. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    peers.values().forEach(peer -> peer.posting.release());
    domain.fabric().datagrams.remove(address, this);
    deliveries.close();
    queue.completions().clear();
    queue.remove(this);
    domain.fabric().endpoints.decrementAndGet();
  }
}
