package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import java.util.Objects;

final class MsgDomain extends FabricDomain implements Domain {

  MsgDomain(FabricDevice device) {
    super(device);
    WatchedSocket.keepSpare();
  }

  @Override
  public ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    throw new ProviderException(ProviderException.Reason.UNSUPPORTED, device().name()
      + " has no shared receive queues, since a completion would not show from which peer a message came");
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    FabricCompletionQueue own = own(queue);
    Objects.requireNonNull(handler);
    return local == null ? device().listen(address -> new MsgListener(this, own, address, handler))
      : new MsgListener(this, own, local, handler);
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    FabricCompletionQueue own = own(queue);
    options.checkOwnReceives(device().name());
    try (FiInfo info = device().info.copy().source(options.source())) {
      return new MsgEndpoint(this, own, info, options, Objects.requireNonNull(handler));
    }
  }
}
