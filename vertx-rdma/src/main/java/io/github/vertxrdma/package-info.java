/**
 * RDMA for Vert.x. Start with {@link io.github.vertxrdma.Rdma}.
 *
 * <p><b>Contexts.</b> Methods may be called from any thread. Futures and handlers of a connection run on its context: the one that
 * connected or called {@code listen}. Other futures complete on the caller's context. Other handlers run on the context that created their
 * object, or set the handler where documented.
 *
 * <p><b>Failures.</b> Invalid arguments (null, a negative size, contradicting options) and repeated calls that are always errors throw
 * immediately. All other errors, including a closed {@code Rdma}, fail the future.
 */
@ModuleGen(name = "vertx-rdma", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma;

import io.vertx.codegen.annotations.ModuleGen;
