package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import java.util.HashMap;
import java.util.Map;

/**
 * Connects queue pairs without the connection manager, as containers need that may not use it: each side makes an endpoint with these
 * options, carries the bytes of {@link #export} to the other (by the directory, a socket, a file), and calls {@link Endpoint#connect}
 * with {@link #imported} of what it got and no private data. Both handlers hear connected once the peer's device has acknowledged, so
 * what is sent then finds a queue pair that is ready to receive. InfiniBand and RoCE only.
 *
 * <pre>{@code
 * Endpoint endpoint = domain.createEndpoint(queue, QueuePairExchange.options(new EndpointOptions()), handler);
 * byte[] mine = QueuePairExchange.export(endpoint);   // to the peer
 * endpoint.connect(QueuePairExchange.imported(theirs), new byte[0]);
 * }</pre>
 *
 * <p>Nothing tells a peer that the other is gone: {@link Endpoint#disconnect} is not heard there, a post that fails is.
 */
public final class QueuePairExchange {
  /** Format of the addresses. */
  public static final String FORMAT = "verbs-qp";

  private QueuePairExchange() {
  }

  /** The same options, for an endpoint that connects by exchange: the setting {@code verbs.connect=exchange}. */
  public static EndpointOptions options(EndpointOptions options) {
    Map<String, String> settings = new HashMap<>(options.settings());
    settings.put("verbs.connect", "exchange");
    return new EndpointOptions(options.sendDepth(), options.receiveDepth(), options.scatterGather(), options.inlineSize(),
      options.receiveQueue(), options.source(), options.connectTimeoutMillis(), settings);
  }

  /** What the peer must get: about 40 bytes, good for this endpoint and one connection. */
  public static byte[] export(Endpoint endpoint) {
    EndpointAddress address = endpoint.localAddress();
    if (address == null || !address.format().equals(FORMAT)) {
      throw new IllegalArgumentException("the endpoint was not made with QueuePairExchange.options");
    }
    return address.bytes();
  }

  /** What the peer exported, as an address to connect to. */
  public static EndpointAddress imported(byte[] bytes) {
    return EndpointAddress.of(FORMAT, bytes);
  }
}
