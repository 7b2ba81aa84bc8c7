package io.github.vertxrdma.bus;

import io.github.vertxrdma.FabricChoice;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;

/**
 * A client of a service that a verticle {@code rdma:name} offers: what is sent here reaches the consumers of the event-bus address
 * there. Bodies are {@code Buffer}, {@code byte[]}, {@code String}, {@code JsonObject}, {@code JsonArray}, boxed primitives and null;
 * headers go with them. Large buffers are not copied before they are handed to the fabric: leave them unchanged until the future completes.
 *
 * <p>It uses one instance of the service at a time. When that is undeployed, requests under way are still answered and later ones go to
 * another; when it dies, requests under way fail at once with a {@code RdmaException} that says who and why, and the next message connects
 * anew. Meanwhile messages wait, up to {@link RdmaBusClientOptions#getMaxOutstanding}.
 *
 * <p>Methods may be called from any thread; futures complete on the caller's context.
 */
@VertxGen
public interface RdmaBusClient {

  /** The service's name. */
  String service();

  /** Sends a request with the event bus's default timeout of 30 s. */
  default <T> Future<Message<T>> request(Object body) {
    return request(body, new DeliveryOptions());
  }

  /**
   * Sends a request to one consumer.
   *
   * @param options headers, timeout and tracing policy; a codec and {@code localOnly} are refused
   * @return the reply, which can be replied to where its consumer asked for that. Fails with {@code ReplyException} as the event bus
   *   does: no handlers, timeout, or the consumer's own failure with its code; with {@code RdmaException} if there is no connection, or it
   *   broke: whether the consumer had the request is then unknown
   */
  <T> Future<Message<T>> request(Object body, DeliveryOptions options);

  /** Sends a message to one consumer. */
  default Future<Void> send(Object body) {
    return send(body, new DeliveryOptions());
  }

  /** Sends a message to one consumer. @return completes when it was handed to the fabric, which says nothing of the consumer */
  Future<Void> send(Object body, DeliveryOptions options);

  /** Sends a message to all consumers of the node that serves the instance in use. */
  default Future<Void> publish(Object body) {
    return publish(body, new DeliveryOptions());
  }

  /** Sends a message to all consumers of the node that serves the instance in use. @return completes when it was handed to the fabric */
  Future<Void> publish(Object body, DeliveryOptions options);

  /** The fabric of the present connection, or of the last one, and why. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  FabricChoice fabric();

  /** The node of the present connection, or of the last one. */
  String remoteNodeId();

  /** Closes, after the requests under way were answered or their time is over. */
  Future<Void> close();
}
