package io.github.vertxrdma.impl.opening;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Reservation;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkRole;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import java.util.function.Function;

/** Makes outgoing links. */
public final class LinkConnector {
  private LinkConnector() {
  }

  /**
   * Connects; on the loop.
   *
   * @param service name of what is wanted of the acceptor
   * @param data private data for it, at most 2,048 bytes
   * @param opener makes what stands on the open link and sets its handler; called on the loop
   */
  public static <T> Future<T> connect(DeviceLoop loop, EndpointAddress remote, LinkIdentity identity, String service, byte[] data,
    int timeoutMillis, Function<Link, T> opener) {
    try {
      loop.checkOpen();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
    return loop.budget.handshake().compose(reserved -> start(loop, remote, reserved,
      new ConnectorOpening<>(loop, null, identity, LinkRole.connector(service), data, timeoutMillis, opener), timeoutMillis));
  }

  private static <T> Future<T> start(DeviceLoop loop, EndpointAddress remote, Reservation reserved, ConnectorOpening<T> opening,
    int timeoutMillis) {
    try {
      Openings.make(opening, reserved, () -> loop.domain.createEndpoint(loop.queue, loop.endpointOptions(timeoutMillis), opening.stream));
      opening.begin();
      opening.stream.endpoint().connect(remote, opening.request());
      opening.stream.waker.call();
    } catch (RuntimeException e) {
      opening.stream.fail(e);
      opening.failed(e);
    }
    return opening.future();
  }
}
