package io.github.vertxrdma.bus;

import io.github.vertxrdma.FabricChoice;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;

/**
 * Client of a service that a verticle {@code rdma:name} offers. Messages are delivered to the consumers of the service's event bus address
 * on that node. Bodies are {@code Buffer}, {@code byte[]}, {@code String}, {@code JsonObject}, {@code JsonArray}, boxed primitives and
 * null, with headers. Large buffers are not copied: do not change them until the future completes.
 *
 * <p>The client uses one instance of the service at a time. An undeployed instance still answers pending requests; later requests go to
 * another instance. When the instance dies, pending requests fail immediately, and the next message connects to another instance. Meanwhile
 * at most {@link RdmaBusClientOptions#getMaxOutstanding} messages wait; further ones fail.
 *
 * <p>Methods may be called from any thread. Futures complete on the caller's context.
 */
@VertxGen
public interface RdmaBusClient {

  String service();

  /** Sends a request with the event bus's default timeout of 30 s. */
  default <T> Future<Message<T>> request(Object body) {
    return request(body, new DeliveryOptions());
  }

  /**
   * Sends a request to one consumer.
   *
   * @param options headers, timeout and tracing policy; a codec and {@code localOnly} are refused
   * @return the reply. If the consumer sent it with {@code replyAndRequest}, it can be replied to. Fails with {@code ReplyException} as on
   * the event bus, or with {@code RdmaException} if there is no connection or it failed; the consumer may have received the request
   */
  <T> Future<Message<T>> request(Object body, DeliveryOptions options);

  default Future<Void> send(Object body) {
    return send(body, new DeliveryOptions());
  }

  /**
   * Sends a message to one consumer.
   *
   * @return completes when the network device has taken the message. The consumer may not have received it
   */
  Future<Void> send(Object body, DeliveryOptions options);

  default Future<Void> publish(Object body) {
    return publish(body, new DeliveryOptions());
  }

  /** Sends a message to all consumers of the connected node. Completes like {@link #send}. */
  Future<Void> publish(Object body, DeliveryOptions options);

  /** Returns the fabric of the current or last connection. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  FabricChoice fabric();

  /** Returns the node of the current or last connection. */
  String remoteNodeId();

  /** Closes when pending requests are answered, or after {@link RdmaBusClientOptions#getDrainTimeout}. */
  Future<Void> close();
}
