package io.github.vertxrdma.provider;

import java.util.Map;

/**
 * Options of an endpoint. A device may provide less than requested.
 *
 * @param receiveDepth maximum posted receives; with a shared queue those that the peer may use
 * @param scatterGather maximum memory ranges of one operation
 * @param receiveQueue shared receive queue; null for a separate one
 * @param source local address to connect from; null for any
 * @param settings settings of the provider. Unknown ones are ignored
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

  /** Checks options for a device without shared receive queues. @throws ProviderException {@code UNSUPPORTED} if they name one */
  public void checkOwnReceives(String device) {
    if (receiveQueue != null) {
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED,
        device + " has no shared receive queues. Create the endpoint without one");
    }
  }
}
