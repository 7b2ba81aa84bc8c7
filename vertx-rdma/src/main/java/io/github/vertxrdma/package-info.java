/** RDMA for Vert.x: {@link io.github.vertxrdma.Rdma} is where it starts. */
@ModuleGen(name = "vertx-rdma", groupPackage = "io.github.vertxrdma")
package io.github.vertxrdma;

import io.vertx.codegen.annotations.ModuleGen;
