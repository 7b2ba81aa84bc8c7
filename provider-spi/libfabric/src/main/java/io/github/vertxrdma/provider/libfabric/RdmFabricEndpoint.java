package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.rdm.AddressVector;
import io.github.vertxrdma.provider.rdm.RdmEndpoint;

final class RdmFabricEndpoint implements RdmEndpoint, EventQueue.Sink {
  private static final System.Logger LOG = System.getLogger(RdmFabricEndpoint.class.getName());

  private final RdmFabricDomain domain;
  private final FabricCompletionQueue queue;
  private final Fid ep;
  private final FabricAddressVector vector;
  private final PostOwner sends;
  private final PostOwner receives;
  private final Poster poster;
  private final EndpointAddress local;
  private boolean failureLogged;
  private boolean closed;

  RdmFabricEndpoint(RdmFabricDomain domain, FabricCompletionQueue queue, FiInfo info) {
    this.domain = domain;
    this.queue = queue;
    Libfabric library = domain.library;
    EndpointAddress wanted = info.source();
    String what = domain.device().name() + ": making an endpoint" + (wanted == null ? "" : " on " + wanted);
    sends = new PostOwner(null, domain.limits().sendDepth());
    receives = new PostOwner(null, domain.limits().receiveDepth());
    vector = new FabricAddressVector(domain);
    Fid opened = null;
    try {
      opened = domain.openEndpoint(info, queue.fid, vector.fid, queue.events == null ? null : queue.events.fid);
      domain.bind(opened, queue.fid, what);
      domain.enable(opened, vector.fid, queue.events, what);
      if (domain.endpointMemory != null) {
        domain.endpointMemory.opened(opened);
      }
    } catch (ProviderException e) {
      if (opened != null) {
        opened.close();
      }
      vector.close();
      throw e.errno() == 0 ? e : FabricErrors.exception(library, e.errno(), what);
    }
    ep = opened;
    local = domain.nameOf(ep, Structs.EP_CM, info.addressFormat());
    poster = new Poster(domain, queue, ep, 0, domain.limits().inlineSize(), domain.limits().scatterGather());
    queue.members.add(this);
    if (queue.events != null) {
      queue.events.others(this);
    }
  }

  @Override
  public void event(int event, long info, byte[] data) {
    // Connectionless endpoints have no connection events.
  }

  /** Logs an error of an operation that the provider itself started. Such an error names no peer. */
  @Override
  public void failed(int errno, String words, byte[] data) {
    LOG.log(failureLogged ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
      "{0}: an operation of the provider at {1} failed: {2}. Operations to its peer may not complete.", domain.device().name(), local,
      words);
    failureLogged = true;
  }

  @Override
  public CompletionQueue completionQueue() {
    return queue;
  }

  @Override
  public EndpointAddress localAddress() {
    return local;
  }

  @Override
  public AddressVector addressVector() {
    return vector;
  }

  @Override
  public int inlineSize() {
    return poster.inlineSize;
  }

  @Override
  public boolean sendsSilently() {
    return domain.sendsSilently();
  }

  @Override
  public int sendDepth() {
    return domain.limits().sendDepth();
  }

  @Override
  public int receiveDepth() {
    return domain.limits().receiveDepth();
  }

  @Override
  public int postReceive(long requestId, MemoryRegion region, long offset, int length) {
    return receives.hasRoom() ? poster.receive(receives, requestId, region, offset, length) : Status.AGAIN;
  }

  @Override
  public int post(long peer, WorkRequest request) {
    long to = vector.find(peer);
    return to == Fi.ADDR_UNSPEC ? Status.NOT_CONNECTED : poster.post(sends, to, request);
  }

  @Override
  public int flush() {
    return poster.flush();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    poster.close();
    queue.members.remove(this);
    if (queue.events != null) {
      queue.events.others(null);
    }
    if (domain.endpointMemory != null) {
      domain.endpointMemory.closed(ep);
    }
    ep.close();
    queue.orphan(sends);
    queue.orphan(receives);
    vector.close();
  }
}
