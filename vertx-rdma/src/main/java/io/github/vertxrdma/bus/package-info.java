/**
 * Services that exchange messages of the event bus over a fabric: requests with replies, messages and publications, with headers.
 *
 * <p>{@code vertx.deployVerticle("rdma:orders")} offers the consumers of the event bus address {@code orders} of this Vert.x to other
 * nodes, without a clustered event bus. {@code vertx.deployVerticle("rdma:orders?connect")} makes {@code orders} an event bus address of
 * another node. Code can use {@link io.github.vertxrdma.bus.RdmaBusClient} instead. docs/protocol.adoc has the bytes of messages.
 */
@ModuleGen(name = "vertx-rdma-bus", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma.bus;

import io.vertx.codegen.annotations.ModuleGen;
