/**
 * Services that speak as the event bus does: requests with replies, messages and publications, with headers and failures.
 *
 * <p>{@code vertx.deployVerticle("rdma:orders")} offers the consumers of the event-bus address {@code orders} of this Vert.x to others,
 * over the fabric and without a clustered event bus; {@code vertx.deployVerticle("rdma:orders?connect")} there makes {@code orders} an
 * address of that Vert.x, and {@link io.github.vertxrdma.bus.RdmaBusClient} does the same from code.
 *
 * <h2>What goes over the wire</h2>
 *
 * <p>Both ends exchange messages of a connection. The connector's private data are the five bytes {@code bus/1}. A message is, big endian:
 *
 * <pre>
 *  0  kind        1 byte    1 send, 2 publish, 3 request, 4 reply, 5 failure, 6 drain; + 16 if headers follow
 *  1  type        1 byte    of the body, see below
 *  2  answers     4 bytes   reply and failure: the id of the request that is answered, else 0
 *  6  id          4 bytes   of a request, or of a reply that wants a reply; 0 where none is wanted
 * 10  timeout     4 bytes   milliseconds after which nobody waits for the answer any more; 0 where none is wanted
 * 14  headers     if the kind says so: number (2 bytes), then for each name and value length (4 bytes) and UTF-8
 *     body        the rest of the message
 * </pre>
 *
 * <p>Types and bodies: 0 null; 1 {@code Buffer} and 2 {@code byte[]}, their bytes; 3 {@code String}, UTF-8; 4 {@code JsonObject} and
 * 5 {@code JsonArray}, JSON text in UTF-8; 6 {@code Integer}, 7 {@code Long}, 8 {@code Short}, 9 {@code Byte}, 10 {@code Float},
 * 11 {@code Double}, 12 {@code Boolean} (one byte), 13 {@code Character}, as {@code DataOutput} writes them.
 *
 * <p>The body of a failure is the type of the {@code ReplyException} (1 byte: 0 timeout, 1 no handlers, 2 recipient failure, 3 error), its
 * code (4 bytes) and its message (UTF-8; type 3, or 0 for none). A server that is undeployed says drain: the client sends it no more
 * requests, and closes the connection when those under way are answered.
 */
@ModuleGen(name = "vertx-rdma-bus", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma.bus;

import io.vertx.codegen.annotations.ModuleGen;
