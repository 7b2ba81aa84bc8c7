package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.ProviderException;

/** The short time between an endpoint and its link: an endpoint needs its handler before there can be a link. */
final class LinkEndpoint implements EndpointHandler {
  private final DeviceLoop loop;
  /** Until there is a link. */
  private LinkSetup setup;
  private Link link;

  LinkEndpoint(DeviceLoop loop, LinkSetup setup) {
    this.loop = loop;
    this.setup = setup;
  }

  /** Makes the link and posts its receives from the slots reserved for it. */
  Link link(Endpoint endpoint, Reservation reserved) {
    loop.memory.receiveSlots.unreserve(reserved.slots());
    boolean own = loop.shared() == null;
    Receives receives = own ? new Receives(loop, endpoint.receiveQueue(), 0) : loop.shared();
    int slots = own ? receives.promise(reserved.grant().receives()) : reserved.slots();
    link = new Link(loop, endpoint, receives, own, reserved.grant(), setup);
    setup = null;
    loop.add(link);
    if (!receives.post(slots)) {
      RdmaException cause = new RdmaException(Reason.LIMIT, "the receive queue of " + loop.domain.device().name() + " holds "
        + receives.capacity() + " receives, " + receives.posted() + " are posted and a connection needs " + reserved.grant().receives());
      link.fail(cause);
      throw cause;
    }
    return link;
  }

  /** The endpoint could not be made or started. */
  void failed(RuntimeException cause, Reservation reserved) {
    if (link == null) {
      loop.cancel(reserved);
    } else {
      link.fail(cause);
    }
  }

  @Override
  public void connected(Endpoint endpoint, byte[] privateData) {
    link.connected(endpoint, privateData);
  }

  @Override
  public void disconnected(Endpoint endpoint, ProviderException cause) {
    if (link != null) {
      link.disconnected(endpoint, cause);
    } else {
      setup.failed(cause);
    }
  }
}
