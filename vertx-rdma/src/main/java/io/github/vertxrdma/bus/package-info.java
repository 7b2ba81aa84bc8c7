/**
 * Services with the messages of the event bus: requests with replies, messages and publications, with headers and failures.
 *
 * <p>{@code vertx.deployVerticle("rdma:orders")} offers the consumers of the event bus address {@code orders} of this Vert.x to other
 * nodes, over the fabric and without a clustered event bus. {@code vertx.deployVerticle("rdma:orders?connect")} makes {@code orders} an
 * event bus address of another node. Code can use {@link io.github.vertxrdma.bus.RdmaBusClient} instead.
 *
 * <h2>Wire format</h2>
 *
 * <p>Both ends exchange messages of a connection. The connector's private data are {@code bus/} and the lowest and highest version that it
 * supports, in ASCII: {@code bus/2-2}. The service has the same text in its metadata, as {@code protocol}; both use the highest common
 * version. A message is, big endian:
 *
 * <pre>
 *  0  kind        1 byte    1 send, 2 publish, 3 request, 4 reply, 5 failure, 6 drain; + 16 if headers follow
 *  1  type        1 byte    of the body, see below
 *  2  answers     4 bytes   reply and failure: the id of the answered request, otherwise 0
 *  6  id          4 bytes   of a request, or of a reply that requests a reply, otherwise 0
 * 10  timeout     4 bytes   of that request, in milliseconds
 * 14  headers     if the kind has the flag: number (2 bytes), then for each name and value length (4 bytes) and UTF-8
 *     body        the rest of the message
 * </pre>
 *
 * <p>Types and bodies: 0 null; 1 {@code Buffer} and 2 {@code byte[]}, their bytes; 3 {@code String}, UTF-8; 4 {@code JsonObject} and 5
 * {@code JsonArray}, JSON text in UTF-8; 6 {@code Integer}, 7 {@code Long}, 8 {@code Short}, 9 {@code Byte}, 10 {@code Float}, 11 {@code
 * Double}, 12 {@code Boolean} (one byte), 13 {@code Character}, as {@code DataOutput} writes them.
 *
 * <p>The body of a failure is the type of the {@code ReplyException} (1 byte: 0 timeout, 1 no handlers, 2 recipient failure, 3 error), its
 * code (4 bytes) and its message (UTF-8; type 3, or 0 for none). An undeployed server sends drain: the client sends it no further requests,
 * and closes the connection when those in flight are answered.
 */
@ModuleGen(name = "vertx-rdma-bus", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma.bus;

import io.vertx.codegen.annotations.ModuleGen;
