/**
 * RDMA for Vert.x: {@link io.github.vertxrdma.Rdma} is where it starts.
 *
 * <p><b>Contexts.</b> Methods may be called from any thread. Futures and handlers of a connection run on its context: the one that
 * connected it, or that called {@code listen}. All other futures complete on the context of the caller, and all other handlers run on the
 * context that made what has them, or set them where that says so.
 *
 * <p><b>Failures.</b> Arguments that no state of the world makes right (null, a negative size, options that exclude each other), and what
 * is called twice where that cannot be meant, throw at once. Whatever else goes wrong, a closed {@code Rdma} included, fails the future.
 */
@ModuleGen(name = "vertx-rdma", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma;

import io.vertx.codegen.annotations.ModuleGen;
