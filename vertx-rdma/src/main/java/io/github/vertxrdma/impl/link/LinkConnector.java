package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

public final class LinkConnector {
  private static final int MIN_REPEATED_MILLIS = 1_000;

  private LinkConnector() {
  }

  /**
   * Connects to a listener. Called on the event loop. Within the timeout, retries if the fabric gives up early (iWARP after 10 s of
   * silence) or this node rejoined its cluster with a new epoch.
   *
   * @param data private data, at most 2,048 bytes
   * @param opener creates the owner of the link, which sets the link's handler; called on the event loop
   */
  public static <T> Future<T> connect(DeviceLoop loop, EndpointAddress remote, LinkIdentity identity, String service, byte[] data,
    int timeoutMillis, Function<Link, T> opener) {
    try {
      loop.checkOpen();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    long began = loop.host.nanoTime();
    long epoch = identity.self().get().epoch();
    LinkRole role = new LinkRole(true, false, service, null);
    return loop.prepareEndpoint(Connecting.LISTENER, timeoutMillis).compose(slots -> start(loop, remote, slots,
      new ConnectorOpening<>(loop, null, identity, role, data, timeoutMillis, opener), timeoutMillis)).recover(cause -> {
        int took = (int) TimeUnit.NANOSECONDS.toMillis(loop.host.nanoTime() - began);
        boolean again = isSilence(cause) && took >= MIN_REPEATED_MILLIS || identity.self().get().epoch() != epoch;
        return again && took < timeoutMillis
          ? connect(loop, remote, identity, service, data, timeoutMillis - took, opener) : Future.failedFuture(cause);
      });
  }

  private static boolean isSilence(Throwable cause) {
    return cause.getCause() instanceof ProviderException fabric && fabric.reason() == ProviderException.Reason.TIMEOUT;
  }

  private static <T> Future<T> start(DeviceLoop loop, EndpointAddress remote, int slots, ConnectorOpening<T> opening, int timeoutMillis) {
    try {
      opening.stream.open(slots, () -> loop.domain.createEndpoint(loop.queue, loop.endpointOptions(timeoutMillis), opening.stream));
      opening.begin();
      opening.connect(remote);
    } catch (RuntimeException e) {
      opening.stream.fail(e);
      opening.failed(e);
    }
    return opening.future();
  }
}
