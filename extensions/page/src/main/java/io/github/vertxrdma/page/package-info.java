/** The page of a cluster: its nodes, the connections between them and their speed, live in a browser. */
@ModuleGen(name = "vertx-rdma-page", groupPackage = "io.github.vertxrdma.page")
package io.github.vertxrdma.page;

import io.vertx.codegen.annotations.ModuleGen;
