package io.github.vertxrdma.provider;

import java.util.Map;

/**
 * Options of an endpoint. Sizes are requests: a device may provide less, never more work requests than fit.
 *
 * @param sendDepth outstanding work requests
 * @param receiveDepth receives posted on its own receive queue; of a shared one those that its peer may use, until {@link Endpoint#granted}
 * @param scatterGather elements per list
 * @param inlineSize bytes to send inline
 * @param receiveQueue the shared receive queue, null for its own
 * @param source local address to connect from, null for any
 * @param connectTimeoutMillis maximum time for connecting or accepting
 * @param settings a provider's own settings ({@code verbs.service-level}, …); unknown ones are ignored
 */
public record EndpointOptions(
  int sendDepth,
  int receiveDepth,
  int scatterGather,
  int inlineSize,
  ReceiveQueue receiveQueue,
  EndpointAddress source,
  int connectTimeoutMillis,
  Map<String, String> settings) {

  /** Creates the default options: 128 sends, 128 receives, 4 elements, 64 bytes inline, its own receive queue, 10 s to connect. */
  public EndpointOptions() {
    this(128, 128, 4, 64, null, null, 10_000, Map.of());
  }

  public EndpointOptions {
    settings = Map.copyOf(settings);
  }

  public EndpointOptions withDepths(int send, int receive) {
    return new EndpointOptions(send, receive, scatterGather, inlineSize, receiveQueue, source, connectTimeoutMillis, settings);
  }

  public EndpointOptions withReceiveQueue(ReceiveQueue queue) {
    return new EndpointOptions(sendDepth, receiveDepth, scatterGather, inlineSize, queue, source, connectTimeoutMillis, settings);
  }

  public EndpointOptions withInlineSize(int bytes) {
    return new EndpointOptions(sendDepth, receiveDepth, scatterGather, bytes, receiveQueue, source, connectTimeoutMillis, settings);
  }

  public EndpointOptions withSource(EndpointAddress address) {
    return new EndpointOptions(sendDepth, receiveDepth, scatterGather, inlineSize, receiveQueue, address, connectTimeoutMillis,
      settings);
  }

  public EndpointOptions withConnectTimeoutMillis(int millis) {
    return new EndpointOptions(sendDepth, receiveDepth, scatterGather, inlineSize, receiveQueue, source, millis, settings);
  }
}
